;; slice of cpu.ts, a pixel at a time; sum and weight are the two lanes of a vector of f64.
(module
  (import "twin" "memory" (memory 0))

  ;; The pair at `at` and the one `down` bytes on, mixed by `t`.
  (func $mixed (param $at i32) (param $down i32) (param $t v128) (result v128)
    (local $near v128)
    (local.set $near (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $at))))
    (f64x2.add
      (local.get $near)
      (f64x2.mul
        (local.get $t)
        (f64x2.sub
          (f64x2.promote_low_f32x4 (v128.load64_zero (i32.add (local.get $at) (local.get $down))))
          (local.get $near)))))

  ;; `depth` and `filtered` are u16; `positionOf` as `DepthAxis` has it; `blurred` has pairs of f32, a column of it takes
  ;; `across` bytes, a row `down`.
  (func (export "slice")
    (param $depth i32) (param $filtered i32) (param $width i32) (param $height i32) (param $positionOf i32)
    (param $blurred i32) (param $across i32) (param $down i32) (param $space i32)
    (local $y i32) (local $left i32) (local $x i32) (local $right i32) (local $base i32)
    (local $pixel i32) (local $position i32) (local $p i32) (local $held i32) (local $at i32)
    (local $fy v128) (local $v f64) (local $step f64) (local $fx f64) (local $tx v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $step (f64.div (f64.const 1) (f64.convert_i32_u (local.get $space))))
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
        (local.set $fx (f64.add (f64.convert_i32_s (i32.sub (local.get $x) (local.get $left))) (f64.const 0.5)))
        (local.set $held (i32.const -1))
        (loop $pixels
          (local.set $pixel (i32.load16_u (local.get $depth)))
          (local.set $position
            (i32.load (i32.add (local.get $positionOf) (i32.shl (local.get $pixel) (i32.const 2)))))
          (if (i32.ge_s (local.get $position) (i32.const 0))
            (then
              (local.set $p (i32.shr_u (local.get $position) (i32.const 16)))
              (if (i32.ne (local.get $p) (local.get $held))
                (then
                  ;; (sum, weight) = a + x·b + z·(c + x·d), where z is in 1/65536 of a cell.
                  (local.set $held (local.get $p))
                  (local.set $at (i32.add (local.get $base) (i32.shl (local.get $p) (i32.const 3))))
                  (local.set $a (call $mixed (local.get $at) (local.get $down) (local.get $fy)))
                  (local.set $c
                    (f64x2.sub
                      (call $mixed (i32.add (local.get $at) (i32.const 8)) (local.get $down) (local.get $fy))
                      (local.get $a)))
                  (local.set $at (i32.add (local.get $at) (local.get $across)))
                  (local.set $b
                    (f64x2.sub (call $mixed (local.get $at) (local.get $down) (local.get $fy)) (local.get $a)))
                  (local.set $d
                    (f64x2.sub
                      (f64x2.sub
                        (f64x2.sub
                          (call $mixed (i32.add (local.get $at) (i32.const 8)) (local.get $down) (local.get $fy))
                          (local.get $a))
                        (local.get $b))
                      (local.get $c)))
                  (local.set $c (f64x2.mul (local.get $c) (v128.const f64x2 0x1p-16 0x1p-16)))
                  (local.set $d (f64x2.mul (local.get $d) (v128.const f64x2 0x1p-16 0x1p-16)))))
              (local.set $tx (f64x2.splat (f64.mul (local.get $fx) (local.get $step))))
              (local.set $tx
                (f64x2.add
                  (f64x2.add (local.get $a) (f64x2.mul (local.get $tx) (local.get $b)))
                  (f64x2.mul
                    (f64x2.splat (f64.convert_i32_s (i32.and (local.get $position) (i32.const 0xffff))))
                    (f64x2.add (local.get $c) (f64x2.mul (local.get $tx) (local.get $d))))))
              ;; A whole number added to 2^52 stands in the float's low bits.
              (local.set $pixel
                (i32.wrap_i64
                  (i64.reinterpret_f64
                    (f64.add
                      (f64.const 0x1p+52)
                      (f64.floor
                        (f64.add
                          (f64.div (f64x2.extract_lane 0 (local.get $tx)) (f64x2.extract_lane 1 (local.get $tx)))
                          (f64.const 0.5)))))))
              (local.set $pixel
                (select (local.get $pixel) (i32.const 1) (i32.gt_s (local.get $pixel) (i32.const 0))))))
          (i32.store16 (local.get $filtered) (local.get $pixel))
          (local.set $fx (f64.add (local.get $fx) (f64.const 1)))
          (local.set $depth (i32.add (local.get $depth) (i32.const 2)))
          (local.set $filtered (i32.add (local.get $filtered) (i32.const 2)))
          (br_if $pixels (i32.lt_s (local.tee $x (i32.add (local.get $x) (i32.const 1))) (local.get $right))))
        (local.set $base (i32.add (local.get $base) (local.get $across)))
        (local.set $left (i32.add (local.get $left) (local.get $space)))
        (br_if $between (i32.lt_s (local.get $x) (local.get $width))))
      (br_if $rows (i32.lt_u (local.tee $y (i32.add (local.get $y) (i32.const 1))) (local.get $height))))
  )
)
