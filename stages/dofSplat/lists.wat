;; The tiles' lists: the same as lists.ts and sort.ts make of all splats in order. Here they are dealt out to the tiles as they come, and
;; each tile's list is sorted when its turn comes, in a processor's first cache.
;;
;;   a pair: where a splat is, and its key, the bits of its distance
(module
  (import "twin" "memory" (memory 0 65536))

  ;; Puts each splat on the lists of the tiles it touches, as they come. `starts` is all 0; then it holds where each tile's list begins,
  ;; at last where all end: addresses of pairs. `marks` are the tiles and the key of each of `count` splats, which have 64 bytes each.
  (func (export "scatter")
    (param $marks i32) (param $count i32) (param $columns i32) (param $starts i32) (param $tiles i32) (param $list i32)
    (param $splats i32)
    (local $at i32) (local $end i32) (local $marksEnd i32) (local $size i32) (local $tile i32) (local $pair i64)
    (local.set $at (local.get $marks))
    (local.set $marksEnd (i32.add (local.get $marks) (i32.shl (local.get $count) (i32.const 3))))
    ;; Each tile's size stands where the next one's start belongs.
    (block $counted
      (loop $next
        (br_if $counted (i32.ge_u (local.get $at) (local.get $marksEnd)))
        (local.set $tile (i32.load (local.get $at)))
        ;; One tile alone, as most are: a call would cost more than it does.
        (if (i32.eq (i32.shr_u (local.get $tile) (i32.const 16)) (i32.and (local.get $tile) (i32.const 0xffff)))
          (then
            (local.set $tile
              (i32.add
                (local.get $starts)
                (i32.shl
                  (i32.add
                    (i32.and (local.get $tile) (i32.const 255))
                    (i32.mul (i32.shr_u (local.get $tile) (i32.const 24)) (local.get $columns)))
                  (i32.const 2))))
            (i32.store offset=4 (local.get $tile) (i32.add (i32.load offset=4 (local.get $tile)) (i32.const 8))))
          (else (call $each (local.get $tile) (local.get $columns) (local.get $starts) (i64.const 0))))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br $next)))
    (local.set $at (local.get $starts))
    (local.set $end (i32.add (local.get $starts) (i32.shl (local.get $tiles) (i32.const 2))))
    (i32.store (local.get $starts) (local.get $list))
    (loop $next
      (local.set $size (i32.load offset=4 (local.get $at)))
      (i32.store offset=4 (local.get $at) (local.get $list))
      (local.set $list (i32.add (local.get $list) (local.get $size)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $end))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $marks) (local.get $marksEnd)))
        ;; Where it is, and its key.
        (local.set $pair
          (i64.or
            (i64.extend_i32_u (local.get $splats))
            (i64.shl (i64.load32_u offset=4 (local.get $marks)) (i64.const 32))))
        (local.set $tile (i32.load (local.get $marks)))
        (if (i32.eq (i32.shr_u (local.get $tile) (i32.const 16)) (i32.and (local.get $tile) (i32.const 0xffff)))
          (then
            (local.set $tile
              (i32.add
                (local.get $starts)
                (i32.shl
                  (i32.add
                    (i32.and (local.get $tile) (i32.const 255))
                    (i32.mul (i32.shr_u (local.get $tile) (i32.const 24)) (local.get $columns)))
                  (i32.const 2))))
            (local.set $at (i32.load offset=4 (local.get $tile)))
            (i64.store (local.get $at) (local.get $pair))
            (i32.store offset=4 (local.get $tile) (i32.add (local.get $at) (i32.const 8))))
          (else (call $each (local.get $tile) (local.get $columns) (local.get $starts) (local.get $pair))))
        (local.set $marks (i32.add (local.get $marks) (i32.const 8)))
        (local.set $splats (i32.add (local.get $splats) (i32.const 64)))
        (br $next))))

  ;; For each of the tiles that a splat touches: makes room for it (`pair` 0), or puts it on the list. A tile's start moves on until it
  ;; is its end, which is the next one's start.
  (func $each (param $touched i32) (param $columns i32) (param $starts i32) (param $pair i64)
    (local $row i32) (local $lastRow i32) (local $at i32) (local $last i32) (local $place i32)
    (local.set $starts
      (i32.add (local.get $starts) (i32.shl (i32.and (local.get $touched) (i32.const 255)) (i32.const 2))))
    (local.set $row (i32.and (i32.shr_u (local.get $touched) (i32.const 8)) (i32.const 255)))
    (local.set $lastRow (i32.shr_u (local.get $touched) (i32.const 24)))
    (loop $rows
      (local.set $at
        (i32.add (local.get $starts) (i32.shl (i32.mul (local.get $row) (local.get $columns)) (i32.const 2))))
      (local.set $last
        (i32.add
          (local.get $at)
          (i32.shl
            (i32.sub
              (i32.and (i32.shr_u (local.get $touched) (i32.const 16)) (i32.const 255))
              (i32.and (local.get $touched) (i32.const 255)))
            (i32.const 2))))
      (loop $tiles
        (local.set $place (i32.load offset=4 (local.get $at)))
        (if (i64.ne (local.get $pair) (i64.const 0)) (then (i64.store (local.get $place) (local.get $pair))))
        (i32.store offset=4 (local.get $at) (i32.add (local.get $place) (i32.const 8)))
        (br_if $tiles (i32.le_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $last))))
      (br_if $rows (i32.le_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $lastRow)))))

  ;; Sorts the pairs from `list` to `end` by (key, place) and returns where they are then: there, or in `spare`, which has room for as
  ;; many. `bins` has room for 2048 words.
  ;;
  ;;   key less the list's least   . . .  digit 2   digit 1   digit 0     9 bits each, or 11, as many as there are
  (func (export "sort") (param $list i32) (param $end i32) (param $spare i32) (param $bins i32) (result i32)
    (local $at i32) (local $key i32) (local $least i32) (local $most i32) (local $shift i32) (local $bin i32) (local $last i32)
    (local $size i32) (local $sum i32) (local $range i32) (local $width i32) (local $mask i32) (local $pair i64)
    (if (i32.ge_u (local.get $list) (local.get $end)) (then (return (local.get $list))))
    (local.set $least (i32.const -1))
    (local.set $at (local.get $list))
    (loop $next
      (local.set $key (i32.load offset=4 (local.get $at)))
      (local.set $least (select (local.get $key) (local.get $least) (i32.lt_u (local.get $key) (local.get $least))))
      (local.set $most (select (local.get $key) (local.get $most) (i32.gt_u (local.get $key) (local.get $most))))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (local.get $end))))
    (local.set $range (i32.sub (local.get $most) (local.get $least)))
    (local.set $width (select (i32.const 9) (i32.const 11) (i32.shr_u (local.get $range) (i32.const 22))))
    (local.set $mask (i32.sub (i32.shl (i32.const 1) (local.get $width)) (i32.const 1)))
    (local.set $last (i32.add (local.get $bins) (i32.shl (i32.const 4) (local.get $width))))
    (block $sorted
      (loop $digits
        (br_if $sorted (i32.eqz (i32.shr_u (local.get $range) (local.get $shift))))
        (local.set $bin (local.get $bins))
        (loop $next
          (v128.store (local.get $bin) (v128.const i32x4 0 0 0 0))
          (br_if $next (i32.lt_u (local.tee $bin (i32.add (local.get $bin) (i32.const 16))) (local.get $last))))
        (local.set $at (local.get $list))
        (loop $next
          (local.set $bin
            (i32.add
              (local.get $bins)
              (i32.shl
                (i32.and
                  (i32.shr_u
                    (i32.sub (i32.load offset=4 (local.get $at)) (local.get $least))
                    (local.get $shift))
                  (local.get $mask))
                (i32.const 2))))
          (i32.store (local.get $bin) (i32.add (i32.load (local.get $bin)) (i32.const 8)))
          (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (local.get $end))))
        ;; Sizes become places.
        (local.set $bin (local.get $bins))
        (local.set $sum (local.get $spare))
        (loop $next
          (local.set $size (i32.load (local.get $bin)))
          (i32.store (local.get $bin) (local.get $sum))
          (local.set $sum (i32.add (local.get $sum) (local.get $size)))
          (br_if $next (i32.lt_u (local.tee $bin (i32.add (local.get $bin) (i32.const 4))) (local.get $last))))
        (local.set $at (local.get $list))
        (loop $next
          (local.set $pair (i64.load (local.get $at)))
          (local.set $bin
            (i32.add
              (local.get $bins)
              (i32.shl
                (i32.and
                  (i32.shr_u
                    (i32.sub (i32.wrap_i64 (i64.shr_u (local.get $pair) (i64.const 32))) (local.get $least))
                    (local.get $shift))
                  (local.get $mask))
                (i32.const 2))))
          (i64.store (local.tee $key (i32.load (local.get $bin))) (local.get $pair))
          (i32.store (local.get $bin) (i32.add (local.get $key) (i32.const 8)))
          (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (local.get $end))))
        ;; What is sorted so far is in `spare`, which changes places with the list.
        (local.set $end (local.get $sum))
        (local.set $at (local.get $list))
        (local.set $list (local.get $spare))
        (local.set $spare (local.get $at))
        (local.set $shift (i32.add (local.get $shift) (local.get $width)))
        (br $digits)))
    (local.get $list)))
