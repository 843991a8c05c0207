;; Surfaces as cpu.ts has them, four pixels at a time, in its order and with its names. What is beside a pixel stands so many
;; bytes away, zeros outside of the image:
;;
;;            - reach * stride
;;   - reach        0          + reach
;;            + reach * stride
(module
  (import "twin" "memory" (memory 0))

  ;; Depth is u16, in rows of `stride` bytes. `rays` holds an f32 a column, as many as there are whole vectors to a row, then one
  ;; a row; `lights` an f32 a depth; `colors` a word a pixel. `mode` is 0 for normals, 1 for clay, 2 for lit. Up to three pixels past
  ;; a row's end are read, and written before the next row is.
  (func (export "shade")
    (param $depth i32) (param $words i32) (param $rays i32) (param $lights i32) (param $colors i32)
    (param $mode i32) (param $width i32) (param $height i32)
    (param $stride i32) (param $reach i32) (param $stepX f32) (param $stepY f32) (param $jump f32)
    (local $at i32) (local $column i32) (local $rowsRay i32) (local $lastRay i32) (local $left i32) (local $rows i32)
    (local $value v128) (local $z v128) (local $limit v128) (local $there v128) (local $same v128)
    (local $across v128) (local $down v128) (local $nx v128) (local $ny v128) (local $nz v128) (local $area v128)
    (local $rayX v128) (local $rayY v128) (local $rayYY1 v128) (local $length2 v128) (local $light v128)
    (local $r v128) (local $g v128) (local $b v128)
    (local $zero v128) (local $one v128) (local $half v128) (local $middle v128) (local $swing v128) (local $most v128)
    (local $raked v128) (local $rake v128) (local $lampX v128) (local $lampY v128) (local $lampZ v128)
    (local $ambient v128) (local $lamp v128) (local $red v128) (local $green v128) (local $blue v128)
    (local $byte v128) (local $alpha v128) (local $whole v128) (local $jumps v128) (local $stepXs v128) (local $stepYs v128)
    ;; All that stays is told before the loops: some engines would make it anew for each vector.
    (local.set $one (v128.const f32x4 1 1 1 1))
    (local.set $raked (v128.const f32x4 0.25 0.25 0.25 0.25))
    (local.set $rake (v128.const f32x4 0.75 0.75 0.75 0.75))
    (local.set $lampX (v128.const f32x4 -0.48 -0.48 -0.48 -0.48))
    (local.set $lampY (v128.const f32x4 -0.6 -0.6 -0.6 -0.6))
    (local.set $lampZ (v128.const f32x4 0.64 0.64 0.64 0.64))
    (local.set $ambient (v128.const f32x4 0.12 0.12 0.12 0.12))
    (local.set $lamp (v128.const f32x4 0.88 0.88 0.88 0.88))
    (local.set $red (v128.const f32x4 244.8 244.8 244.8 244.8))
    (local.set $green (v128.const f32x4 232.05 232.05 232.05 232.05))
    (local.set $blue (v128.const f32x4 216.75 216.75 216.75 216.75))
    (local.set $byte (v128.const i32x4 255 255 255 255))
    (local.set $most (v128.const f32x4 255 255 255 255))
    (local.set $half (v128.const f32x4 0.5 0.5 0.5 0.5))
    (local.set $middle (v128.const f32x4 128 128 128 128))
    (local.set $swing (v128.const f32x4 127.5 127.5 127.5 127.5))
    (local.set $alpha (v128.const i32x4 0xff000000 0xff000000 0xff000000 0xff000000))
    (local.set $whole (v128.const f32x4 8388608 8388608 8388608 8388608))
    (local.set $jumps (f32x4.splat (local.get $jump)))
    (local.set $stepXs (f32x4.splat (local.get $stepX)))
    (local.set $stepYs (f32x4.splat (local.get $stepY)))
    (local.set $rows (i32.mul (i32.shr_u (local.get $reach) (i32.const 1)) (local.get $stride)))
    (local.set $rowsRay
      (i32.add
        (local.get $rays)
        (i32.shl (i32.and (i32.add (local.get $width) (i32.const 3)) (i32.const -4)) (i32.const 2))))
    (local.set $lastRay (i32.add (local.get $rowsRay) (i32.shl (local.get $height) (i32.const 2))))
    (loop $row
      (local.set $at (local.get $depth))
      (local.set $column (local.get $rays))
      (local.set $left (local.get $width))
      (local.set $rayY (v128.load32_splat (local.get $rowsRay)))
      (local.set $rayYY1 (f32x4.add (f32x4.mul (local.get $rayY) (local.get $rayY)) (local.get $one)))
      (loop $next
        (local.set $value (v128.load16x4_u (local.get $at)))
        (if (v128.any_true (local.get $value))
          (then
            (local.set $z (f32x4.convert_i32x4_s (local.get $value)))
            (local.set $limit (f32x4.mul (local.get $jumps) (local.get $z)))
            ;; right
            (local.set $there
              (f32x4.convert_i32x4_s (v128.load16x4_u (i32.add (local.get $at) (local.get $reach)))))
            (local.set $same
              (f32x4.le (f32x4.abs (f32x4.sub (local.get $there) (local.get $z))) (local.get $limit)))
            (local.set $across (v128.and (local.get $there) (local.get $same)))
            (local.set $nx (v128.bitselect (local.get $there) (local.get $z) (local.get $same)))
            ;; left
            (local.set $there
              (f32x4.convert_i32x4_s (v128.load16x4_u (i32.sub (local.get $at) (local.get $reach)))))
            (local.set $same
              (f32x4.le (f32x4.abs (f32x4.sub (local.get $there) (local.get $z))) (local.get $limit)))
            (local.set $across (f32x4.add (local.get $across) (v128.and (local.get $there) (local.get $same))))
            (local.set $across
              (f32x4.mul
                (local.get $stepXs)
                (v128.bitselect
                  (local.get $z)
                  (local.get $across)
                  (f32x4.eq (local.get $across) (v128.const f32x4 0 0 0 0)))))
            (local.set $nx
              (f32x4.sub (local.get $nx) (v128.bitselect (local.get $there) (local.get $z) (local.get $same))))
            ;; below
            (local.set $there
              (f32x4.convert_i32x4_s (v128.load16x4_u (i32.add (local.get $at) (local.get $rows)))))
            (local.set $same
              (f32x4.le (f32x4.abs (f32x4.sub (local.get $there) (local.get $z))) (local.get $limit)))
            (local.set $down (v128.and (local.get $there) (local.get $same)))
            (local.set $ny (v128.bitselect (local.get $there) (local.get $z) (local.get $same)))
            ;; above
            (local.set $there
              (f32x4.convert_i32x4_s (v128.load16x4_u (i32.sub (local.get $at) (local.get $rows)))))
            (local.set $same
              (f32x4.le (f32x4.abs (f32x4.sub (local.get $there) (local.get $z))) (local.get $limit)))
            (local.set $down (f32x4.add (local.get $down) (v128.and (local.get $there) (local.get $same))))
            (local.set $down
              (f32x4.mul
                (local.get $stepYs)
                (v128.bitselect
                  (local.get $z)
                  (local.get $down)
                  (f32x4.eq (local.get $down) (v128.const f32x4 0 0 0 0)))))
            (local.set $ny
              (f32x4.sub (local.get $ny) (v128.bitselect (local.get $there) (local.get $z) (local.get $same))))

            (local.set $nx (f32x4.mul (local.get $nx) (local.get $down)))
            (local.set $ny (f32x4.mul (local.get $ny) (local.get $across)))
            (local.set $area (f32x4.mul (local.get $across) (local.get $down)))
            (local.set $rayX (v128.load (local.get $column)))
            ;; -nz
            (local.set $nz
              (f32x4.add
                (local.get $area)
                (f32x4.add
                  (f32x4.mul (local.get $rayX) (local.get $nx))
                  (f32x4.mul (local.get $rayY) (local.get $ny)))))
            (local.set $length2
              (f32x4.add
                (f32x4.add
                  (f32x4.mul (local.get $nx) (local.get $nx))
                  (f32x4.mul (local.get $ny) (local.get $ny)))
                (f32x4.mul (local.get $nz) (local.get $nz))))
            (if (local.get $mode)
              (then
                ;; facing, then light. pmax gives its first argument where the second is no number: 0 / 0.
                (if (i32.eq (local.get $mode) (i32.const 2))
                  (then
                    (local.set $light
                      (f32x4.add
                        (local.get $raked)
                        (f32x4.mul
                          (local.get $rake)
                          (f32x4.pmax
                            (local.get $zero)
                            (f32x4.div
                              (f32x4.add
                                (f32x4.add
                                  (f32x4.mul (local.get $nx) (local.get $lampX))
                                  (f32x4.mul (local.get $ny) (local.get $lampY)))
                                (f32x4.mul (local.get $nz) (local.get $lampZ)))
                              (f32x4.sqrt (local.get $length2))))))))
                  (else
                    (local.set $light
                      (f32x4.add
                        (local.get $ambient)
                        (f32x4.mul
                          (local.get $lamp)
                          (f32x4.pmax
                            (local.get $zero)
                            (f32x4.div
                              (local.get $area)
                              (f32x4.sqrt
                                (f32x4.mul
                                  (local.get $length2)
                                  (f32x4.add (f32x4.mul (local.get $rayX) (local.get $rayX)) (local.get $rayYY1)))))))))))
                ;; Clay's colours at their distance, or the camera's.
                (local.set $r (local.get $red))
                (local.set $g (local.get $green))
                (local.set $b (local.get $blue))
                (local.set $limit
                  (f32x4.mul
                    (local.get $light)
                    (v128.load32_lane 3
                      (i32.add (local.get $lights) (i32.shl (i32x4.extract_lane 3 (local.get $value)) (i32.const 2)))
                      (v128.load32_lane 2
                        (i32.add (local.get $lights) (i32.shl (i32x4.extract_lane 2 (local.get $value)) (i32.const 2)))
                        (v128.load32_lane 1
                          (i32.add (local.get $lights) (i32.shl (i32x4.extract_lane 1 (local.get $value)) (i32.const 2)))
                          (v128.load32_zero
                            (i32.add (local.get $lights) (i32.shl (i32x4.extract_lane 0 (local.get $value)) (i32.const 2)))))))))
                (if (i32.eq (local.get $mode) (i32.const 2))
                  (then
                    (local.set $there (v128.load (local.get $colors)))
                    (local.set $same (i32x4.eq (i32x4.shr_u (local.get $there) (i32.const 24)) (v128.const i32x4 0 0 0 0)))
                    (local.set $light (v128.bitselect (local.get $limit) (local.get $light) (local.get $same)))
                    (local.set $r
                      (v128.bitselect
                        (local.get $r)
                        (f32x4.convert_i32x4_s (v128.and (local.get $there) (local.get $byte)))
                        (local.get $same)))
                    (local.set $g
                      (v128.bitselect
                        (local.get $g)
                        (f32x4.convert_i32x4_s
                          (v128.and (i32x4.shr_u (local.get $there) (i32.const 8)) (local.get $byte)))
                        (local.get $same)))
                    (local.set $b
                      (v128.bitselect
                        (local.get $b)
                        (f32x4.convert_i32x4_s
                          (v128.and (i32x4.shr_u (local.get $there) (i32.const 16)) (local.get $byte)))
                        (local.get $same))))
                  (else (local.set $light (local.get $limit))))
                ;; shineOf
                (local.set $r
                  (f32x4.pmin
                    (local.get $most)
                    (f32x4.add (f32x4.mul (local.get $r) (local.get $light)) (local.get $half))))
                (local.set $g
                  (f32x4.pmin
                    (local.get $most)
                    (f32x4.add (f32x4.mul (local.get $g) (local.get $light)) (local.get $half))))
                (local.set $b
                  (f32x4.pmin
                    (local.get $most)
                    (f32x4.add (f32x4.mul (local.get $b) (local.get $light)) (local.get $half)))))
              (else
                ;; scale
                (local.set $light
                  (v128.and
                    (f32x4.div (local.get $one) (f32x4.sqrt (local.get $length2)))
                    (f32x4.gt (local.get $length2) (local.get $zero))))
                (local.set $r
                  (f32x4.add (local.get $middle) (f32x4.mul (local.get $swing) (f32x4.mul (local.get $nx) (local.get $light)))))
                (local.set $g
                  (f32x4.sub (local.get $middle) (f32x4.mul (local.get $swing) (f32x4.mul (local.get $ny) (local.get $light)))))
                (local.set $b
                  (f32x4.add (local.get $middle) (f32x4.mul (local.get $swing) (f32x4.mul (local.get $nz) (local.get $light)))))))
            ;; wordOf. Added to 2^23 a whole number stands in a float's low bits; what else is there alpha covers, or is shifted out.
            (v128.store
              (local.get $words)
              (v128.and
                (i32x4.ne (local.get $value) (v128.const i32x4 0 0 0 0))
                (v128.or
                  (v128.or
                    (local.get $alpha)
                    (f32x4.add (f32x4.floor (local.get $r)) (local.get $whole)))
                  (v128.or
                    (i32x4.shl
                      (f32x4.add (f32x4.floor (local.get $g)) (local.get $whole))
                      (i32.const 8))
                    (i32x4.shl
                      (f32x4.add (f32x4.floor (local.get $b)) (local.get $whole))
                      (i32.const 16)))))))
          (else (v128.store (local.get $words) (v128.const i32x4 0 0 0 0))))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (local.set $column (i32.add (local.get $column) (i32.const 16)))
        (local.set $words (i32.add (local.get $words) (i32.const 16)))
        (local.set $colors (i32.add (local.get $colors) (i32.const 16)))
        (br_if $next (i32.gt_s (local.tee $left (i32.sub (local.get $left) (i32.const 4))) (i32.const 0))))
      ;; `left` is 0, or as far below as the last vector reached past the row's end.
      (local.set $words (i32.add (local.get $words) (i32.shl (local.get $left) (i32.const 2))))
      (local.set $colors (i32.add (local.get $colors) (i32.shl (local.get $left) (i32.const 2))))
      (local.set $depth (i32.add (local.get $depth) (local.get $stride)))
      (br_if $row (i32.lt_u (local.tee $rowsRay (i32.add (local.get $rowsRay) (i32.const 4))) (local.get $lastRay))))))
