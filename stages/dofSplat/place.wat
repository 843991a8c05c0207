;; Runs of points become patches of the picture, four at a time: as project.ts has it, in its order and with its names. `view` is what
;; view.ts writes.
(module
  (import "twin" "memory" (memory 0))

  ;; `runs` end at `end`, and up to three past that are taken, too; of each four the 128 bytes then hold, a vector each: where they
  ;; are in the picture (x, y), half a patch (x, y), its area, distance, members and colour. `depth` is u16, `columns` x `rows`.
  (func (export "place")
    (param $runs i32) (param $end i32) (param $depth i32) (param $columns i32) (param $rows i32) (param $view i32)
    (local $m0 v128) (local $m1 v128) (local $m2 v128) (local $m4 v128) (local $m5 v128) (local $m6 v128) (local $m8 v128)
    (local $m9 v128) (local $m10 v128) (local $m12 v128) (local $m13 v128) (local $focalX v128) (local $focalY v128)
    (local $centreX v128) (local $centreY v128) (local $stepX v128) (local $stepY v128) (local $pointScale v128)
    (local $unit v128) (local $halfScale v128) (local $halfReach v128) (local $a v128) (local $b v128) (local $c v128)
    (local $d v128) (local $x v128) (local $y v128) (local $z v128) (local $colour v128) (local $distance v128)
    (local $pixel v128) (local $members v128) (local $firstZ v128) (local $inverse v128) (local $px v128) (local $py v128)
    (local $perX v128) (local $perY v128) (local $rightX v128) (local $rightY v128) (local $downX v128) (local $downY v128)
    (local $rayX v128) (local $rayY v128) (local $rayZ v128) (local $deeperX v128) (local $deeperY v128) (local $u v128)
    (local $v v128) (local $toLeft v128) (local $toRight v128) (local $toUp v128) (local $toDown v128) (local $aside v128)
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
    (local.set $unit (v128.load32_splat offset=116 (local.get $view)))
    (local.set $halfScale (f32x4.mul (v128.const f32x4 0.5 0.5 0.5 0.5) (local.get $pointScale)))
    (local.set $halfReach
      (f32x4.mul (v128.const f32x4 0.5 0.5 0.5 0.5) (v128.load32_splat offset=128 (local.get $view))))
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
        ;; EDGE
        (local.set $aside
          (f32x4.gt
            (f32x4.mul
              (f32x4.mul (f32x4.pmax (f32x4.abs (local.get $deeperX)) (f32x4.abs (local.get $deeperY))) (local.get $z))
              (v128.const f32x4 0.0203 0.0203 0.0203 0.0203))
            (v128.const f32x4 0.02 0.02 0.02 0.02)))
        (local.set $toLeft (v128.const i32x4 0 0 0 0))
        (local.set $toRight (v128.const i32x4 0 0 0 0))
        (local.set $toUp (v128.const i32x4 0 0 0 0))
        (local.set $toDown (v128.const i32x4 0 0 0 0))
        (if (v128.any_true (local.get $aside))
          (then
            (local.set $u (i32x4.shr_s (i32x4.shl (local.get $pixel) (i32.const 16)) (i32.const 16)))
            (local.set $v (i32x4.shr_s (i32x4.sub (local.get $pixel) (local.get $u)) (i32.const 16)))
            (local.set $toLeft
              (v128.and
                (call $rise
                  (local.get $depth)
                  (local.get $columns)
                  (local.get $rows)
                  (i32x4.add (local.get $u) (v128.const i32x4 -1 -1 -1 -1))
                  (local.get $v)
                  (local.get $firstZ)
                  (local.get $unit))
                (local.get $aside)))
            (local.set $toRight
              (v128.and
                (call $rise
                  (local.get $depth)
                  (local.get $columns)
                  (local.get $rows)
                  (i32x4.add (local.get $u) (v128.const i32x4 1 1 1 1))
                  (local.get $v)
                  (local.get $firstZ)
                  (local.get $unit))
                (local.get $aside)))
            (local.set $toUp
              (v128.and
                (call $rise
                  (local.get $depth)
                  (local.get $columns)
                  (local.get $rows)
                  (local.get $u)
                  (i32x4.add (local.get $v) (v128.const i32x4 -1 -1 -1 -1))
                  (local.get $firstZ)
                  (local.get $unit))
                (local.get $aside)))
            (local.set $toDown
              (v128.and
                (call $rise
                  (local.get $depth)
                  (local.get $columns)
                  (local.get $rows)
                  (local.get $u)
                  (i32x4.add (local.get $v) (v128.const i32x4 1 1 1 1))
                  (local.get $firstZ)
                  (local.get $unit))
                (local.get $aside)))))
        ;; across, along
        (local.set $a
          (f32x4.pmax
            (f32x4.abs (f32x4.add (local.get $rightX) (f32x4.mul (local.get $deeperX) (local.get $toRight))))
            (f32x4.abs (f32x4.sub (local.get $rightX) (f32x4.mul (local.get $deeperX) (local.get $toLeft))))))
        (local.set $b
          (f32x4.pmax
            (f32x4.abs (f32x4.add (local.get $rightY) (f32x4.mul (local.get $deeperY) (local.get $toRight))))
            (f32x4.abs (f32x4.sub (local.get $rightY) (f32x4.mul (local.get $deeperY) (local.get $toLeft))))))
        (local.set $c
          (f32x4.pmax
            (f32x4.abs (f32x4.add (local.get $downX) (f32x4.mul (local.get $deeperX) (local.get $toDown))))
            (f32x4.abs (f32x4.sub (local.get $downX) (f32x4.mul (local.get $deeperX) (local.get $toUp))))))
        (local.set $d
          (f32x4.pmax
            (f32x4.abs (f32x4.add (local.get $downY) (f32x4.mul (local.get $deeperY) (local.get $toDown))))
            (f32x4.abs (f32x4.sub (local.get $downY) (f32x4.mul (local.get $deeperY) (local.get $toUp))))))
        (local.set $a
          (f32x4.pmin
            (f32x4.pmax
              (f32x4.mul (local.get $halfScale) (f32x4.add (f32x4.mul (local.get $members) (local.get $a)) (local.get $c)))
              (v128.const f32x4 0.03125 0.03125 0.03125 0.03125))
            (local.get $halfReach)))
        (local.set $b
          (f32x4.pmin
            (f32x4.pmax
              (f32x4.mul (local.get $halfScale) (f32x4.add (f32x4.mul (local.get $members) (local.get $b)) (local.get $d)))
              (v128.const f32x4 0.03125 0.03125 0.03125 0.03125))
            (local.get $halfReach)))
        ;; slopeU, slopeV
        (local.set $u (f32x4.mul (v128.const f32x4 0.5 0.5 0.5 0.5) (f32x4.sub (local.get $toRight) (local.get $toLeft))))
        (local.set $v (f32x4.mul (v128.const f32x4 0.5 0.5 0.5 0.5) (f32x4.sub (local.get $toDown) (local.get $toUp))))
        (local.set $c
          (f32x4.mul
            (f32x4.add (local.get $rightX) (f32x4.mul (local.get $deeperX) (local.get $u)))
            (f32x4.add (local.get $downY) (f32x4.mul (local.get $deeperY) (local.get $v)))))
        (local.set $c
          (f32x4.abs
            (f32x4.sub
              (local.get $c)
              (f32x4.mul
                (f32x4.add (local.get $rightY) (f32x4.mul (local.get $deeperY) (local.get $u)))
                (f32x4.add (local.get $downX) (f32x4.mul (local.get $deeperX) (local.get $v)))))))
        (local.set $c
          (f32x4.mul
            (f32x4.mul (local.get $members) (f32x4.mul (local.get $pointScale) (local.get $pointScale)))
            (local.get $c)))
        (local.set $px (f32x4.add (f32x4.mul (local.get $focalX) (local.get $px)) (local.get $centreX)))
        (local.set $py (f32x4.add (f32x4.mul (local.get $focalY) (local.get $py)) (local.get $centreY)))
        (v128.store (local.get $runs) (local.get $px))
        (v128.store offset=16 (local.get $runs) (local.get $py))
        (v128.store offset=32 (local.get $runs) (local.get $a))
        (v128.store offset=48 (local.get $runs) (local.get $b))
        (v128.store offset=64 (local.get $runs) (local.get $c))
        (v128.store offset=80 (local.get $runs) (local.get $distance))
        (v128.store offset=96 (local.get $runs) (local.get $members))
        (v128.store offset=112 (local.get $runs) (local.get $colour))
        (br_if $next (i32.lt_u (local.tee $runs (i32.add (local.get $runs) (i32.const 128))) (local.get $end))))))

  ;; How many metres deeper than `z` a pixel of the depth image is; 0 if it is not of the same surface.
  (func $rise
    (param $depth i32) (param $columns i32) (param $rows i32) (param $u v128) (param $v v128) (param $z v128) (param $unit v128)
    (result v128)
    (local $inside v128) (local $at v128) (local $difference v128)
    (local.set $inside
      (v128.and
        (i32x4.lt_u (local.get $u) (i32x4.splat (local.get $columns)))
        (i32x4.lt_u (local.get $v) (i32x4.splat (local.get $rows)))))
    (local.set $at
      (i32x4.add
        (i32x4.splat (local.get $depth))
        (v128.and
          (local.get $inside)
          (i32x4.shl
            (i32x4.add (local.get $u) (i32x4.mul (local.get $v) (i32x4.splat (local.get $columns))))
            (i32.const 1)))))
    (local.set $difference
      (f32x4.sub
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
          (local.get $unit))
        (local.get $z)))
    (v128.and
      (local.get $difference)
      (f32x4.lt
        (f32x4.abs (local.get $difference))
        (f32x4.mul (v128.const f32x4 0.0203 0.0203 0.0203 0.0203) (local.get $z))))))
