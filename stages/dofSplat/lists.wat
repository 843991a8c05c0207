;; The tiles' lists: as lists.ts and sort.ts have them, with their names.
(module
  (import "twin" "memory" (memory 0))

  ;; Sorts `count` pairs of a splat's number and its key, the bits of its distance, by (key, number). `bins` holds 3 × 512 words,
  ;; all 0. Goes to and fro between `order` and `spare` and ends in `spare`.
  ;;
  ;;   key less that of the nearest   . . . . .  digit 2   digit 1   digit 0     9 bits each: 16 octaves of distance fill 27
  (func (export "sort") (param $order i32) (param $spare i32) (param $bins i32) (param $count i32)
    (local $at i32) (local $end i32) (local $key i32) (local $bin i32) (local $sum i32) (local $size i32)
    (local.set $at (local.get $order))
    (local.set $end (i32.add (local.get $order) (i32.shl (local.get $count) (i32.const 3))))
    (block $counted
      (loop $next
        (br_if $counted (i32.ge_u (local.get $at) (local.get $end)))
        ;; less the bits of NEAR
        (local.set $key (i32.sub (i32.load offset=4 (local.get $at)) (i32.const 0x3d000000)))
        (local.set $bin
          (i32.add (local.get $bins) (i32.shl (i32.and (local.get $key) (i32.const 511)) (i32.const 2))))
        (i32.store (local.get $bin) (i32.add (i32.load (local.get $bin)) (i32.const 1)))
        (local.set $bin
          (i32.add
            (local.get $bins)
            (i32.shl (i32.and (i32.shr_u (local.get $key) (i32.const 9)) (i32.const 511)) (i32.const 2))))
        (i32.store offset=2048 (local.get $bin) (i32.add (i32.load offset=2048 (local.get $bin)) (i32.const 1)))
        (local.set $bin
          (i32.add (local.get $bins) (i32.shl (i32.shr_u (local.get $key) (i32.const 18)) (i32.const 2))))
        (i32.store offset=4096 (local.get $bin) (i32.add (i32.load offset=4096 (local.get $bin)) (i32.const 1)))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br $next)))
    ;; Sizes become places, in bytes.
    (local.set $bin (local.get $bins))
    (loop $digit
      (local.set $sum (i32.const 0))
      (local.set $at (i32.add (local.get $bin) (i32.const 2048)))
      (loop $next
        (local.set $size (i32.shl (i32.load (local.get $bin)) (i32.const 3)))
        (i32.store (local.get $bin) (local.get $sum))
        (local.set $sum (i32.add (local.get $sum) (local.get $size)))
        (br_if $next (i32.lt_u (local.tee $bin (i32.add (local.get $bin) (i32.const 4))) (local.get $at))))
      (br_if $digit (i32.lt_u (local.get $bin) (i32.add (local.get $bins) (i32.const 6144)))))
    (call $move (local.get $order) (local.get $spare) (local.get $bins) (local.get $count) (i32.const 0))
    (call $move
      (local.get $spare)
      (local.get $order)
      (i32.add (local.get $bins) (i32.const 2048))
      (local.get $count)
      (i32.const 9))
    (call $move
      (local.get $order)
      (local.get $spare)
      (i32.add (local.get $bins) (i32.const 4096))
      (local.get $count)
      (i32.const 18)))

  (func $move (param $from i32) (param $to i32) (param $bins i32) (param $count i32) (param $shift i32)
    (local $pair i64) (local $end i32) (local $bin i32) (local $at i32)
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $count) (i32.const 3))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
        (local.set $pair (i64.load (local.get $from)))
        (local.set $bin
          (i32.add
            (local.get $bins)
            (i32.shl
              (i32.and
                (i32.shr_u
                  (i32.sub (i32.wrap_i64 (i64.shr_u (local.get $pair) (i64.const 32))) (i32.const 0x3d000000))
                  (local.get $shift))
                (i32.const 511))
              (i32.const 2))))
        (local.set $at (i32.load (local.get $bin)))
        (i32.store (local.get $bin) (i32.add (local.get $at) (i32.const 8)))
        (i64.store (i32.add (local.get $to) (local.get $at)) (local.get $pair))
        (local.set $from (i32.add (local.get $from) (i32.const 8)))
        (br $next))))

  ;; Puts each splat on the lists of the tiles it touches, in `order`. `starts` is all 0; then it holds where each tile's list begins,
  ;; at last where all end: addresses of addresses. `touched` is a word a splat, the splats 64 bytes each.
  (func (export "scatter")
    (param $touched i32) (param $order i32) (param $count i32) (param $columns i32) (param $starts i32) (param $tiles i32)
    (param $list i32) (param $splats i32)
    (local $at i32) (local $end i32) (local $size i32)
    (local.set $at (local.get $touched))
    (local.set $end (i32.add (local.get $touched) (i32.shl (local.get $count) (i32.const 2))))
    ;; Each tile's size stands where the next one's start belongs.
    (block $counted
      (loop $next
        (br_if $counted (i32.ge_u (local.get $at) (local.get $end)))
        (call $each (i32.load (local.get $at)) (local.get $columns) (local.get $starts) (i32.const 0))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next)))
    (local.set $at (local.get $starts))
    (local.set $end (i32.add (local.get $starts) (i32.shl (local.get $tiles) (i32.const 2))))
    (i32.store (local.get $starts) (local.get $list))
    (loop $next
      (local.set $size (i32.shl (i32.load offset=4 (local.get $at)) (i32.const 2)))
      (i32.store offset=4 (local.get $at) (local.get $list))
      (local.set $list (i32.add (local.get $list) (local.get $size)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $end))))
    (local.set $end (i32.add (local.get $order) (i32.shl (local.get $count) (i32.const 3))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $order) (local.get $end)))
        (local.set $at (i32.load (local.get $order)))
        (call $each
          (i32.load (i32.add (local.get $touched) (i32.shl (local.get $at) (i32.const 2))))
          (local.get $columns)
          (local.get $starts)
          (i32.add (local.get $splats) (i32.shl (local.get $at) (i32.const 6))))
        (local.set $order (i32.add (local.get $order) (i32.const 8)))
        (br $next))))

  ;; For each of the tiles that a splat touches: counts it (`splat` 0), or puts it on the list. A tile's start moves on until it is its
  ;; end, which is the next one's start.
  (func $each (param $touched i32) (param $columns i32) (param $starts i32) (param $splat i32)
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
        (if (local.get $splat)
          (then
            (i32.store (local.get $place) (local.get $splat))
            (i32.store offset=4 (local.get $at) (i32.add (local.get $place) (i32.const 4))))
          (else (i32.store offset=4 (local.get $at) (i32.add (local.get $place) (i32.const 1)))))
        (br_if $tiles (i32.le_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $last))))
      (br_if $rows (i32.le_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $lastRow))))))
