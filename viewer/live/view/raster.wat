;; Points drawn as raster.ts has it, in its order and with its names, four at a time until it comes to the raster:
;;
;;   x y z c              x x x x      at at at at
;;   x y z c    ──►       y y y y  ──► w  w  w  w   ──► one by one, the nearest on top
;;   x y z c              z z z z      c  c  c  c
;;   x y z c              c c c c
(module
  (import "twin" "memory" (memory 0))

  ;; A square with its first pixel at `column`, `row`, cut at the border.
  (func $square
    (param $pixels i32) (param $distances i32) (param $width i32) (param $height i32)
    (param $column i32) (param $row i32) (param $size i32) (param $w i32) (param $word i32)
    (local $left i32) (local $right i32) (local $bottom i32) (local $at i32) (local $end i32)
    (local.set $left (select (local.get $column) (i32.const 0) (i32.gt_s (local.get $column) (i32.const 0))))
    (local.set $right (i32.add (local.get $column) (local.get $size)))
    (local.set $right (select (local.get $right) (local.get $width) (i32.lt_s (local.get $right) (local.get $width))))
    (local.set $bottom (i32.add (local.get $row) (local.get $size)))
    (local.set $bottom
      (select (local.get $bottom) (local.get $height) (i32.lt_s (local.get $bottom) (local.get $height))))
    (local.set $row (select (local.get $row) (i32.const 0) (i32.gt_s (local.get $row) (i32.const 0))))
    (loop $rows
      (local.set $at (i32.shl (i32.add (i32.mul (local.get $row) (local.get $width)) (local.get $left)) (i32.const 2)))
      (local.set $end (i32.shl (i32.add (i32.mul (local.get $row) (local.get $width)) (local.get $right)) (i32.const 2)))
      (loop $next
        (if
          (i32.ge_u
            (i32.sub (i32.load (i32.add (local.get $distances) (local.get $at))) (i32.const 1))
            (local.get $w))
          (then
            (i32.store (i32.add (local.get $distances) (local.get $at)) (local.get $w))
            (i32.store (i32.add (local.get $pixels) (local.get $at)) (local.get $word))))
        (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $end))))
      (br_if $rows (i32.lt_s (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $bottom)))))

  ;; `points` are whole fours. `view` holds the numbers of raster.ts' `viewOf`, 15 f32; `scratch` has room for 80 bytes. Distances
  ;; are compared as whole numbers: what is positive stands in their order, and less 1 nothing, 0, is the farthest.
  (func (export "draw")
    (param $points i32) (param $end i32) (param $view i32) (param $scratch i32)
    (param $pixels i32) (param $distances i32) (param $width i32) (param $height i32) (param $most i32)
    (local $bits i32) (local $larger i32) (local $lane i32) (local $at i32) (local $w i32) (local $there i32) (local $nearer i32)
    (local $xx v128) (local $xy v128) (local $xz v128) (local $x0 v128)
    (local $yx v128) (local $yy v128) (local $yz v128) (local $y0 v128)
    (local $wx v128) (local $wy v128) (local $wz v128) (local $w0 v128)
    (local $left v128) (local $top v128) (local $near v128) (local $grow v128) (local $across v128) (local $down v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $x v128) (local $y v128) (local $z v128) (local $ws v128)
    (local $one v128) (local $mosts v128) (local $sizes v128) (local $half v128)
    (local.set $xx (v128.load32_splat (local.get $view)))
    (local.set $xy (v128.load32_splat offset=4 (local.get $view)))
    (local.set $xz (v128.load32_splat offset=8 (local.get $view)))
    (local.set $x0 (v128.load32_splat offset=12 (local.get $view)))
    (local.set $yx (v128.load32_splat offset=16 (local.get $view)))
    (local.set $yy (v128.load32_splat offset=20 (local.get $view)))
    (local.set $yz (v128.load32_splat offset=24 (local.get $view)))
    (local.set $y0 (v128.load32_splat offset=28 (local.get $view)))
    (local.set $wx (v128.load32_splat offset=32 (local.get $view)))
    (local.set $wy (v128.load32_splat offset=36 (local.get $view)))
    (local.set $wz (v128.load32_splat offset=40 (local.get $view)))
    (local.set $w0 (v128.load32_splat offset=44 (local.get $view)))
    (local.set $left (v128.load32_splat offset=48 (local.get $view)))
    (local.set $top (v128.load32_splat offset=52 (local.get $view)))
    (local.set $near (f32x4.splat (f32.const 0.02)))
    (local.set $grow (v128.load32_splat offset=56 (local.get $view)))
    (local.set $one (f32x4.splat (f32.const 1)))
    (local.set $mosts (f32x4.convert_i32x4_s (i32x4.splat (local.get $most))))
    (local.set $across (f32x4.convert_i32x4_s (i32x4.splat (local.get $width))))
    (local.set $down (f32x4.convert_i32x4_s (i32x4.splat (local.get $height))))
    (loop $fours
      (local.set $a (v128.load (local.get $points)))
      (local.set $b (v128.load offset=16 (local.get $points)))
      (local.set $c (v128.load offset=32 (local.get $points)))
      (local.set $d (v128.load offset=48 (local.get $points)))
      (local.set $x (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b)))
      (local.set $y (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d)))
      (local.set $a (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b)))
      (local.set $c (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d)))
      (local.set $z (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $c)))
      (v128.store offset=32 (local.get $scratch)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $c)))
      (local.set $a (local.get $x))
      (local.set $x (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $y)))
      (local.set $y (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $y)))
      (local.set $ws
        (f32x4.add
          (f32x4.add (f32x4.mul (local.get $wx) (local.get $x)) (f32x4.mul (local.get $wy) (local.get $y)))
          (f32x4.add (f32x4.mul (local.get $wz) (local.get $z)) (local.get $w0))))
      ;; Where nothing is larger than a pixel there is no more to compute.
      (local.set $sizes (local.get $one))
      (local.set $half (f32x4.mul (local.get $grow) (local.get $z)))
      (local.set $larger
        (v128.any_true
          (v128.and (f32x4.gt (local.get $half) (local.get $ws)) (f32x4.gt (local.get $ws) (local.get $near)))))
      (if (local.get $larger)
        (then
          (local.set $sizes
            (f32x4.max
              (local.get $one)
              (f32x4.min (local.get $mosts) (f32x4.ceil (f32x4.div (local.get $half) (local.get $ws))))))))
      (local.set $half
        (f32x4.mul (f32x4.splat (f32.const 0.5)) (f32x4.sub (local.get $sizes) (local.get $one))))
      ;; column, row
      (local.set $a
        (f32x4.floor
          (f32x4.add
            (f32x4.sub (local.get $left) (local.get $half))
            (f32x4.div
              (f32x4.add
                (f32x4.add (f32x4.mul (local.get $xx) (local.get $x)) (f32x4.mul (local.get $xy) (local.get $y)))
                (f32x4.add (f32x4.mul (local.get $xz) (local.get $z)) (local.get $x0)))
              (local.get $ws)))))
      (local.set $b
        (f32x4.floor
          (f32x4.add
            (f32x4.sub (local.get $top) (local.get $half))
            (f32x4.div
              (f32x4.add
                (f32x4.add (f32x4.mul (local.get $yx) (local.get $x)) (f32x4.mul (local.get $yy) (local.get $y)))
                (f32x4.add (f32x4.mul (local.get $yz) (local.get $z)) (local.get $y0)))
              (local.get $ws)))))
      ;; What is left of this column, or above this row, is not to be seen.
      (local.set $half (f32x4.sub (local.get $one) (local.get $sizes)))
      (local.set $bits
        (i32x4.bitmask
          (v128.and
            (f32x4.gt (local.get $ws) (local.get $near))
            (v128.and
              (v128.and (f32x4.ge (local.get $a) (local.get $half)) (f32x4.lt (local.get $a) (local.get $across)))
              (v128.and (f32x4.ge (local.get $b) (local.get $half)) (f32x4.lt (local.get $b) (local.get $down)))))))
      (block $none
        (br_if $none (i32.eqz (local.get $bits)))
        (v128.store offset=16 (local.get $scratch) (local.get $ws))
        (if (i32.eqz (local.get $larger))
          (then
            (v128.store
              (local.get $scratch)
              (i32x4.shl
                (i32x4.trunc_sat_f32x4_s
                  (f32x4.add (f32x4.mul (local.get $b) (local.get $across)) (local.get $a)))
                (i32.const 2)))
            (loop $next
              (local.set $lane (i32.add (local.get $scratch) (i32.shl (i32.ctz (local.get $bits)) (i32.const 2))))
              (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
              (local.set $at (i32.load (local.get $lane)))
              (local.set $w (i32.load offset=16 (local.get $lane)))
              (local.set $there (i32.load (i32.add (local.get $distances) (local.get $at))))
              (local.set $nearer (i32.ge_u (i32.sub (local.get $there) (i32.const 1)) (local.get $w)))
              (i32.store (i32.add (local.get $distances) (local.get $at))
                (select (local.get $w) (local.get $there) (local.get $nearer)))
              (local.set $at (i32.add (local.get $pixels) (local.get $at)))
              (i32.store (local.get $at)
                (select (i32.load offset=32 (local.get $lane)) (i32.load (local.get $at)) (local.get $nearer)))
              (br_if $next (local.get $bits))))
          (else
            (v128.store (local.get $scratch) (i32x4.trunc_sat_f32x4_s (local.get $a)))
            (v128.store offset=48 (local.get $scratch) (i32x4.trunc_sat_f32x4_s (local.get $b)))
            (v128.store offset=64 (local.get $scratch) (i32x4.trunc_sat_f32x4_s (local.get $sizes)))
            (loop $next
              (local.set $lane (i32.add (local.get $scratch) (i32.shl (i32.ctz (local.get $bits)) (i32.const 2))))
              (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
              (call $square
                (local.get $pixels) (local.get $distances) (local.get $width) (local.get $height)
                (i32.load (local.get $lane)) (i32.load offset=48 (local.get $lane))
                (i32.load offset=64 (local.get $lane))
                (i32.load offset=16 (local.get $lane)) (i32.load offset=32 (local.get $lane)))
              (br_if $next (local.get $bits))))))
      (br_if $fours
        (i32.lt_u (local.tee $points (i32.add (local.get $points) (i32.const 64))) (local.get $end))))))
