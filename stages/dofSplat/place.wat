;; Runs of points become patches of the picture, four at a time: as project.ts has it, in its order and with its names. `view` is what
;; view.ts writes.
(module
  (import "twin" "memory" (memory 0))
  (global $depth (mut i32) (i32.const 0))
  (global $columns (mut i32) (i32.const 0))
  (global $rows (mut i32) (i32.const 0))
  (global $unit (mut v128) (v128.const f32x4 0 0 0 0))

  ;; `runs` end at `end`, and up to three past that are taken, too; of each four 144 bytes of `patches` then hold, a vector each: where they
  ;; are in the picture (x, y), a patch's axis (x, y), how long it is along that and how high across, negative for a run, its area,
  ;; distance and colour. `depth` is u16, `columns` x `rows`.
  (func (export "place")
    (param $runs i32) (param $end i32) (param $depth i32) (param $columns i32) (param $rows i32) (param $view i32)
    (param $patches i32)
    (local $m0 v128) (local $m1 v128) (local $m2 v128) (local $m4 v128) (local $m5 v128) (local $m6 v128) (local $m8 v128)
    (local $m9 v128) (local $m10 v128) (local $m12 v128) (local $m13 v128) (local $focalX v128) (local $focalY v128)
    (local $centreX v128) (local $centreY v128) (local $stepX v128) (local $stepY v128) (local $pointScale v128)
    (local $a v128) (local $b v128) (local $c v128)
    (local $d v128) (local $x v128) (local $y v128) (local $z v128) (local $colour v128) (local $distance v128)
    (local $pixel v128) (local $members v128) (local $firstZ v128) (local $inverse v128) (local $px v128) (local $py v128)
    (local $perX v128) (local $perY v128) (local $rightX v128) (local $rightY v128) (local $downX v128) (local $downY v128)
    (local $rayX v128) (local $rayY v128) (local $rayZ v128) (local $deeperX v128) (local $deeperY v128) (local $u v128)
    (local $v v128) (local $toLeft v128) (local $toRight v128) (local $toUp v128) (local $toDown v128) (local $own v128)
    (local $zLeft v128) (local $zRight v128) (local $zUp v128) (local $zDown v128) (local $one v128) (local $besides v128)
    (local $downwards v128) (local $middle v128) (local $middle2 v128) (local $long v128) (local $high v128) (local $size v128) (local $size2 v128) (local $rightX1 v128) (local $rightY1 v128) (local $rightX2 v128) (local $rightY2 v128)
    (local $downX1 v128) (local $downY1 v128) (local $downX2 v128) (local $downY2 v128) (local $wide v128)
    (local $first v128) (local $least v128) (local $along v128) (local $alongX v128) (local $alongY v128)
    (local $across v128)
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
    (local.set $pointScale (v128.load32_splat offset=104 (local.get $view)))
    (global.set $unit (v128.load32_splat offset=116 (local.get $view)))
    (global.set $depth (local.get $depth))
    (global.set $columns (local.get $columns))
    (global.set $rows (local.get $rows))
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
        (local.set $u (i32x4.shr_s (i32x4.shl (local.get $pixel) (i32.const 16)) (i32.const 16)))
        (local.set $v (i32x4.shr_s (i32x4.sub (local.get $pixel) (local.get $u)) (i32.const 16)))
        (local.set $long (local.get $members))
        (local.set $high (v128.const f32x4 1 1 1 1))
        (local.set $middle (v128.const f32x4 0 0 0 0))
        (local.set $middle2 (v128.const f32x4 0 0 0 0))
        (local.set $toLeft (v128.const f32x4 0 0 0 0))
        (local.set $toRight (v128.const f32x4 0 0 0 0))
        (local.set $toUp (v128.const f32x4 0 0 0 0))
        (local.set $toDown (v128.const f32x4 0 0 0 0))
        (if (i32.eqz (i32.and (i32x4.all_true (local.get $own)) (call $inMidst (local.get $pixel))))
          (then
            (local.set $zLeft (call $depthAt (i32x4.add (local.get $u) (v128.const i32x4 -1 -1 -1 -1)) (local.get $v)))
            (local.set $zRight (call $depthAt (i32x4.add (local.get $u) (v128.const i32x4 1 1 1 1)) (local.get $v)))
            (local.set $zUp (call $depthAt (local.get $u) (i32x4.add (local.get $v) (v128.const i32x4 -1 -1 -1 -1))))
            (local.set $zDown (call $depthAt (local.get $u) (i32x4.add (local.get $v) (v128.const i32x4 1 1 1 1))))
            (local.set $one (f32x4.eq (local.get $members) (v128.const f32x4 1 1 1 1)))
            (local.set $besides
              (call $goesOn
                (local.get $u)
                (local.get $v)
                (v128.and (local.get $one) (call $wayOf (local.get $zLeft) (local.get $zRight) (local.get $z)))
                (v128.const i32x4 0 0 0 0)
                (local.get $z)))
            (local.set $downwards
              (call $goesOn
                (local.get $u)
                (local.get $v)
                (v128.const i32x4 0 0 0 0)
                (v128.and (local.get $one) (call $wayOf (local.get $zUp) (local.get $zDown) (local.get $z)))
                (local.get $z)))
            (local.set $toRight
              (v128.bitselect
                (f32x4.neg (call $rise (local.get $zLeft) (local.get $firstZ)))
                (call $rise (local.get $zRight) (local.get $firstZ))
                (f32x4.gt (local.get $besides) (v128.const f32x4 0 0 0 0))))
            (local.set $toLeft
              (v128.bitselect
                (f32x4.neg (local.get $toRight))
                (call $rise (local.get $zLeft) (local.get $firstZ))
                (f32x4.lt (local.get $besides) (v128.const f32x4 0 0 0 0))))
            (local.set $toDown
              (v128.bitselect
                (f32x4.neg (call $rise (local.get $zUp) (local.get $firstZ)))
                (call $rise (local.get $zDown) (local.get $firstZ))
                (f32x4.gt (local.get $downwards) (v128.const f32x4 0 0 0 0))))
            (local.set $toUp
              (v128.bitselect
                (f32x4.neg (local.get $toDown))
                (call $rise (local.get $zUp) (local.get $firstZ))
                (f32x4.lt (local.get $downwards) (v128.const f32x4 0 0 0 0))))
            (local.set $long (f32x4.add (local.get $members) (f32x4.abs (local.get $besides))))
            (local.set $high (f32x4.add (v128.const f32x4 1 1 1 1) (f32x4.abs (local.get $downwards))))
            (local.set $middle
              (f32x4.div (f32x4.mul (v128.const f32x4 0.5 0.5 0.5 0.5) (local.get $besides)) (local.get $long)))
            (local.set $middle2
              (f32x4.div (f32x4.mul (v128.const f32x4 0.5 0.5 0.5 0.5) (local.get $downwards)) (local.get $high)))))
        (local.set $size (f32x4.mul (local.get $pointScale) (local.get $long)))
        (local.set $size2 (f32x4.mul (local.get $pointScale) (local.get $high)))
        (local.set $rightX1
          (f32x4.mul
            (local.get $size)
            (f32x4.add (local.get $rightX) (f32x4.mul (local.get $deeperX) (local.get $toRight)))))
        (local.set $rightY1
          (f32x4.mul
            (local.get $size)
            (f32x4.add (local.get $rightY) (f32x4.mul (local.get $deeperY) (local.get $toRight)))))
        (local.set $rightX2
          (f32x4.mul
            (local.get $size)
            (f32x4.sub (local.get $rightX) (f32x4.mul (local.get $deeperX) (local.get $toLeft)))))
        (local.set $rightY2
          (f32x4.mul
            (local.get $size)
            (f32x4.sub (local.get $rightY) (f32x4.mul (local.get $deeperY) (local.get $toLeft)))))
        (local.set $downX1
          (f32x4.mul
            (local.get $size2)
            (f32x4.add (local.get $downX) (f32x4.mul (local.get $deeperX) (local.get $toDown)))))
        (local.set $downY1
          (f32x4.mul
            (local.get $size2)
            (f32x4.add (local.get $downY) (f32x4.mul (local.get $deeperY) (local.get $toDown)))))
        (local.set $downX2
          (f32x4.mul
            (local.get $size2)
            (f32x4.sub (local.get $downX) (f32x4.mul (local.get $deeperX) (local.get $toUp)))))
        (local.set $downY2
          (f32x4.mul
            (local.get $size2)
            (f32x4.sub (local.get $downY) (f32x4.mul (local.get $deeperY) (local.get $toUp)))))
        ;; right1, right2, down1, down2
        (local.set $a
          (f32x4.add
            (f32x4.mul (local.get $rightX1) (local.get $rightX1))
            (f32x4.mul (local.get $rightY1) (local.get $rightY1))))
        (local.set $b
          (f32x4.add
            (f32x4.mul (local.get $rightX2) (local.get $rightX2))
            (f32x4.mul (local.get $rightY2) (local.get $rightY2))))
        (local.set $c
          (f32x4.add
            (f32x4.mul (local.get $downX1) (local.get $downX1))
            (f32x4.mul (local.get $downY1) (local.get $downY1))))
        (local.set $d
          (f32x4.add
            (f32x4.mul (local.get $downX2) (local.get $downX2))
            (f32x4.mul (local.get $downY2) (local.get $downY2))))
        (local.set $wide
          (f32x4.lt (f32x4.pmax (local.get $c) (local.get $d)) (f32x4.pmax (local.get $a) (local.get $b))))
        (local.set $first
          (v128.bitselect
            (f32x4.le (local.get $d) (local.get $c))
            (f32x4.le (local.get $b) (local.get $a))
            (local.get $wide)))
        (local.set $along
          (f32x4.sqrt
            (v128.bitselect
              (f32x4.pmax (local.get $c) (local.get $d))
              (f32x4.pmax (local.get $a) (local.get $b))
              (local.get $wide))))
        (local.set $alongX
          (v128.bitselect
            (v128.bitselect (local.get $downX1) (local.get $rightX1) (local.get $wide))
            (v128.bitselect (local.get $downX2) (local.get $rightX2) (local.get $wide))
            (local.get $first)))
        (local.set $alongY
          (v128.bitselect
            (v128.bitselect (local.get $downY1) (local.get $rightY1) (local.get $wide))
            (v128.bitselect (local.get $downY2) (local.get $rightY2) (local.get $wide))
            (local.get $first)))
        ;; LEAST
        (local.set $least (f32x4.lt (local.get $along) (v128.const f32x4 0.0625 0.0625 0.0625 0.0625)))
        (local.set $along (f32x4.pmax (local.get $along) (v128.const f32x4 0.0625 0.0625 0.0625 0.0625)))
        (local.set $alongX
          (v128.bitselect (v128.const f32x4 0.0625 0.0625 0.0625 0.0625) (local.get $alongX) (local.get $least)))
        (local.set $alongY (v128.andnot (local.get $alongY) (local.get $least)))
        ;; axisX, axisY
        (local.set $u (f32x4.div (local.get $alongX) (local.get $along)))
        (local.set $v (f32x4.div (local.get $alongY) (local.get $along)))
        ;; height1, height2
        (local.set $a
          (f32x4.sub
            (f32x4.mul (local.get $u) (v128.bitselect (local.get $rightY1) (local.get $downY1) (local.get $wide)))
            (f32x4.mul (local.get $v) (v128.bitselect (local.get $rightX1) (local.get $downX1) (local.get $wide)))))
        (local.set $b
          (f32x4.sub
            (f32x4.mul (local.get $u) (v128.bitselect (local.get $rightY2) (local.get $downY2) (local.get $wide)))
            (f32x4.mul (local.get $v) (v128.bitselect (local.get $rightX2) (local.get $downX2) (local.get $wide)))))
        (local.set $across (f32x4.pmax (f32x4.abs (local.get $a)) (f32x4.abs (local.get $b))))
        ;; bend
        (local.set $a
          (v128.bitselect
            (f32x4.sub (local.get $downX1) (local.get $downX2))
            (f32x4.sub (local.get $rightX1) (local.get $rightX2))
            (local.get $wide)))
        (local.set $b
          (v128.bitselect
            (f32x4.sub (local.get $downY1) (local.get $downY2))
            (f32x4.sub (local.get $rightY1) (local.get $rightY2))
            (local.get $wide)))
        (local.set $a
          (f32x4.abs
            (f32x4.sub
              (f32x4.mul (local.get $u) (local.get $b))
              (f32x4.mul (local.get $v) (local.get $a)))))
        (local.set $across
          (f32x4.pmax
            (f32x4.add (local.get $across) (local.get $a))
            (v128.const f32x4 0.0625 0.0625 0.0625 0.0625)))
        ;; area
        (local.set $c
          (f32x4.mul
            (f32x4.add (local.get $rightX1) (local.get $rightX2))
            (f32x4.add (local.get $downY1) (local.get $downY2))))
        (local.set $d
          (f32x4.mul
            (f32x4.add (local.get $rightY1) (local.get $rightY2))
            (f32x4.add (local.get $downX1) (local.get $downX2))))
        (local.set $c
          (f32x4.mul (v128.const f32x4 0.25 0.25 0.25 0.25) (f32x4.abs (f32x4.sub (local.get $c) (local.get $d)))))
        (local.set $px
          (f32x4.add
            (f32x4.add (f32x4.mul (local.get $focalX) (local.get $px)) (local.get $centreX))
            (f32x4.add (f32x4.mul (local.get $rightX1) (local.get $middle)) (f32x4.mul (local.get $downX1) (local.get $middle2)))))
        (local.set $py
          (f32x4.add
            (f32x4.add (f32x4.mul (local.get $focalY) (local.get $py)) (local.get $centreY))
            (f32x4.add (f32x4.mul (local.get $rightY1) (local.get $middle)) (f32x4.mul (local.get $downY1) (local.get $middle2)))))
        (v128.store (local.get $patches) (local.get $px))
        (v128.store offset=16 (local.get $patches) (local.get $py))
        (v128.store offset=32 (local.get $patches) (local.get $u))
        (v128.store offset=48 (local.get $patches) (local.get $v))
        (v128.store offset=64 (local.get $patches) (local.get $along))
        (v128.store offset=80
          (local.get $patches)
          (v128.or
            (local.get $across)
            (v128.and
              (f32x4.gt (local.get $members) (v128.const f32x4 1 1 1 1))
              (v128.const i32x4 -2147483648 -2147483648 -2147483648 -2147483648))))
        (v128.store offset=96 (local.get $patches) (local.get $c))
        (v128.store offset=112 (local.get $patches) (local.get $distance))
        (v128.store offset=128 (local.get $patches) (local.get $colour))
        (local.set $patches (i32.add (local.get $patches) (i32.const 144)))
        (br_if $next (i32.lt_u (local.tee $runs (i32.add (local.get $runs) (i32.const 128))) (local.get $end))))))

  ;; Whether four pixels, row * 65536 + column, are neighbours with neighbours on all sides: then there is nothing to go on for.
  (func $inMidst (param $pixel v128) (result i32)
    (local $first i32) (local $u i32) (local $v i32) (local $at i32) (local $pitch i32)
    (local.set $first (i32x4.extract_lane 0 (local.get $pixel)))
    (local.set $u (i32.extend16_s (local.get $first)))
    (local.set $v (i32.shr_s (i32.sub (local.get $first) (local.get $u)) (i32.const 16)))
    (local.set $pitch (i32.shl (global.get $columns) (i32.const 1)))
    (if
      (i32.eqz
        (i32.and
          (i32.and
            (i32x4.all_true
              (i32x4.eq (local.get $pixel) (i32x4.add (i32x4.splat (local.get $first)) (v128.const i32x4 0 1 2 3))))
            (i32.gt_s (local.get $u) (i32.const 0)))
          (i32.and
            (i32.lt_s (i32.add (local.get $u) (i32.const 4)) (global.get $columns))
            (i32.and
              (i32.gt_s (local.get $v) (i32.const 0))
              (i32.lt_s (i32.add (local.get $v) (i32.const 1)) (global.get $rows))))))
      (then (return (i32.const 0))))
    (local.set $at
      (i32.add
        (global.get $depth)
        (i32.add (i32.mul (local.get $v) (local.get $pitch)) (i32.shl (local.get $u) (i32.const 1)))))
    (i16x8.all_true
      (i16x8.min_u
        (i16x8.min_u
          (v128.load64_splat (i32.sub (local.get $at) (i32.const 2)))
          (v128.load64_splat offset=2 (local.get $at)))
        (i16x8.min_u
          (v128.load64_splat (i32.sub (local.get $at) (local.get $pitch)))
          (v128.load64_splat (i32.add (local.get $at) (local.get $pitch)))))))

  ;; The distances of pixels of the depth image, 0 where there is none.
  (func $depthAt (param $u v128) (param $v v128) (result v128)
    (local $inside v128) (local $at v128)
    (local.set $inside
      (v128.and
        (i32x4.lt_u (local.get $u) (i32x4.splat (global.get $columns)))
        (i32x4.lt_u (local.get $v) (i32x4.splat (global.get $rows)))))
    (local.set $at
      (i32x4.add
        (i32x4.splat (global.get $depth))
        (v128.and
          (local.get $inside)
          (i32x4.shl
            (i32x4.add (local.get $u) (i32x4.mul (local.get $v) (i32x4.splat (global.get $columns))))
            (i32.const 1)))))
    (f32x4.mul
      (f32x4.convert_i32x4_s
        (v128.and
          (local.get $inside)
          (i32x4.replace_lane 3
            (i32x4.replace_lane 2
              (i32x4.replace_lane 1
                (i32x4.splat (i32.load16_u (i32x4.extract_lane 0 (local.get $at))))
                (i32.load16_u (i32x4.extract_lane 1 (local.get $at))))
              (i32.load16_u (i32x4.extract_lane 2 (local.get $at))))
            (i32.load16_u (i32x4.extract_lane 3 (local.get $at))))))
      (global.get $unit)))

  (func $isSame (param $there v128) (param $z v128) (result v128)
    (f32x4.lt
      (f32x4.abs (f32x4.sub (local.get $there) (local.get $z)))
      (f32x4.mul (v128.const f32x4 0.0203 0.0203 0.0203 0.0203) (local.get $z))))

  (func $rise (param $there v128) (param $z v128) (result v128)
    (v128.and
      (call $isSame (local.get $there) (local.get $z))
      (f32x4.sub (local.get $there) (local.get $z))))

  ;; The way to a hole that a surface comes to: 1 onwards, -1 back, 0 if there is none.
  (func $wayOf (param $before v128) (param $after v128) (param $z v128) (result v128)
    (i32x4.sub
      (v128.and
        (f32x4.eq (local.get $before) (v128.const f32x4 0 0 0 0))
        (call $isSame (local.get $after) (local.get $z)))
      (v128.and
        (f32x4.eq (local.get $after) (v128.const f32x4 0 0 0 0))
        (call $isSame (local.get $before) (local.get $z)))))

  ;; By how many pixels a patch goes on, towards (du, dv), if what is beyond a hole is nearer; negative if that is back.
  (func $goesOn (param $u v128) (param $v v128) (param $du v128) (param $dv v128) (param $z v128) (result v128)
    (local $way v128) (local $wanted v128) (local $step f32) (local $there v128) (local $ended v128) (local $far v128)
    (local.set $way (v128.or (local.get $du) (local.get $dv)))
    (local.set $wanted (i32x4.ne (local.get $way) (v128.const i32x4 0 0 0 0)))
    (local.set $u (i32x4.add (local.get $u) (local.get $du)))
    (local.set $v (i32x4.add (local.get $v) (local.get $dv)))
    (local.set $step (f32.const 2))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (v128.any_true (local.get $wanted))))
        (local.set $u (i32x4.add (local.get $u) (local.get $du)))
        (local.set $v (i32x4.add (local.get $v) (local.get $dv)))
        (local.set $there (call $depthAt (local.get $u) (local.get $v)))
        (local.set $ended
          (v128.and (local.get $wanted) (f32x4.gt (local.get $there) (v128.const f32x4 0 0 0 0))))
        (local.set $wanted (v128.andnot (local.get $wanted) (local.get $ended)))
        ;; UNDER
        (local.set $far
          (v128.bitselect
            (f32x4.splat (f32.sub (f32.const 4) (f32.abs (f32.sub (f32.const 5) (local.get $step)))))
            (local.get $far)
            (v128.and
              (local.get $ended)
              (f32x4.ge
                (f32x4.sub (local.get $z) (local.get $there))
                (f32x4.mul (v128.const f32x4 0.0203 0.0203 0.0203 0.0203) (local.get $z))))))
        (local.set $step (f32.add (local.get $step) (f32.const 1)))
        (br_if $next (f32.le (local.get $step) (f32.const 8)))))
    (f32x4.mul (local.get $far) (f32x4.convert_i32x4_s (local.get $way)))))
