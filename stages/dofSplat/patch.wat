;; Runs of points become patches of their surface in the picture, four at a time: as project.ts has it, in its order and with its names.
;; `view` is what view.ts writes.
(module
  (import "twin" "memory" (memory 0 65536))

  ;; In `count` of what place.wat and neighbours.wat write each four's first seven vectors become: x and y of the middle, px, a patch's axis
  ;; (x, y), how long it is along that and how high across, negative for a run, and its area.
  (func (export "patch") (param $places i32) (param $count i32) (param $view i32)
    (local $rightX v128) (local $rightY v128) (local $downX v128) (local $downY v128) (local $deeperX v128)
    (local $deeperY v128) (local $toLeft v128) (local $toRight v128) (local $toUp v128) (local $toDown v128)
    (local $size v128) (local $pointScale v128) (local $size2 v128) (local $rightX1 v128) (local $rightY1 v128)
    (local $rightX2 v128) (local $rightY2 v128) (local $downX1 v128) (local $downY1 v128) (local $downX2 v128)
    (local $downY2 v128) (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $wide v128)
    (local $first v128) (local $along v128) (local $alongX v128) (local $alongY v128) (local $least v128)
    (local $u v128) (local $v v128) (local $across v128) (local $middle v128) (local $middle2 v128) (local $px v128)
    (local $py v128)
    (local.set $pointScale (v128.load32_splat offset=104 (local.get $view)))
    (block $done
      (br_if $done (i32.le_s (local.get $count) (i32.const 0)))
      (loop $next
        (local.set $rightX (v128.load offset=32 (local.get $places)))
        (local.set $rightY (v128.load offset=48 (local.get $places)))
        (local.set $downX (v128.load offset=64 (local.get $places)))
        (local.set $downY (v128.load offset=80 (local.get $places)))
        (local.set $deeperX (v128.load offset=96 (local.get $places)))
        (local.set $deeperY (v128.load offset=112 (local.get $places)))
        (local.set $toLeft (v128.load offset=176 (local.get $places)))
        (local.set $toRight (v128.load offset=192 (local.get $places)))
        (local.set $toUp (v128.load offset=208 (local.get $places)))
        (local.set $toDown (v128.load offset=224 (local.get $places)))
        (local.set $size (f32x4.mul (local.get $pointScale) (v128.load offset=240 (local.get $places))))
        (local.set $size2 (f32x4.mul (local.get $pointScale) (v128.load offset=256 (local.get $places))))
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
        (local.set $middle (v128.load offset=272 (local.get $places)))
        (local.set $middle2 (v128.load offset=288 (local.get $places)))
        (local.set $px
          (f32x4.add
            (v128.load (local.get $places))
            (f32x4.add (f32x4.mul (local.get $rightX1) (local.get $middle)) (f32x4.mul (local.get $downX1) (local.get $middle2)))))
        (local.set $py
          (f32x4.add
            (v128.load offset=16 (local.get $places))
            (f32x4.add (f32x4.mul (local.get $rightY1) (local.get $middle)) (f32x4.mul (local.get $downY1) (local.get $middle2)))))
        (v128.store (local.get $places) (local.get $px))
        (v128.store offset=16 (local.get $places) (local.get $py))
        (v128.store offset=32 (local.get $places) (local.get $u))
        (v128.store offset=48 (local.get $places) (local.get $v))
        (v128.store offset=64 (local.get $places) (local.get $along))
        (v128.store offset=80
          (local.get $places)
          (v128.or
            (local.get $across)
            (v128.and
              (f32x4.gt (v128.load offset=128 (local.get $places)) (v128.const f32x4 1 1 1 1))
              (v128.const i32x4 -2147483648 -2147483648 -2147483648 -2147483648))))
        (v128.store offset=96 (local.get $places) (local.get $c))
        (local.set $places (i32.add (local.get $places) (i32.const 304)))
        (br_if $next (i32.gt_s (local.tee $count (i32.sub (local.get $count) (i32.const 4))) (i32.const 0)))))))
