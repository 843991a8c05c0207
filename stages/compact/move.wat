;; Compaction as cpu.ts has it, four pixels at a time. A point is one vector:
;;
;;   x x x x        x y z w ──► at            Each point is stored where the next one belongs; only a valid pixel's
;;   y y y y  ──►   x y z w ──► at + 16       moves that place on, so an invalid one's is overwritten.
;;   z z z z        x y z w ──► at + 16
;;   w w w w        x y z w ──► at + 32
(module
  (import "twin" "memory" (memory 0))

  (func $keep (param v128) (result v128) (local.get 0))

  ;; Depth is u16, `colors` (0: there are none) a word a pixel, with an alpha of 0 where there is none. `rays` holds an f32 a
  ;; column, as many as there are whole vectors to a row, then one a row. Up to three pixels past a row's end are read. Returns
  ;; where the points end; 16 bytes there are written.
  (func (export "move")
    (param $depth i32) (param $colors i32) (param $rays i32) (param $points i32) (param $width i32) (param $height i32)
    (param $unit f32) (param $near f32) (param $span f32) (result i32)
    (local $column i32) (local $rayY i32) (local $lastRay i32) (local $left i32) (local $mask i32)
    (local $value v128) (local $valid v128) (local $float v128) (local $far v128)
    (local $x v128) (local $y v128) (local $z v128) (local $w v128) (local $xy v128) (local $zw v128)
    (local $unit4 v128) (local $near4 v128) (local $span4 v128) (local $most v128) (local $white v128) (local $alpha v128)
    (local $color v128) (local $seen v128) (local $clear v128)
    (local.set $unit4 (call $keep (f32x4.splat (local.get $unit))))
    (local.set $near4 (call $keep (f32x4.splat (local.get $near))))
    (local.set $span4 (call $keep (f32x4.splat (local.get $span))))
    (local.set $most (call $keep (v128.const f32x4 192 192 192 192)))
    (local.set $white (call $keep (v128.const f32x4 8388848 8388848 8388848 8388848)))
    (local.set $alpha (call $keep (v128.const i32x4 -1 -1 -1 -1)))
    ;; Above it alpha is not 0.
    (local.set $clear (call $keep (v128.const i32x4 0xffffff 0xffffff 0xffffff 0xffffff)))
    (local.set $rayY
      (i32.add
        (local.get $rays)
        (i32.shl (i32.and (i32.add (local.get $width) (i32.const 3)) (i32.const -4)) (i32.const 2))))
    (local.set $lastRay (i32.add (local.get $rayY) (i32.shl (local.get $height) (i32.const 2))))
    (loop $row
      (local.set $column (local.get $rays))
      (local.set $left (local.get $width))
      (loop $next
        (local.set $value (v128.load16x4_u (local.get $depth)))
        (local.set $valid
          (v128.and
            (i32x4.gt_s (local.get $value) (v128.const i32x4 0 0 0 0))
            (i32x4.gt_s (i32x4.splat (local.get $left)) (v128.const i32x4 0 1 2 3))))
        (if (v128.any_true (local.get $valid))
          (then
            (local.set $float (f32x4.convert_i32x4_s (local.get $value)))
            (local.set $z (f32x4.mul (local.get $float) (local.get $unit4)))
            (local.set $x (f32x4.mul (v128.load (local.get $column)) (local.get $z)))
            (local.set $y (f32x4.mul (v128.load32_splat (local.get $rayY)) (local.get $z)))
            (local.set $color
              (if (result v128) (local.get $colors) (then (v128.load (local.get $colors))) (else (v128.const i32x4 0 0 0 0))))
            (local.set $seen (i32x4.gt_u (local.get $color) (local.get $clear)))
            (local.set $w (local.get $color))
            (if (i32.eqz (i32x4.all_true (local.get $seen)))
              (then
                ;; greyOf. 192 × 65535 < 2^24: f32 has the product exactly and the quotient on the right side of a whole number.
                ;; Added to 2^23 a whole number stands in a float's low bits.
                (local.set $far
                  (f32x4.pmin
                    (f32x4.sub
                      (f32x4.pmax (local.get $float) (local.get $near4))
                      (local.get $near4))
                    (local.get $span4)))
                (local.set $w
                  (f32x4.sub
                    (local.get $white)
                    (f32x4.floor
                      (f32x4.div
                        (f32x4.mul (local.get $far) (local.get $most))
                        (local.get $span4)))))
                (local.set $w
                  (v128.bitselect
                    (local.get $color)
                    (i8x16.shuffle 0 0 0 16 4 4 4 16 8 8 8 16 12 12 12 16 (local.get $w) (local.get $alpha))
                    (local.get $seen)))))
            (local.set $mask (i32x4.bitmask (local.get $valid)))
            (local.set $xy (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $x) (local.get $y)))
            (local.set $zw (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $z) (local.get $w)))
            (v128.store (local.get $points)
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $xy) (local.get $zw)))
            (local.set $points (i32.add (local.get $points) (i32.shl (i32.and (local.get $mask) (i32.const 1)) (i32.const 4))))
            (v128.store (local.get $points)
              (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $xy) (local.get $zw)))
            (local.set $points (i32.add (local.get $points) (i32.shl (i32.and (local.get $mask) (i32.const 2)) (i32.const 3))))
            (local.set $xy (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $x) (local.get $y)))
            (local.set $zw (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $z) (local.get $w)))
            (v128.store (local.get $points)
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $xy) (local.get $zw)))
            (local.set $points (i32.add (local.get $points) (i32.shl (i32.and (local.get $mask) (i32.const 4)) (i32.const 2))))
            (v128.store (local.get $points)
              (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $xy) (local.get $zw)))
            (local.set $points (i32.add (local.get $points) (i32.shl (i32.and (local.get $mask) (i32.const 8)) (i32.const 1))))))
        (local.set $depth (i32.add (local.get $depth) (i32.const 8)))
        (local.set $column (i32.add (local.get $column) (i32.const 16)))
        (if (local.get $colors) (then (local.set $colors (i32.add (local.get $colors) (i32.const 16)))))
        (br_if $next (i32.gt_s (local.tee $left (i32.sub (local.get $left) (i32.const 4))) (i32.const 0))))
      ;; `left` is now 0 or, where the row ended within a vector, as far below as the vector reaches into the next row.
      (local.set $depth (i32.add (local.get $depth) (i32.shl (local.get $left) (i32.const 1))))
      (if (local.get $colors)
        (then (local.set $colors (i32.add (local.get $colors) (i32.shl (local.get $left) (i32.const 2))))))
      (br_if $row (i32.lt_u (local.tee $rayY (i32.add (local.get $rayY) (i32.const 4))) (local.get $lastRay))))
    (local.get $points)))
