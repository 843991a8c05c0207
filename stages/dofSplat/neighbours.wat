;; What is beside runs of points in the depth image, four at a time: as project.ts has it, in its order and with its names. `view` is what
;; view.ts writes.
(module
  (import "twin" "memory" (memory 0 65536))
  (global $depth (mut i32) (i32.const 0))
  (global $columns (mut i32) (i32.const 0))
  (global $rows (mut i32) (i32.const 0))
  (global $unit (mut v128) (v128.const f32x4 0 0 0 0))

  ;; In `count` of what place.wat writes each four's vectors from 176 on become: how much deeper the surface is on the left, right, above
  ;; and below; how long and high a patch is, in pixels of the depth image; and by which share of that its middle is moved.
  ;; `depth` is u16, `columns` x `rows`.
  (func (export "neighbours")
    (param $places i32) (param $count i32) (param $depth i32) (param $columns i32) (param $rows i32) (param $view i32)
    (local $members v128) (local $pixel v128) (local $u v128) (local $v v128) (local $long v128) (local $high v128)
    (local $middle v128) (local $middle2 v128) (local $toLeft v128) (local $toRight v128) (local $toUp v128)
    (local $toDown v128) (local $z v128) (local $firstZ v128) (local $zLeft v128) (local $zRight v128)
    (local $zUp v128) (local $zDown v128) (local $one v128) (local $besides v128) (local $downwards v128)
    (global.set $unit (v128.load32_splat offset=116 (local.get $view)))
    (global.set $depth (local.get $depth))
    (global.set $columns (local.get $columns))
    (global.set $rows (local.get $rows))
    (block $done
      (br_if $done (i32.le_s (local.get $count) (i32.const 0)))
      (loop $next
        (local.set $members (v128.load offset=128 (local.get $places)))
        (local.set $pixel (v128.load offset=208 (local.get $places)))
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
        (if
          (i32.or
            (v128.any_true (v128.or (v128.load offset=96 (local.get $places)) (v128.load offset=112 (local.get $places))))
            (i32.eqz (call $inMidst (local.get $pixel))))
          (then
            (local.set $z (v128.load offset=176 (local.get $places)))
            (local.set $firstZ (v128.load offset=192 (local.get $places)))
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
        (v128.store offset=176 (local.get $places) (local.get $toLeft))
        (v128.store offset=192 (local.get $places) (local.get $toRight))
        (v128.store offset=208 (local.get $places) (local.get $toUp))
        (v128.store offset=224 (local.get $places) (local.get $toDown))
        (v128.store offset=240 (local.get $places) (local.get $long))
        (v128.store offset=256 (local.get $places) (local.get $high))
        (v128.store offset=272 (local.get $places) (local.get $middle))
        (v128.store offset=288 (local.get $places) (local.get $middle2))
        (local.set $places (i32.add (local.get $places) (i32.const 304)))
        (br_if $next (i32.gt_s (local.tee $count (i32.sub (local.get $count) (i32.const 4))) (i32.const 0))))))

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
