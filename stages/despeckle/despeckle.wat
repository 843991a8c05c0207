;; Flying pixels and islands as shaders/despeckle.wgsl and cpu.ts tell them (there is the method), eight pixels at a time.
;;
;; Rows lie `pitch` bytes apart: `row` bytes of pixels, then at least 16 of zeros. Four rows of zeros stand before the first and after
;; the last. `offsets` has four i32: how far the second pixel of each pair is, in bytes. Differences of u16 saturate: what would
;; not fit is past every bound, on either side of a comparison.
(module
  (import "twin" "memory" (memory 0))

  ;; Which of the pixels at `at` are alike those of `z`, added to `count`: 1 within a step, 32 more within half of one.
  (func $alike (param $count v128) (param $at i32) (param $z v128) (param $step v128) (result v128)
    (local $zero v128) (local $v v128) (local $off v128)
    (local.set $v (v128.load (local.get $at)))
    (local.set $off (v128.or (i16x8.sub_sat_u (local.get $v) (local.get $z)) (i16x8.sub_sat_u (local.get $z) (local.get $v))))
    (v128.andnot
      (i16x8.add
        (v128.and (i16x8.le_u (local.get $off) (local.get $step)) (v128.const i16x8 1 1 1 1 1 1 1 1))
        (v128.and (i16x8.le_u (local.get $off) (i16x8.shr_u (local.get $step) (i32.const 1)))
          (v128.const i16x8 32 32 32 32 32 32 32 32)))
      (i16x8.eq (local.get $v) (local.get $zero)))
    (i16x8.add (local.get $count)))

  (func $alikeRow (param $count v128) (param $at i32) (param $z v128) (param $step v128) (result v128)
    (local.set $count (call $alike (local.get $count) (i32.sub (local.get $at) (i32.const 4)) (local.get $z) (local.get $step)))
    (local.set $count (call $alike (local.get $count) (i32.sub (local.get $at) (i32.const 2)) (local.get $z) (local.get $step)))
    (local.set $count (call $alike (local.get $count) (local.get $at) (local.get $z) (local.get $step)))
    (local.set $count (call $alike (local.get $count) (i32.add (local.get $at) (i32.const 2)) (local.get $z) (local.get $step)))
    (call $alike (local.get $count) (i32.add (local.get $at) (i32.const 4)) (local.get $z) (local.get $step)))

  ;; Eight pixels at `at`. `snap` is all ones or all zeros.
  (func $clean (param $at i32) (param $pitch i32) (param $offsets i32) (param $least f32) (param $share f32) (param $noise f32)
    (param $island v128) (param $snap v128) (result v128)
    (local $zero v128) (local $z v128) (local $step v128) (local $best v128) (local $bestOff v128) (local $i i32) (local $to i32)
    (local $a v128) (local $b v128) (local $a2 v128) (local $b2 v128) (local $low v128) (local $high v128) (local $gap v128)
    (local $below v128) (local $above v128) (local $hangs v128) (local $noA v128) (local $noB v128) (local $beside v128)
    (local $count v128) (local $quick v128) (local $v v128)
    (local.set $z (v128.load (local.get $at)))
    (if (i32.eqz (v128.any_true (local.get $z))) (then (return (local.get $zero))))
    (local.set $a (f32x4.convert_i32x4_u (i32x4.extend_low_i16x8_u (local.get $z))))
    (local.set $b (f32x4.convert_i32x4_u (i32x4.extend_high_i16x8_u (local.get $z))))
    (local.set $step (i16x8.narrow_i32x4_u
      (i32x4.trunc_sat_f32x4_u (f32x4.min (f32x4.splat (f32.const 65535)) (f32x4.max
        (f32x4.max (f32x4.splat (local.get $least)) (f32x4.mul (f32x4.splat (local.get $share)) (local.get $a)))
        (f32x4.mul (f32x4.splat (local.get $noise)) (f32x4.mul (local.get $a) (local.get $a))))))
      (i32x4.trunc_sat_f32x4_u (f32x4.min (f32x4.splat (f32.const 65535)) (f32x4.max
        (f32x4.max (f32x4.splat (local.get $least)) (f32x4.mul (f32x4.splat (local.get $share)) (local.get $b)))
        (f32x4.mul (f32x4.splat (local.get $noise)) (f32x4.mul (local.get $b) (local.get $b))))))))
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
    ;; Most pixels have enough of their like in themselves and the four beside them.
    (local.set $quick (v128.const i16x8 1 1 1 1 1 1 1 1))
    (local.set $v (v128.load (i32.sub (local.get $at) (i32.const 2))))
    (local.set $quick (i16x8.sub (local.get $quick) (v128.andnot
      (i16x8.le_u (v128.or (i16x8.sub_sat_u (local.get $v) (local.get $z)) (i16x8.sub_sat_u (local.get $z) (local.get $v)))
        (local.get $step))
      (i16x8.eq (local.get $v) (local.get $zero)))))
    (local.set $v (v128.load (i32.add (local.get $at) (i32.const 2))))
    (local.set $quick (i16x8.sub (local.get $quick) (v128.andnot
      (i16x8.le_u (v128.or (i16x8.sub_sat_u (local.get $v) (local.get $z)) (i16x8.sub_sat_u (local.get $z) (local.get $v)))
        (local.get $step))
      (i16x8.eq (local.get $v) (local.get $zero)))))
    (local.set $v (v128.load (i32.sub (local.get $at) (local.get $pitch))))
    (local.set $quick (i16x8.sub (local.get $quick) (v128.andnot
      (i16x8.le_u (v128.or (i16x8.sub_sat_u (local.get $v) (local.get $z)) (i16x8.sub_sat_u (local.get $z) (local.get $v)))
        (local.get $step))
      (i16x8.eq (local.get $v) (local.get $zero)))))
    (local.set $v (v128.load (i32.add (local.get $at) (local.get $pitch))))
    (local.set $quick (i16x8.sub (local.get $quick) (v128.andnot
      (i16x8.le_u (v128.or (i16x8.sub_sat_u (local.get $v) (local.get $z)) (i16x8.sub_sat_u (local.get $z) (local.get $v)))
        (local.get $step))
      (i16x8.eq (local.get $v) (local.get $zero)))))
    (local.set $a (v128.or (i16x8.eq (local.get $z) (local.get $zero)) (i16x8.ge_u (local.get $quick) (local.get $island))))
    (if (i32.and (i16x8.all_true (local.get $a)) (i32.eqz (v128.any_true (local.get $best)))) (then (return (local.get $z))))
    (local.set $count (call $alikeRow (local.get $zero) (local.get $at) (local.get $z) (local.get $step)))
    (local.set $to (i32.shl (local.get $pitch) (i32.const 1)))
    (local.set $count (call $alikeRow (local.get $count) (i32.sub (local.get $at) (local.get $to)) (local.get $z) (local.get $step)))
    (local.set $count (call $alikeRow (local.get $count) (i32.sub (local.get $at) (local.get $pitch)) (local.get $z) (local.get $step)))
    (local.set $count (call $alikeRow (local.get $count) (i32.add (local.get $at) (local.get $pitch)) (local.get $z) (local.get $step)))
    (local.set $count (call $alikeRow (local.get $count) (i32.add (local.get $at) (local.get $to)) (local.get $z) (local.get $step)))
    ;; Hangs, and is no corner of a surface: 9 alike, 32 to each.
    (local.set $hangs (v128.and
      (i16x8.ne (local.get $best) (local.get $zero))
      (i16x8.lt_u (local.get $count) (i16x8.splat (i32.const 288)))))
    (v128.bitselect
      (v128.and (local.get $best) (local.get $snap))
      (v128.and (local.get $z)
        (i16x8.ge_u (v128.and (local.get $count) (i16x8.splat (i32.const 31))) (local.get $island)))
      (local.get $hangs))
    (v128.andnot (i16x8.eq (local.get $z) (local.get $zero))))

  (func (export "despeckle") (param $source i32) (param $sink i32) (param $offsets i32) (param $pitch i32) (param $row i32)
    (param $height i32) (param $least f32) (param $share f32) (param $noise f32) (param $island i32) (param $snap i32)
    (local $x i32)
    (loop $nextRow
      (local.set $x (i32.const 0))
      (loop $next
        (v128.store (i32.add (local.get $sink) (local.get $x))
          (call $clean (i32.add (local.get $source) (local.get $x)) (local.get $pitch) (local.get $offsets)
            (local.get $least) (local.get $share) (local.get $noise)
            (i16x8.splat (local.get $island)) (i16x8.splat (i32.sub (i32.const 0) (local.get $snap)))))
        (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $row))))
      (local.set $source (i32.add (local.get $source) (local.get $pitch)))
      (local.set $sink (i32.add (local.get $sink) (local.get $row)))
      (br_if $nextRow (local.tee $height (i32.sub (local.get $height) (i32.const 1)))))))
