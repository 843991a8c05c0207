;; A tile of the picture in the making: as film.ts has it, with its names, four pixels of a row at a time. The film holds 64 rows of
;; 1280 bytes: 64 f32 each of red, green, blue, room and distance.
(module
  (import "twin" "memory" (memory 0 65536))

  ;; Empties it: `width` and `height` are the tile's within the picture.
  (func (export "clear") (param $film i32) (param $width i32) (param $height i32)
    (local $row i32) (local $left i32) (local $last i32)
    (loop $rows
      (local.set $left (select (local.get $width) (i32.const 0) (i32.lt_u (local.get $row) (local.get $height))))
      (local.set $last (i32.add (local.get $film) (i32.const 256)))
      (loop $quads
        (v128.store (local.get $film) (v128.const i32x4 0 0 0 0))
        (v128.store offset=256 (local.get $film) (v128.const i32x4 0 0 0 0))
        (v128.store offset=512 (local.get $film) (v128.const i32x4 0 0 0 0))
        (v128.store offset=768
          (local.get $film)
          (v128.and
            (v128.const f32x4 1 1 1 1)
            (i32x4.gt_s (i32x4.splat (local.get $left)) (v128.const i32x4 0 1 2 3))))
        (v128.store offset=1024 (local.get $film) (v128.const i32x4 0 0 0 0))
        (local.set $left (i32.sub (local.get $left) (i32.const 4)))
        (br_if $quads (i32.lt_u (local.tee $film (i32.add (local.get $film) (i32.const 16))) (local.get $last))))
      (local.set $film (i32.add (local.get $film) (i32.const 1024)))
      (br_if $rows (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (i32.const 64)))))

  ;; Lays down the splats of a list, pairs of where one is and its key, until every pixel is full. `edges` are pairs of f32, none of
  ;; them where the aperture is round.
  (func (export "accumulate")
    (param $list i32) (param $listEnd i32) (param $film i32) (param $left i32) (param $top i32) (param $right i32)
    (param $bottom i32) (param $edges i32) (param $edgesEnd i32)
    (local $splat i32) (local $warm i32) (local $open i32) (local $rowEnd i32) (local $disc i32) (local $polygon i32)
    (local $column i32) (local $quad i32) (local $last i32) (local $from i32) (local $to i32) (local $at i32) (local $end i32) (local $edge i32)
    (local $aside f32) (local $chord f32)
    (local $least v128) (local $most v128) (local $touched v128)
    (local $x v128) (local $y v128) (local $reach v128) (local $reachAcross v128) (local $slope v128)
    (local $peak v128) (local $turn v128) (local $red v128) (local $green v128) (local $blue v128) (local $distance v128)
    (local $u v128) (local $v v128) (local $dx v128) (local $along v128) (local $across v128) (local $alongX v128)
    (local $alongY v128) (local $acrossX v128) (local $acrossY v128) (local $away v128) (local $weight v128)
    (local $before v128) (local $after v128) (local $enough v128)
    (local.set $least
      (i32x4.replace_lane 1
        (i32x4.replace_lane 0 (v128.const i32x4 0 0 0x80000000 0x80000000) (local.get $left))
        (local.get $top)))
    (local.set $most
      (i32x4.replace_lane 3
        (i32x4.replace_lane 2 (v128.const i32x4 0x7fffffff 0x7fffffff 0 0) (local.get $right))
        (local.get $bottom)))
    (local.set $open (local.get $film))
    (local.set $rowEnd (i32.add (local.get $film) (i32.const 256)))
    (block $done
      (loop $splats
        (br_if $done (i32.ge_u (local.get $list) (local.get $listEnd)))
        ;; What is full before `open` stays full.
        (block $room
          (loop $full
            (br_if $room (v128.any_true (v128.load offset=768 (local.get $open))))
            (br_if $full
              (i32.lt_u (local.tee $open (i32.add (local.get $open) (i32.const 16))) (local.get $rowEnd)))
            (local.set $open (i32.add (local.get $open) (i32.const 1024)))
            (local.set $rowEnd (i32.add (local.get $rowEnd) (i32.const 1280)))
            (br_if $full (i32.lt_u (local.get $open) (i32.add (local.get $film) (i32.const 81920))))
            (return)))
        ;; The next 128 splats are read from memory at once: they lie anywhere in it, and one by one each would be waited for.
        (if (i32.ge_u (local.get $list) (local.get $warm))
          (then
            (local.set $end (i32.add (local.get $list) (i32.const 1024)))
            (local.set $end
              (select (local.get $end) (local.get $listEnd) (i32.lt_u (local.get $end) (local.get $listEnd))))
            (local.set $warm (local.get $list))
            (loop $ahead
              (drop (i32.load (i32.load (local.get $warm))))
              (br_if $ahead (i32.lt_u (local.tee $warm (i32.add (local.get $warm) (i32.const 8))) (local.get $end))))))
        (local.set $splat (i32.load (local.get $list)))
        (local.set $list (i32.add (local.get $list) (i32.const 8)))
        (local.set $x (v128.load32_splat (local.get $splat)))
        (local.set $y (v128.load32_splat offset=4 (local.get $splat)))
        (local.set $reach (v128.load32_splat offset=8 (local.get $splat)))
        (local.set $reachAcross (v128.load32_splat offset=12 (local.get $splat)))
        (local.set $alongX (v128.load32_splat offset=16 (local.get $splat)))
        (local.set $alongY (v128.load32_splat offset=20 (local.get $splat)))
        (local.set $acrossX (v128.load32_splat offset=24 (local.get $splat)))
        (local.set $acrossY (v128.load32_splat offset=28 (local.get $splat)))
        (local.set $peak (v128.load32_splat offset=32 (local.get $splat)))
        (local.set $distance (v128.load32_splat offset=36 (local.get $splat)))
        (local.set $touched
          (i32x4.min_s
            (i32x4.max_s (v128.load16x4_u offset=40 (local.get $splat)) (local.get $least))
            (local.get $most)))
        (local.set $red (v128.load32_splat offset=48 (local.get $splat)))
        (local.set $green (v128.load32_splat offset=52 (local.get $splat)))
        (local.set $blue (v128.load32_splat offset=56 (local.get $splat)))
        (local.set $slope (v128.load32_splat offset=60 (local.get $splat)))
        (local.set $disc (v128.any_true (local.get $slope)))
        (local.set $polygon (i32.and (local.get $disc) (i32.lt_u (local.get $edges) (local.get $edgesEnd))))
        (local.set $turn (v128.and (local.get $peak) (v128.const i32x4 0x80000000 0x80000000 0x80000000 0x80000000)))
        (local.set $peak (f32x4.abs (local.get $peak)))
        (local.set $last (i32.sub (i32x4.extract_lane 2 (local.get $touched)) (local.get $left)))
        (local.set $quad
          (i32.sub
            (i32.add (local.get $last) (i32.const 1))
            (i32.and
              (i32.sub
                (i32.add (i32x4.extract_lane 2 (local.get $touched)) (i32.const 4))
                (i32x4.extract_lane 0 (local.get $touched)))
              (i32.const -4))))
        (local.set $quad (select (local.get $quad) (i32.const 0) (i32.gt_s (local.get $quad) (i32.const 0))))
        (local.set $from (i32x4.extract_lane 1 (local.get $touched)))
        (local.set $to (i32x4.extract_lane 3 (local.get $touched)))
        (local.set $column
          (i32.add
            (i32.shl (local.get $quad) (i32.const 2))
            (i32.sub (local.get $film) (i32.mul (local.get $top) (i32.const 1280)))))
        (local.set $u
          (f32x4.add
            (f32x4.splat (f32.convert_i32_s (i32.add (local.get $left) (local.get $quad))))
            (v128.const f32x4 0 1 2 3)))
        (loop $columns
          (local.set $dx (f32x4.sub (local.get $u) (local.get $x)))
          (if (local.get $disc)
            (then
              (local.set $dx (f32x4.abs (local.get $dx)))
              ;; The rows that the disc has here, where it is highest.
              (local.set $aside
                (f32.max
                  (f32.max
                    (f32.sub (f32x4.extract_lane 0 (local.get $u)) (f32x4.extract_lane 0 (local.get $x)))
                    (f32.sub (f32x4.extract_lane 0 (local.get $x)) (f32x4.extract_lane 3 (local.get $u))))
                  (f32.const 0)))
              (local.set $aside
                (f32.sub
                  (f32.mul (f32x4.extract_lane 0 (local.get $reach)) (f32x4.extract_lane 0 (local.get $reach)))
                  (f32.mul (local.get $aside) (local.get $aside))))
              (local.set $chord (f32.sqrt (f32.max (local.get $aside) (f32.const 0))))
              (local.set $after
                (i32x4.trunc_sat_f32x4_s
                  (f32x4.replace_lane 3
                    (f32x4.splat (f32.ceil (f32.sub (f32x4.extract_lane 0 (local.get $y)) (local.get $chord))))
                    (f32.floor (f32.add (f32x4.extract_lane 0 (local.get $y)) (local.get $chord))))))
              (local.set $from (i32x4.extract_lane 1 (i32x4.max_s (local.get $after) (local.get $touched))))
              (local.set $to (i32x4.extract_lane 3 (i32x4.min_s (local.get $after) (local.get $touched)))))
            (else
              (local.set $along (f32x4.mul (local.get $dx) (local.get $alongX)))
              (local.set $across (f32x4.mul (local.get $dx) (local.get $acrossX)))))
          (local.set $at (i32.add (local.get $column) (i32.mul (local.get $from) (i32.const 1280))))
          (local.set $end (i32.add (local.get $column) (i32.mul (local.get $to) (i32.const 1280))))
          (local.set $v (f32x4.splat (f32.convert_i32_s (local.get $from))))
          (block $none
            ;; Only the disc's corner is here.
            (br_if $none (i32.gt_s (local.get $from) (local.get $to)))
            ;; The same two times: a branch in each row would cost more.
            (if (local.get $disc)
              (then
                (loop $rows
                  (local.set $before (v128.load offset=768 (local.get $at)))
                  (if (v128.any_true (local.get $before))
                    (then
                      (local.set $away (f32x4.sub (local.get $v) (local.get $y)))
                      (if (local.get $polygon)
                        (then
                          (local.set $enough (v128.xor (local.get $away) (local.get $turn)))
                          (local.set $away (v128.const f32x4 0 0 0 0))
                          (local.set $edge (local.get $edges))
                          (loop $next
                            (local.set $away
                              (f32x4.pmax
                                (local.get $away)
                                (f32x4.add
                                  (f32x4.mul (local.get $dx) (v128.load32_splat (local.get $edge)))
                                  (f32x4.mul (local.get $enough) (v128.load32_splat offset=4 (local.get $edge))))))
                            (br_if $next
                              (i32.lt_u
                                (local.tee $edge (i32.add (local.get $edge) (i32.const 8)))
                                (local.get $edgesEnd)))))
                        (else
                          (local.set $away
                            (f32x4.sqrt
                              (f32x4.add
                                (f32x4.mul (local.get $dx) (local.get $dx))
                                (f32x4.mul (local.get $away) (local.get $away)))))))
                      (local.set $weight
                        (f32x4.mul
                          (f32x4.pmax
                            (v128.const f32x4 0 0 0 0)
                            (f32x4.pmin
                              (f32x4.mul (f32x4.sub (local.get $reach) (local.get $away)) (local.get $slope))
                              (v128.const f32x4 1 1 1 1)))
                          (local.get $peak)))
                      (local.set $after (f32x4.sub (local.get $before) (local.get $weight)))
                      ;; CRUMB
                      (local.set $enough (f32x4.ge (local.get $after) (v128.const f32x4 0.03 0.03 0.03 0.03)))
                      (local.set $weight (v128.bitselect (local.get $weight) (local.get $before) (local.get $enough)))
                      (local.set $after (v128.and (local.get $after) (local.get $enough)))
                      (v128.store offset=768 (local.get $at) (local.get $after))
                      (v128.store
                        (local.get $at)
                        (f32x4.add (v128.load (local.get $at)) (f32x4.mul (local.get $weight) (local.get $red))))
                      (v128.store offset=256
                        (local.get $at)
                        (f32x4.add (v128.load offset=256 (local.get $at)) (f32x4.mul (local.get $weight) (local.get $green))))
                      (v128.store offset=512
                        (local.get $at)
                        (f32x4.add (v128.load offset=512 (local.get $at)) (f32x4.mul (local.get $weight) (local.get $blue))))
                      ;; UNDRAWN, UNTOUCHED
                      (v128.store offset=1024
                        (local.get $at)
                        (v128.bitselect
                          (local.get $distance)
                          (v128.load offset=1024 (local.get $at))
                          (f32x4.gt
                            (local.get $before)
                            (v128.bitselect
                              (v128.const f32x4 0.51 0.51 0.51 0.51)
                              (f32x4.pmax (local.get $after) (v128.const f32x4 0.99 0.99 0.99 0.99))
                              (f32x4.le (local.get $after) (v128.const f32x4 0.51 0.51 0.51 0.51))))))))
                  (local.set $v (f32x4.add (local.get $v) (v128.const f32x4 1 1 1 1)))
                  (br_if $rows
                    (i32.le_u (local.tee $at (i32.add (local.get $at) (i32.const 1280))) (local.get $end)))))
              (else
                (loop $patchRows
                  (local.set $before (v128.load offset=768 (local.get $at)))
                  (if (v128.any_true (local.get $before))
                    (then
                      (local.set $away (f32x4.sub (local.get $v) (local.get $y)))
                      (local.set $weight
                        (f32x4.mul
                          (f32x4.mul
                            (f32x4.pmax
                              (v128.const f32x4 0 0 0 0)
                              (f32x4.pmin
                                (f32x4.sub
                                  (local.get $reach)
                                  (f32x4.abs
                                    (f32x4.add (local.get $along) (f32x4.mul (local.get $away) (local.get $alongY)))))
                                (v128.const f32x4 1 1 1 1)))
                            (local.get $peak))
                          (f32x4.pmax
                            (v128.const f32x4 0 0 0 0)
                            (f32x4.pmin
                              (f32x4.sub
                                (local.get $reachAcross)
                                (f32x4.abs
                                  (f32x4.add (local.get $across) (f32x4.mul (local.get $away) (local.get $acrossY)))))
                              (v128.const f32x4 1 1 1 1)))))
                      (local.set $after (f32x4.sub (local.get $before) (local.get $weight)))
                      ;; CRUMB
                      (local.set $enough (f32x4.ge (local.get $after) (v128.const f32x4 0.03 0.03 0.03 0.03)))
                      (local.set $weight (v128.bitselect (local.get $weight) (local.get $before) (local.get $enough)))
                      (local.set $after (v128.and (local.get $after) (local.get $enough)))
                      (v128.store offset=768 (local.get $at) (local.get $after))
                      (v128.store
                        (local.get $at)
                        (f32x4.add (v128.load (local.get $at)) (f32x4.mul (local.get $weight) (local.get $red))))
                      (v128.store offset=256
                        (local.get $at)
                        (f32x4.add (v128.load offset=256 (local.get $at)) (f32x4.mul (local.get $weight) (local.get $green))))
                      (v128.store offset=512
                        (local.get $at)
                        (f32x4.add (v128.load offset=512 (local.get $at)) (f32x4.mul (local.get $weight) (local.get $blue))))
                      ;; UNDRAWN, UNTOUCHED
                      (v128.store offset=1024
                        (local.get $at)
                        (v128.bitselect
                          (local.get $distance)
                          (v128.load offset=1024 (local.get $at))
                          (f32x4.gt
                            (local.get $before)
                            (v128.bitselect
                              (v128.const f32x4 0.51 0.51 0.51 0.51)
                              (f32x4.pmax (local.get $after) (v128.const f32x4 0.99 0.99 0.99 0.99))
                              (f32x4.le (local.get $after) (v128.const f32x4 0.51 0.51 0.51 0.51))))))))
                  (local.set $v (f32x4.add (local.get $v) (v128.const f32x4 1 1 1 1)))
                  (br_if $patchRows
                    (i32.le_u (local.tee $at (i32.add (local.get $at) (i32.const 1280))) (local.get $end)))))))
          (local.set $u (f32x4.add (local.get $u) (v128.const f32x4 4 4 4 4)))
          (local.set $column (i32.add (local.get $column) (i32.const 16)))
          (br_if $columns
            (i32.le_s (local.tee $quad (i32.add (local.get $quad) (i32.const 4))) (local.get $last))))
        (br $splats)))))
