;; Where runs of points are in the picture, and how it moves with the sensor's pixel, four at a time: as project.ts has it, in its order and
;; with its names. `view` is what view.ts writes.
(module
  (import "twin" "memory" (memory 0 65536))

  ;; `runs` end at `end`, and up to three past that are taken, too. Of each four 304 bytes of `places` then hold, a vector each: x and y,
  ;; px; how many px one sensor pixel right moves (x, y), one down, and a metre deeper, 0 where that is as good as from the sensor's own
  ;; place; members, distance, colour, z, the first one's z, and pixel; room for five more.
  (func (export "place") (param $runs i32) (param $end i32) (param $view i32) (param $places i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $px v128) (local $py v128) (local $x v128)
    (local $y v128) (local $z v128) (local $colour v128) (local $distance v128) (local $pixel v128)
    (local $members v128) (local $firstZ v128) (local $inverse v128) (local $m0 v128) (local $m4 v128)
    (local $m8 v128) (local $m12 v128) (local $m1 v128) (local $m5 v128) (local $m9 v128) (local $m13 v128)
    (local $perX v128) (local $focalX v128) (local $perY v128) (local $focalY v128) (local $stepX v128)
    (local $stepY v128) (local $rightX v128) (local $m2 v128) (local $rightY v128) (local $downX v128)
    (local $m6 v128) (local $downY v128) (local $rayX v128) (local $rayY v128) (local $rayZ v128) (local $m10 v128)
    (local $deeperX v128) (local $deeperY v128) (local $own v128) (local $centreX v128) (local $centreY v128)
    (local.set $m0 (v128.load32_splat (local.get $view)))
    (local.set $m1 (v128.load32_splat offset=4 (local.get $view)))
    (local.set $m2 (v128.load32_splat offset=8 (local.get $view)))
    (local.set $m4 (v128.load32_splat offset=16 (local.get $view)))
    (local.set $m5 (v128.load32_splat offset=20 (local.get $view)))
    (local.set $m6 (v128.load32_splat offset=24 (local.get $view)))
    (local.set $m8 (v128.load32_splat offset=32 (local.get $view)))
    (local.set $m9 (v128.load32_splat offset=36 (local.get $view)))
    (local.set $m10 (v128.load32_splat offset=40 (local.get $view)))
    (local.set $m12 (v128.load32_splat offset=48 (local.get $view)))
    (local.set $m13 (v128.load32_splat offset=52 (local.get $view)))
    (local.set $focalX (v128.load32_splat offset=64 (local.get $view)))
    (local.set $focalY (v128.load32_splat offset=68 (local.get $view)))
    (local.set $centreX (v128.load32_splat offset=72 (local.get $view)))
    (local.set $centreY (v128.load32_splat offset=76 (local.get $view)))
    (local.set $stepX (v128.load32_splat offset=96 (local.get $view)))
    (local.set $stepY (v128.load32_splat offset=100 (local.get $view)))
    (block $done
      (br_if $done (i32.ge_u (local.get $runs) (local.get $end)))
      (loop $next
        (local.set $a (v128.load (local.get $runs)))
        (local.set $b (v128.load offset=32 (local.get $runs)))
        (local.set $c (v128.load offset=64 (local.get $runs)))
        (local.set $d (v128.load offset=96 (local.get $runs)))
        (local.set $px (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b)))
        (local.set $py (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d)))
        (local.set $x (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $px) (local.get $py)))
        (local.set $y (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $px) (local.get $py)))
        (local.set $px (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b)))
        (local.set $py (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d)))
        (local.set $z (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $px) (local.get $py)))
        (local.set $colour (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $px) (local.get $py)))
        (local.set $a (v128.load offset=16 (local.get $runs)))
        (local.set $b (v128.load offset=48 (local.get $runs)))
        (local.set $c (v128.load offset=80 (local.get $runs)))
        (local.set $d (v128.load offset=112 (local.get $runs)))
        (local.set $px (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b)))
        (local.set $py (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d)))
        (local.set $distance (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $px) (local.get $py)))
        (local.set $pixel (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $px) (local.get $py)))
        (local.set $px (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b)))
        (local.set $py (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d)))
        (local.set $members (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $px) (local.get $py)))
        (local.set $firstZ (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $px) (local.get $py)))
        (local.set $inverse (f32x4.div (v128.const f32x4 1 1 1 1) (local.get $distance)))
        ;; The view's x and y over its z; then in px what one sensor pixel right, one down, and a metre deeper move.
        (local.set $px
          (f32x4.div
            (f32x4.add
              (f32x4.add
                (f32x4.add (f32x4.mul (local.get $m0) (local.get $x)) (f32x4.mul (local.get $m4) (local.get $y)))
                (f32x4.mul (local.get $m8) (local.get $z)))
              (local.get $m12))
            (local.get $distance)))
        (local.set $py
          (f32x4.div
            (f32x4.add
              (f32x4.add
                (f32x4.add (f32x4.mul (local.get $m1) (local.get $x)) (f32x4.mul (local.get $m5) (local.get $y)))
                (f32x4.mul (local.get $m9) (local.get $z)))
              (local.get $m13))
            (local.get $distance)))
        (local.set $perX (f32x4.mul (local.get $focalX) (local.get $inverse)))
        (local.set $perY (f32x4.mul (local.get $focalY) (local.get $inverse)))
        (local.set $a (f32x4.mul (local.get $z) (local.get $stepX)))
        (local.set $b (f32x4.mul (local.get $z) (local.get $stepY)))
        (local.set $rightX
          (f32x4.mul
            (f32x4.mul (local.get $perX) (f32x4.sub (local.get $m0) (f32x4.mul (local.get $px) (local.get $m2))))
            (local.get $a)))
        (local.set $rightY
          (f32x4.mul
            (f32x4.mul (local.get $perY) (f32x4.sub (local.get $m1) (f32x4.mul (local.get $py) (local.get $m2))))
            (local.get $a)))
        (local.set $downX
          (f32x4.mul
            (f32x4.mul (local.get $perX) (f32x4.sub (local.get $m4) (f32x4.mul (local.get $px) (local.get $m6))))
            (local.get $b)))
        (local.set $downY
          (f32x4.mul
            (f32x4.mul (local.get $perY) (f32x4.sub (local.get $m5) (f32x4.mul (local.get $py) (local.get $m6))))
            (local.get $b)))
        (local.set $rayX (f32x4.div (local.get $x) (local.get $z)))
        (local.set $rayY (f32x4.div (local.get $y) (local.get $z)))
        (local.set $rayZ
          (f32x4.add
            (f32x4.add (f32x4.mul (local.get $m2) (local.get $rayX)) (f32x4.mul (local.get $m6) (local.get $rayY)))
            (local.get $m10)))
        (local.set $deeperX
          (f32x4.mul
            (local.get $perX)
            (f32x4.sub
              (f32x4.add
                (f32x4.add (f32x4.mul (local.get $m0) (local.get $rayX)) (f32x4.mul (local.get $m4) (local.get $rayY)))
                (local.get $m8))
              (f32x4.mul (local.get $px) (local.get $rayZ)))))
        (local.set $deeperY
          (f32x4.mul
            (local.get $perY)
            (f32x4.sub
              (f32x4.add
                (f32x4.add (f32x4.mul (local.get $m1) (local.get $rayX)) (f32x4.mul (local.get $m5) (local.get $rayY)))
                (local.get $m9))
              (f32x4.mul (local.get $py) (local.get $rayZ)))))
        ;; As good as from the sensor's own place. EDGE
        (local.set $own
          (f32x4.le
            (f32x4.mul
              (f32x4.mul (f32x4.pmax (f32x4.abs (local.get $deeperX)) (f32x4.abs (local.get $deeperY))) (local.get $z))
              (v128.const f32x4 0.0203 0.0203 0.0203 0.0203))
            (v128.const f32x4 0.02 0.02 0.02 0.02)))
        (local.set $deeperX (v128.andnot (local.get $deeperX) (local.get $own)))
        (local.set $deeperY (v128.andnot (local.get $deeperY) (local.get $own)))
        (local.set $px (f32x4.add (f32x4.mul (local.get $focalX) (local.get $px)) (local.get $centreX)))
        (local.set $py (f32x4.add (f32x4.mul (local.get $focalY) (local.get $py)) (local.get $centreY)))
        (v128.store (local.get $places) (local.get $px))
        (v128.store offset=16 (local.get $places) (local.get $py))
        (v128.store offset=32 (local.get $places) (local.get $rightX))
        (v128.store offset=48 (local.get $places) (local.get $rightY))
        (v128.store offset=64 (local.get $places) (local.get $downX))
        (v128.store offset=80 (local.get $places) (local.get $downY))
        (v128.store offset=96 (local.get $places) (local.get $deeperX))
        (v128.store offset=112 (local.get $places) (local.get $deeperY))
        (v128.store offset=128 (local.get $places) (local.get $members))
        (v128.store offset=144 (local.get $places) (local.get $distance))
        (v128.store offset=160 (local.get $places) (local.get $colour))
        (v128.store offset=176 (local.get $places) (local.get $z))
        (v128.store offset=192 (local.get $places) (local.get $firstZ))
        (v128.store offset=208 (local.get $places) (local.get $pixel))
        (local.set $places (i32.add (local.get $places) (i32.const 304)))
        (br_if $next (i32.lt_u (local.tee $runs (i32.add (local.get $runs) (i32.const 128))) (local.get $end)))))))
