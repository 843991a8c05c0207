;; slice of cpu.ts, two pixels at a time where they lie between the same cells: the lanes of a vector of f64.
(module
  (import "twin" "memory" (memory 0))

  ;; `depth` and `filtered` are u16; `positionOf` as `DepthAxis` has it; `blurred` has pairs of f32, a column of it takes
  ;; `across` bytes, a row `down`. A pixel past the last is read and written, too.
  (func (export "slice")
    (param $depth i32) (param $filtered i32) (param $width i32) (param $height i32) (param $positionOf i32)
    (param $blurred i32) (param $across i32) (param $down i32) (param $space i32)
    (local $y i32) (local $left i32) (local $x i32) (local $right i32) (local $base i32)
    (local $pixel i32) (local $position i32) (local $next i32) (local $count i32) (local $p i32) (local $held i32) (local $at i32)
    (local $v f64) (local $fy v128) (local $step v128) (local $fx v128) (local $tx v128) (local $tz v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $wa v128) (local $wb v128) (local $wc v128) (local $wd v128)
    (local.set $step (f64x2.splat (f64.div (f64.const 1) (f64.convert_i32_u (local.get $space)))))
    (loop $rows
      ;; From the centre of the row of columns before the first.
      (local.set $v
        (f64.div
          (f64.convert_i32_u (i32.add (i32.add (i32.shl (local.get $y) (i32.const 1)) (i32.const 1)) (local.get $space)))
          (f64.convert_i32_u (i32.shl (local.get $space) (i32.const 1)))))
      (local.set $fy (f64x2.splat (f64.sub (local.get $v) (f64.floor (local.get $v)))))
      (local.set $base
        (i32.add (local.get $blurred) (i32.mul (i32.trunc_f64_u (local.get $v)) (local.get $down))))
      (local.set $left (i32.sub (i32.const 0) (i32.shr_u (local.get $space) (i32.const 1))))
      (local.set $x (i32.const 0))
      (loop $between
        (local.set $right (i32.add (local.get $left) (local.get $space)))
        (local.set $right
          (select (local.get $right) (local.get $width) (i32.lt_s (local.get $right) (local.get $width))))
        (local.set $fx
          (f64x2.add
            (f64x2.splat (f64.convert_i32_s (i32.sub (local.get $x) (local.get $left))))
            (v128.const f64x2 0.5 1.5)))
        (local.set $held (i32.const -1))
        (loop $pixels
          (local.set $pixel (i32.load16_u (local.get $depth)))
          (local.set $position
            (i32.load (i32.add (local.get $positionOf) (i32.shl (local.get $pixel) (i32.const 2)))))
          (local.set $count (i32.const 0))
          (if (i32.lt_s (local.get $position) (i32.const 0))
            (then (i32.store16 (local.get $filtered) (local.get $pixel)))
            (else
              (local.set $p (i32.shr_u (local.get $position) (i32.const 16)))
              (if (i32.ne (local.get $p) (local.get $held))
                (then
                  ;; a + x·b + z·(c + x·d) of sums and weights, where z is in 1/65536 of a cell.
                  (local.set $held (local.get $p))
                  (local.set $at (i32.add (local.get $base) (i32.shl (local.get $p) (i32.const 3))))
                  (local.set $a (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $at))))
                  (local.set $a
                    (f64x2.add
                      (local.get $a)
                      (f64x2.mul
                        (local.get $fy)
                        (f64x2.sub
                          (f64x2.promote_low_f32x4 (v128.load64_zero (i32.add (local.get $at) (local.get $down))))
                          (local.get $a)))))
                  (local.set $c (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $at))))
                  (local.set $c
                    (f64x2.add
                      (local.get $c)
                      (f64x2.mul
                        (local.get $fy)
                        (f64x2.sub
                          (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (i32.add (local.get $at) (local.get $down))))
                          (local.get $c)))))
                  (local.set $at (i32.add (local.get $at) (local.get $across)))
                  (local.set $b (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $at))))
                  (local.set $b
                    (f64x2.add
                      (local.get $b)
                      (f64x2.mul
                        (local.get $fy)
                        (f64x2.sub
                          (f64x2.promote_low_f32x4 (v128.load64_zero (i32.add (local.get $at) (local.get $down))))
                          (local.get $b)))))
                  (local.set $d (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $at))))
                  (local.set $d
                    (f64x2.add
                      (local.get $d)
                      (f64x2.mul
                        (local.get $fy)
                        (f64x2.sub
                          (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (i32.add (local.get $at) (local.get $down))))
                          (local.get $d)))))
                  (local.set $b (f64x2.sub (local.get $b) (local.get $a)))
                  (local.set $c (f64x2.sub (local.get $c) (local.get $a)))
                  (local.set $d
                    (f64x2.sub
                      (f64x2.sub (f64x2.sub (local.get $d) (local.get $a)) (local.get $b))
                      (local.get $c)))
                  (local.set $c (f64x2.mul (local.get $c) (v128.const f64x2 0x1p-16 0x1p-16)))
                  (local.set $d (f64x2.mul (local.get $d) (v128.const f64x2 0x1p-16 0x1p-16)))
                  (local.set $wa (f64x2.splat (f64x2.extract_lane 1 (local.get $a))))
                  (local.set $wb (f64x2.splat (f64x2.extract_lane 1 (local.get $b))))
                  (local.set $wc (f64x2.splat (f64x2.extract_lane 1 (local.get $c))))
                  (local.set $wd (f64x2.splat (f64x2.extract_lane 1 (local.get $d))))
                  (local.set $a (f64x2.splat (f64x2.extract_lane 0 (local.get $a))))
                  (local.set $b (f64x2.splat (f64x2.extract_lane 0 (local.get $b))))
                  (local.set $c (f64x2.splat (f64x2.extract_lane 0 (local.get $c))))
                  (local.set $d (f64x2.splat (f64x2.extract_lane 0 (local.get $d))))))
              (local.set $next
                (i32.load
                  (i32.add
                    (local.get $positionOf)
                    (i32.shl (i32.load16_u offset=2 (local.get $depth)) (i32.const 2)))))
              (local.set $count
                (i32.and
                  (i32.eq (i32.shr_s (local.get $next) (i32.const 16)) (local.get $held))
                  (i32.lt_s (i32.add (local.get $x) (i32.const 1)) (local.get $right))))
              (local.set $tx (f64x2.mul (local.get $fx) (local.get $step)))
              (local.set $tz
                (f64x2.convert_low_i32x4_s
                  (v128.and
                    (i32x4.replace_lane 1 (i32x4.splat (local.get $position)) (local.get $next))
                    (v128.const i32x4 0xffff 0xffff 0 0))))
              ;; The second one is written, too, if it is not of this box: its turn comes next.
              (v128.store32_lane 0
                (local.get $filtered)
                (i16x8.narrow_i32x4_u
                  (i32x4.max_s
                    (v128.const i32x4 1 1 1 1)
                    (i32x4.trunc_sat_f64x2_s_zero
                      (f64x2.add
                        (v128.const f64x2 0.5 0.5)
                        (f64x2.div
                          (f64x2.add
                            (f64x2.add (local.get $a) (f64x2.mul (local.get $tx) (local.get $b)))
                            (f64x2.mul
                              (local.get $tz)
                              (f64x2.add (local.get $c) (f64x2.mul (local.get $tx) (local.get $d)))))
                          (f64x2.add
                            (f64x2.add (local.get $wa) (f64x2.mul (local.get $tx) (local.get $wb)))
                            (f64x2.mul
                              (local.get $tz)
                              (f64x2.add (local.get $wc) (f64x2.mul (local.get $tx) (local.get $wd)))))))))
                  (v128.const i32x4 0 0 0 0)))))
          (if (local.get $count)
            (then
              (local.set $fx (f64x2.add (local.get $fx) (v128.const f64x2 2 2)))
              (local.set $depth (i32.add (local.get $depth) (i32.const 4)))
              (local.set $filtered (i32.add (local.get $filtered) (i32.const 4)))
              (local.set $x (i32.add (local.get $x) (i32.const 2))))
            (else
              (local.set $fx (f64x2.add (local.get $fx) (v128.const f64x2 1 1)))
              (local.set $depth (i32.add (local.get $depth) (i32.const 2)))
              (local.set $filtered (i32.add (local.get $filtered) (i32.const 2)))
              (local.set $x (i32.add (local.get $x) (i32.const 1)))))
          (br_if $pixels (i32.lt_s (local.get $x) (local.get $right))))
        (local.set $base (i32.add (local.get $base) (local.get $across)))
        (local.set $left (i32.add (local.get $left) (local.get $space)))
        (br_if $between (i32.lt_s (local.get $x) (local.get $width))))
      (br_if $rows (i32.lt_u (local.tee $y (i32.add (local.get $y) (i32.const 1))) (local.get $height))))
  )
)
