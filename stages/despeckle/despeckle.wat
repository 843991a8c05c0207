;; Flying pixels and islands as shaders/despeckle.wgsl and cpu.ts tell them (there is the method), eight pixels at a time.
;;
;; Rows lie `pitch` bytes apart: `row` bytes of pixels, then at least 16 of zeros. Four rows of zeros stand before the first and after
;; the last. `offsets` has four i32: how far the second pixel of each pair is, in bytes. Differences of u16 saturate: what would
;; not fit is past every bound, on either side of a comparison.
(module
  (import "twin" "memory" (memory 0))

  ;; Eight pixels at `at` where something may hang, or has few of its like around it. `snap` is all ones or all zeros.
  (func $clean (param $at i32) (param $pitch i32) (param $offsets i32) (param $z v128) (param $step v128)
    (param $island v128) (param $snap v128) (result v128)
    (local $zero v128) (local $best v128) (local $bestOff v128) (local $i i32) (local $to i32)
    (local $a v128) (local $b v128) (local $a2 v128) (local $b2 v128) (local $low v128) (local $high v128) (local $gap v128)
    (local $below v128) (local $above v128) (local $hangs v128) (local $noA v128) (local $noB v128) (local $beside v128)
    (local $count v128) (local $near v128) (local $one v128)
    (local.set $one (i16x8.splat (i32.const 1)))
    (local.set $bestOff (i16x8.splat (i32.const 65535)))
    (loop $pair
      (local.set $to (i32.load (i32.add (local.get $offsets) (local.get $i))))
      (local.set $a (v128.load (i32.sub (local.get $at) (local.get $to))))
      (local.set $b (v128.load (i32.add (local.get $at) (local.get $to))))
      (local.set $low (i16x8.min_u (local.get $a) (local.get $b)))
      (local.set $high (i16x8.max_u (local.get $a) (local.get $b)))
      (local.set $below (i16x8.sub_sat_u (local.get $z) (local.get $low)))
      (local.set $above (i16x8.sub_sat_u (local.get $high) (local.get $z)))
      (local.set $hangs (v128.and
        (i16x8.ne (local.get $low) (local.get $zero))
        (i16x8.gt_u (i16x8.min_u (local.get $below) (local.get $above)) (local.get $step))))
      (if (v128.any_true (local.get $hangs)) (then
        (local.set $a2 (v128.load (i32.sub (local.get $at) (i32.shl (local.get $to) (i32.const 1)))))
        (local.set $b2 (v128.load (i32.add (local.get $at) (i32.shl (local.get $to) (i32.const 1)))))
        (local.set $noA (i16x8.eq (local.get $a2) (local.get $zero)))
        (local.set $noB (i16x8.eq (local.get $b2) (local.get $zero)))
        ;; What goes on beside them: where one side is invalid the other stands for it.
        (local.set $a (v128.andnot
          (v128.or (i16x8.sub_sat_u (local.get $a) (local.get $a2)) (i16x8.sub_sat_u (local.get $a2) (local.get $a)))
          (local.get $noA)))
        (local.set $b (v128.andnot
          (v128.or (i16x8.sub_sat_u (local.get $b) (local.get $b2)) (i16x8.sub_sat_u (local.get $b2) (local.get $b)))
          (local.get $noB)))
        (local.set $beside (i16x8.add_sat_u
          (v128.bitselect (local.get $b) (local.get $a) (local.get $noA))
          (v128.bitselect (local.get $a) (local.get $b) (local.get $noB))))
        (local.set $gap (i16x8.sub (local.get $high) (local.get $low)))
        (local.set $hangs (v128.andnot (local.get $hangs) (v128.and (local.get $noA) (local.get $noB))))
        (local.set $hangs (v128.and (local.get $hangs)
          (i16x8.gt_u (local.get $gap) (i16x8.add_sat_u (local.get $beside) (local.get $beside)))))
        (local.set $hangs (v128.and (local.get $hangs)
          (i16x8.gt_u (local.get $gap)
            (i16x8.add_sat_u (local.get $step) (i16x8.add_sat_u (local.get $step) (local.get $step))))))
        ;; The nearest surface in depth so far; of two the nearer one.
        (local.set $a (v128.bitselect (local.get $high) (local.get $low)
          (i16x8.lt_u (local.get $above) (local.get $below))))
        (local.set $b (i16x8.min_u (local.get $above) (local.get $below)))
        (local.set $hangs (v128.and (local.get $hangs) (v128.or
          (i16x8.lt_u (local.get $b) (local.get $bestOff))
          (v128.and (i16x8.eq (local.get $b) (local.get $bestOff)) (i16x8.lt_u (local.get $a) (local.get $best))))))
        (local.set $best (v128.bitselect (local.get $a) (local.get $best) (local.get $hangs)))
        (local.set $bestOff (v128.bitselect (local.get $b) (local.get $bestOff) (local.get $hangs)))))
      (br_if $pair (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (i32.const 16))))
    ;; 5 × 5: how many are within a step, and within half of one. What is invalid is in no range, since each begins at 1 at least.
    (local.set $a (i16x8.shr_u (local.get $step) (i32.const 1)))
    (local.set $below (i16x8.max_u (i16x8.sub_sat_u (local.get $z) (local.get $a)) (local.get $one)))
    (local.set $above (i16x8.add_sat_u (local.get $z) (local.get $a)))
    (local.set $low (i16x8.max_u (i16x8.sub_sat_u (local.get $z) (local.get $step)) (local.get $one)))
    (local.set $high (i16x8.add_sat_u (local.get $z) (local.get $step)))
    (local.set $to (i32.sub (local.get $at) (i32.add (i32.shl (local.get $pitch) (i32.const 1)) (i32.const 4))))
    (local.set $i (i32.add (local.get $to) (i32.mul (local.get $pitch) (i32.const 5))))
    (loop $row
      (local.set $a (v128.load (local.get $to)))
      (local.set $count (i16x8.sub (local.get $count)
        (i16x8.eq (local.get $a) (i16x8.min_u (local.get $high) (i16x8.max_u (local.get $low) (local.get $a))))))
      (local.set $near (i16x8.sub (local.get $near)
        (i16x8.eq (local.get $a) (i16x8.min_u (local.get $above) (i16x8.max_u (local.get $below) (local.get $a))))))
      (local.set $a (v128.load offset=2 (local.get $to)))
      (local.set $count (i16x8.sub (local.get $count)
        (i16x8.eq (local.get $a) (i16x8.min_u (local.get $high) (i16x8.max_u (local.get $low) (local.get $a))))))
      (local.set $near (i16x8.sub (local.get $near)
        (i16x8.eq (local.get $a) (i16x8.min_u (local.get $above) (i16x8.max_u (local.get $below) (local.get $a))))))
      (local.set $a (v128.load offset=4 (local.get $to)))
      (local.set $count (i16x8.sub (local.get $count)
        (i16x8.eq (local.get $a) (i16x8.min_u (local.get $high) (i16x8.max_u (local.get $low) (local.get $a))))))
      (local.set $near (i16x8.sub (local.get $near)
        (i16x8.eq (local.get $a) (i16x8.min_u (local.get $above) (i16x8.max_u (local.get $below) (local.get $a))))))
      (local.set $a (v128.load offset=6 (local.get $to)))
      (local.set $count (i16x8.sub (local.get $count)
        (i16x8.eq (local.get $a) (i16x8.min_u (local.get $high) (i16x8.max_u (local.get $low) (local.get $a))))))
      (local.set $near (i16x8.sub (local.get $near)
        (i16x8.eq (local.get $a) (i16x8.min_u (local.get $above) (i16x8.max_u (local.get $below) (local.get $a))))))
      (local.set $a (v128.load offset=8 (local.get $to)))
      (local.set $count (i16x8.sub (local.get $count)
        (i16x8.eq (local.get $a) (i16x8.min_u (local.get $high) (i16x8.max_u (local.get $low) (local.get $a))))))
      (local.set $near (i16x8.sub (local.get $near)
        (i16x8.eq (local.get $a) (i16x8.min_u (local.get $above) (i16x8.max_u (local.get $below) (local.get $a))))))
      (br_if $row (i32.lt_u (local.tee $to (i32.add (local.get $to) (local.get $pitch))) (local.get $i))))
    ;; Hangs, and is no corner of a surface: 9 alike.
    (local.set $hangs (v128.and
      (i16x8.ne (local.get $best) (local.get $zero))
      (i16x8.lt_u (local.get $near) (i16x8.splat (i32.const 9)))))
    (v128.bitselect
      (v128.and (local.get $best) (local.get $snap))
      (v128.and (local.get $z)
        (i16x8.ge_u (local.get $count) (local.get $island)))
      (local.get $hangs))
    (v128.andnot (i16x8.eq (local.get $z) (local.get $zero))))

  (func (export "despeckle") (param $source i32) (param $sink i32) (param $offsets i32) (param $pitch i32) (param $row i32)
    (param $height i32) (param $least f32) (param $share f32) (param $noise f32) (param $island i32) (param $snap i32)
    (local $x i32) (local $at i32) (local $to0 i32) (local $to1 i32) (local $to2 i32) (local $to3 i32)
    (local $z v128) (local $step v128) (local $a v128) (local $b v128) (local $far v128) (local $few v128)
    (local $zero v128) (local $leasts v128) (local $shares v128) (local $noises v128) (local $most v128) (local $whole v128)
    (local $lone v128) (local $snaps v128) (local $one v128) (local $low v128) (local $high v128)
    (local.set $to0 (i32.load (local.get $offsets)))
    (local.set $to1 (i32.load offset=4 (local.get $offsets)))
    (local.set $to2 (i32.load offset=8 (local.get $offsets)))
    (local.set $to3 (i32.load offset=12 (local.get $offsets)))
    (local.set $one (i16x8.splat (i32.const 1)))
    (local.set $leasts (f32x4.splat (local.get $least)))
    (local.set $shares (f32x4.splat (local.get $share)))
    (local.set $noises (f32x4.splat (local.get $noise)))
    (local.set $most (f32x4.splat (f32.const 65535)))
    (local.set $whole (f32x4.splat (f32.const 8388608)))
    ;; So many of a pixel's like are wanted besides itself.
    (local.set $lone (i16x8.splat (i32.sub (local.get $island) (i32.const 1))))
    (local.set $snaps (i16x8.splat (i32.sub (i32.const 0) (local.get $snap))))
    (loop $nextRow
      (local.set $x (i32.const 0))
      (loop $next
        (local.set $at (i32.add (local.get $source) (local.get $x)))
        (local.set $z (v128.load (local.get $at)))
        ;; Added to 2^23 a whole number stands in a float's low bits.
        (local.set $a (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_u (local.get $z))))
        (local.set $b (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_u (local.get $z))))
        (local.set $step (v128.xor (local.get $whole) (f32x4.add (local.get $whole) (f32x4.floor (f32x4.pmin (local.get $most) (f32x4.pmax
          (f32x4.pmax (local.get $leasts) (f32x4.mul (local.get $shares) (local.get $a)))
          (f32x4.mul (local.get $noises) (f32x4.mul (local.get $a) (local.get $a)))))))))
        (local.set $step (i16x8.narrow_i32x4_u (local.get $step)
          (v128.xor (local.get $whole) (f32x4.add (local.get $whole) (f32x4.floor (f32x4.pmin (local.get $most) (f32x4.pmax
            (f32x4.pmax (local.get $leasts) (f32x4.mul (local.get $shares) (local.get $b)))
            (f32x4.mul (local.get $noises) (f32x4.mul (local.get $b) (local.get $b))))))))))
        ;; What is invalid is in no range, since each begins at 1 at least.
        (local.set $low (i16x8.max_u (i16x8.sub_sat_u (local.get $z) (local.get $step)) (local.get $one)))
        (local.set $high (i16x8.add_sat_u (local.get $z) (local.get $step)))
        ;; Few hang between a pair, whatever else has to hold.
        (local.set $far (local.get $zero))
        (local.set $a (v128.load (i32.sub (local.get $at) (local.get $to0))))
        (local.set $b (v128.load (i32.add (local.get $at) (local.get $to0))))
        (local.set $far (v128.or (local.get $far) (i16x8.min_u
          (i16x8.sub_sat_u (local.get $low) (i16x8.min_u (local.get $a) (local.get $b)))
          (i16x8.sub_sat_u (i16x8.max_u (local.get $a) (local.get $b)) (local.get $high)))))
        (local.set $a (v128.load (i32.sub (local.get $at) (local.get $to1))))
        (local.set $b (v128.load (i32.add (local.get $at) (local.get $to1))))
        (local.set $far (v128.or (local.get $far) (i16x8.min_u
          (i16x8.sub_sat_u (local.get $low) (i16x8.min_u (local.get $a) (local.get $b)))
          (i16x8.sub_sat_u (i16x8.max_u (local.get $a) (local.get $b)) (local.get $high)))))
        (local.set $a (v128.load (i32.sub (local.get $at) (local.get $to2))))
        (local.set $b (v128.load (i32.add (local.get $at) (local.get $to2))))
        (local.set $far (v128.or (local.get $far) (i16x8.min_u
          (i16x8.sub_sat_u (local.get $low) (i16x8.min_u (local.get $a) (local.get $b)))
          (i16x8.sub_sat_u (i16x8.max_u (local.get $a) (local.get $b)) (local.get $high)))))
        (local.set $a (v128.load (i32.sub (local.get $at) (local.get $to3))))
        (local.set $b (v128.load (i32.add (local.get $at) (local.get $to3))))
        (local.set $far (v128.or (local.get $far) (i16x8.min_u
          (i16x8.sub_sat_u (local.get $low) (i16x8.min_u (local.get $a) (local.get $b)))
          (i16x8.sub_sat_u (i16x8.max_u (local.get $a) (local.get $b)) (local.get $high)))))
        ;; Most have enough of their like in themselves and the four beside them: -1 for each.
        (local.set $few (local.get $lone))
        (local.set $a (v128.load (i32.sub (local.get $at) (i32.const 2))))
        (local.set $few (i16x8.add (local.get $few)
          (i16x8.eq (local.get $a) (i16x8.min_u (local.get $high) (i16x8.max_u (local.get $low) (local.get $a))))))
        (local.set $a (v128.load offset=2 (local.get $at)))
        (local.set $few (i16x8.add (local.get $few)
          (i16x8.eq (local.get $a) (i16x8.min_u (local.get $high) (i16x8.max_u (local.get $low) (local.get $a))))))
        (local.set $a (v128.load (i32.sub (local.get $at) (local.get $pitch))))
        (local.set $few (i16x8.add (local.get $few)
          (i16x8.eq (local.get $a) (i16x8.min_u (local.get $high) (i16x8.max_u (local.get $low) (local.get $a))))))
        (local.set $a (v128.load (i32.add (local.get $at) (local.get $pitch))))
        (local.set $few (i16x8.add (local.get $few)
          (i16x8.eq (local.get $a) (i16x8.min_u (local.get $high) (i16x8.max_u (local.get $low) (local.get $a))))))
        (local.set $a (v128.andnot
          (v128.or (local.get $far) (i16x8.gt_s (local.get $few) (local.get $zero)))
          (i16x8.eq (local.get $z) (local.get $zero))))
        (if (v128.any_true (local.get $a)) (then
          (local.set $z (call $clean (local.get $at) (local.get $pitch) (local.get $offsets) (local.get $z) (local.get $step)
            (i16x8.splat (local.get $island)) (local.get $snaps)))))
        (v128.store (i32.add (local.get $sink) (local.get $x)) (local.get $z))
        (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $row))))
      (local.set $source (i32.add (local.get $source) (local.get $pitch)))
      (local.set $sink (i32.add (local.get $sink) (local.get $row)))
      (br_if $nextRow (local.tee $height (i32.sub (local.get $height) (i32.const 1)))))))
