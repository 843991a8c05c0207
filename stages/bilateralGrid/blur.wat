;; blur of cpu.ts: four raw words of a column at a time across x and y, then two cells at a time along depth.
;;
;;   5 × 5 columns ──► weights, sums (whole numbers, kept as f64) ──► pairs of f32
;;   r … r+3               r … r+3                   p … p+4          p
(module
  (import "twin" "memory" (memory 0))

  ;; The smallest of lanes 0, 2, 4 and the largest of 1, 3, 5.
  (func $span (param $low v128) (param $high v128) (result i32 i32)
    (local $first i32) (local $last i32) (local $next i32)
    (local.set $first (i16x8.extract_lane_u 0 (local.get $low)))
    (local.set $next (i16x8.extract_lane_u 2 (local.get $low)))
    (local.set $first (select (local.get $next) (local.get $first) (i32.lt_u (local.get $next) (local.get $first))))
    (local.set $next (i16x8.extract_lane_u 4 (local.get $low)))
    (local.set $first (select (local.get $next) (local.get $first) (i32.lt_u (local.get $next) (local.get $first))))
    (local.set $last (i16x8.extract_lane_u 1 (local.get $high)))
    (local.set $next (i16x8.extract_lane_u 3 (local.get $high)))
    (local.set $last (select (local.get $next) (local.get $last) (i32.gt_u (local.get $next) (local.get $last))))
    (local.set $next (i16x8.extract_lane_u 5 (local.get $high)))
    (local.set $last (select (local.get $next) (local.get $last) (i32.gt_u (local.get $next) (local.get $last))))
    (local.get $first)
    (local.get $last))

  ;; Two cells' sums along depth, as f32 in the lower half.
  (func $along (param $at i32) (result v128)
    (f32x4.demote_f64x2_zero
      (f64x2.add
        (f64x2.add
          (f64x2.add (v128.load (local.get $at)) (v128.load offset=32 (local.get $at)))
          (f64x2.mul
            (f64x2.add (v128.load offset=8 (local.get $at)) (v128.load offset=24 (local.get $at)))
            (v128.const f64x2 4 4)))
        (f64x2.mul (v128.load offset=16 (local.get $at)) (v128.const f64x2 6 6)))))

  ;; `grid` has columns of `column` bytes, as build leaves them: three of zeros all around, and zeros outside of ranges. `bases`
  ;; holds an f64 a raw word; `sums` and `weights` have room for as many and four more. `grid` and `range` are where the
  ;; padding begins. `pairs` is what a column of the blurred grid takes.
  (func (export "blur")
    (param $grid i32) (param $column i32) (param $range i32) (param $bases i32) (param $sums i32) (param $weights i32)
    (param $blurred i32) (param $pairs i32) (param $columns i32) (param $rows i32) (param $countBit i32) (param $mask i32)
    (local $left i32) (local $across i32) (local $word i32) (local $at i32) (local $end i32) (local $y i32) (local $row i32)
    (local $first i32) (local $last i32)
    (local $v0 v128) (local $v1 v128) (local $v2 v128) (local $v3 v128) (local $v4 v128) (local $bits v128)
    (local $tap v128) (local $count v128) (local $sum v128) (local $base v128)
    (local.set $bits (i32x4.splat (local.get $mask)))
    (local.set $across (i32.shl (i32.add (local.get $columns) (i32.const 6)) (i32.const 2)))
    (local.set $row (i32.mul (local.get $column) (i32.add (local.get $columns) (i32.const 6))))
    (local.set $rows (i32.add (local.get $rows) (i32.const 2)))
    (loop $down
      (local.set $left (i32.add (local.get $columns) (i32.const 2)))
      (loop $right
        ;; Here the 5 × 5 columns begin. The pixels that read this one lie in the inner 3 × 3.
        (local.set $at (i32.add (local.get $range) (i32.add (local.get $across) (i32.const 4))))
        (local.set $v0 (v128.load (local.get $at)))
        (local.set $v1 (v128.load (local.tee $at (i32.add (local.get $at) (local.get $across)))))
        (local.set $v2 (v128.load (i32.add (local.get $at) (local.get $across))))
        (call $span
          (i16x8.min_u (local.get $v0) (i16x8.min_u (local.get $v1) (local.get $v2)))
          (i16x8.max_u (local.get $v0) (i16x8.max_u (local.get $v1) (local.get $v2))))
        (local.set $last) (local.set $first)
        (if (i32.ne (local.get $first) (i32.const 0xffff))
          (then
            ;; Entries first … last + 2 come from the words first … last + 6.
            (local.set $word (local.get $first))
            (loop $words
              (local.set $count (v128.const i32x4 0 0 0 0))
              (local.set $sum (v128.const i32x4 0 0 0 0))
              (local.set $y (i32.const 0))
              (local.set $at (i32.add (local.get $grid) (i32.shl (local.get $word) (i32.const 2))))
              (loop $taps
                (local.set $v0 (v128.load (local.get $at)))
                (local.set $v1 (v128.load (local.tee $end (i32.add (local.get $at) (local.get $column)))))
                (local.set $v2 (v128.load (local.tee $end (i32.add (local.get $end) (local.get $column)))))
                (local.set $v3 (v128.load (local.tee $end (i32.add (local.get $end) (local.get $column)))))
                (local.set $v4 (v128.load (i32.add (local.get $end) (local.get $column))))
                ;; 1 4 6 4 1 by y; and along x below, for counts and sums.
                (local.set $tap
                  (i32x4.splat
                    (select
                      (i32.const 6)
                      (select (i32.const 4) (i32.const 1) (i32.and (local.get $y) (i32.const 1)))
                      (i32.eq (local.get $y) (i32.const 2)))))
                (local.set $count
                  (i32x4.add
                    (local.get $count)
                    (i32x4.mul
                      (local.get $tap)
                      (i32x4.add
                        (i32x4.add
                          (i32x4.add
                            (i32x4.shr_u (local.get $v0) (local.get $countBit))
                            (i32x4.shr_u (local.get $v4) (local.get $countBit)))
                          (i32x4.shl
                            (i32x4.add
                              (i32x4.shr_u (local.get $v1) (local.get $countBit))
                              (i32x4.shr_u (local.get $v3) (local.get $countBit)))
                            (i32.const 2)))
                        (i32x4.mul
                          (i32x4.shr_u (local.get $v2) (local.get $countBit))
                          (v128.const i32x4 6 6 6 6))))))
                (local.set $sum
                  (i32x4.add
                    (local.get $sum)
                    (i32x4.mul
                      (local.get $tap)
                      (i32x4.add
                        (i32x4.add
                          (i32x4.add
                            (v128.and (local.get $v0) (local.get $bits))
                            (v128.and (local.get $v4) (local.get $bits)))
                          (i32x4.shl
                            (i32x4.add
                              (v128.and (local.get $v1) (local.get $bits))
                              (v128.and (local.get $v3) (local.get $bits)))
                            (i32.const 2)))
                        (i32x4.mul
                          (v128.and (local.get $v2) (local.get $bits))
                          (v128.const i32x4 6 6 6 6))))))
                (local.set $at (i32.add (local.get $at) (local.get $row)))
                (br_if $taps (i32.lt_u (local.tee $y (i32.add (local.get $y) (i32.const 1))) (i32.const 5))))
              ;; Offsets in cells become depths; from here on f64, which holds all of it exactly.
              (local.set $at (i32.shl (local.get $word) (i32.const 3)))
              (local.set $end (i32.add (local.get $bases) (local.get $at)))
              (local.set $base (f64x2.convert_low_i32x4_u (local.get $count)))
              (v128.store (i32.add (local.get $weights) (local.get $at)) (local.get $base))
              (v128.store (i32.add (local.get $sums) (local.get $at))
                (f64x2.add
                  (f64x2.convert_low_i32x4_u (local.get $sum))
                  (f64x2.mul (local.get $base) (v128.load (local.get $end)))))
              (local.set $base
                (f64x2.convert_low_i32x4_u
                  (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $count) (local.get $count))))
              (v128.store offset=16 (i32.add (local.get $weights) (local.get $at)) (local.get $base))
              (v128.store offset=16 (i32.add (local.get $sums) (local.get $at))
                (f64x2.add
                  (f64x2.convert_low_i32x4_u
                    (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $sum) (local.get $sum)))
                  (f64x2.mul (local.get $base) (v128.load offset=16 (local.get $end)))))
              (br_if $words
                (i32.le_u
                  (local.tee $word (i32.add (local.get $word) (i32.const 4)))
                  (i32.add (local.get $last) (i32.const 6)))))
            (local.set $at (i32.shl (local.get $first) (i32.const 3)))
            (local.set $end (i32.shl (i32.add (local.get $last) (i32.const 2)) (i32.const 3)))
            (loop $entries
              (v128.store (i32.add (local.get $blurred) (local.get $at))
                (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23
                  (call $along (i32.add (local.get $sums) (local.get $at)))
                  (call $along (i32.add (local.get $weights) (local.get $at)))))
              (br_if $entries
                (i32.le_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))))
        (local.set $blurred (i32.add (local.get $blurred) (local.get $pairs)))
        (local.set $grid (i32.add (local.get $grid) (local.get $column)))
        (local.set $range (i32.add (local.get $range) (i32.const 4)))
        (br_if $right (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
      (local.set $grid (i32.add (local.get $grid) (i32.shl (local.get $column) (i32.const 2))))
      (local.set $range (i32.add (local.get $range) (i32.const 16)))
      (br_if $down (local.tee $rows (i32.sub (local.get $rows) (i32.const 1)))))))
