;; The mean over time as shaders/temporal.wgsl and cpu.ts have it (there is the method), four pixels at a time.
;;
;; All pixels lie `row` to a row, a multiple of 8, invalid past the frame's width. `columns` has four words of zeros on either side.
;; Behind the words of `before` and `after` lie their trends, half a word each.
;; Tables (see rule.ts): `scales` by depth, `weights` by pixels of an area, `answers` by its change, two each, `gains` by count.
(module
  (import "twin" "memory" (memory 0))

  ;; One of each table for four places, in words.
  (func $look (param $table i32) (param $i v128) (result v128)
    (local $v v128)
    (local.set $i (i32x4.shl (local.get $i) (i32.const 2)))
    (local.set $v (v128.load32_zero (i32.add (local.get $table) (i32x4.extract_lane 0 (local.get $i)))))
    (local.set $v (v128.load32_lane 1 (i32.add (local.get $table) (i32x4.extract_lane 1 (local.get $i))) (local.get $v)))
    (local.set $v (v128.load32_lane 2 (i32.add (local.get $table) (i32x4.extract_lane 2 (local.get $i))) (local.get $v)))
    (v128.load32_lane 3 (i32.add (local.get $table) (i32x4.extract_lane 3 (local.get $i))) (local.get $v)))

  ;; The depths' difference from the means, 1/512 of a unit.
  (func $difference (param $z v128) (param $seen v128) (result v128)
    (i32x4.max_s (i32x4.splat (i32.const -16777215)) (i32x4.min_s (i32x4.splat (i32.const 16777215))
      (i32x4.sub (i32x4.shl (local.get $z) (i32.const 9)) (i32x4.shr_u (local.get $seen) (i32.const 7))))))

  ;; The counts, in their places: 0 where there is none.
  (func $count (param $seen v128) (result v128)
    (v128.and (i32x4.shr_u (local.get $seen) (i32.const 1)) (i32x4.splat (i32.const 63))))

  ;; Makes the marks of a row, and adds them to the columns.
  (func $add (param $source i32) (param $before i32) (param $marks i32) (param $columns i32) (param $scales i32) (param $row i32)
    (local $x i32) (local $z v128) (local $seen v128) (local $change v128) (local $zero v128) (local $mark v128) (local $at i32)
    (loop $next
      (local.set $z (v128.load16x4_u (i32.add (local.get $source) (i32.shl (local.get $x) (i32.const 1)))))
      (local.set $at (i32.shl (local.get $x) (i32.const 2)))
      (local.set $seen (v128.load (i32.add (local.get $before) (local.get $at))))
      (local.set $change (i32x4.trunc_sat_f32x4_s (f32x4.mul
        (f32x4.convert_i32x4_s (call $difference (local.get $z) (local.get $seen)))
        (call $look (local.get $scales) (local.get $z)))))
      ;; 0 where nothing goes on: invalid now or before, or moved.
      (local.set $mark (v128.and
        (i32x4.add (i32x4.shl (local.get $change) (i32.const 7)) (i32x4.splat (i32.const 1)))
        (v128.and
          (v128.and
            (i32x4.ne (local.get $z) (local.get $zero))
            (i32x4.ne (call $count (local.get $seen)) (local.get $zero)))
          (v128.and
            (i32x4.gt_s (local.get $change) (i32x4.splat (i32.const -1024)))
            (i32x4.lt_s (local.get $change) (i32x4.splat (i32.const 1024)))))))
      (v128.store (i32.add (local.get $marks) (local.get $at)) (local.get $mark))
      (local.set $at (i32.add (local.get $columns) (local.get $at)))
      (v128.store (local.get $at) (i32x4.add (v128.load (local.get $at)) (local.get $mark)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 4))) (local.get $row)))))

  (func $remove (param $marks i32) (param $columns i32) (param $bytes i32)
    (local $x i32) (local $at i32)
    (loop $next
      (local.set $at (i32.add (local.get $columns) (local.get $x)))
      (v128.store (local.get $at)
        (i32x4.sub (v128.load (local.get $at)) (v128.load (i32.add (local.get $marks) (local.get $x)))))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $bytes)))))

  ;; The sums of the nine columns around each of four.
  (func $around (param $at i32) (result v128)
    (local $a v128) (local $b v128) (local $c v128)
    (local.set $a (v128.load (i32.sub (local.get $at) (i32.const 16))))
    (local.set $b (v128.load (local.get $at)))
    (local.set $c (v128.load (i32.add (local.get $at) (i32.const 16))))
    (i32x4.add (i32x4.add (i32x4.add (local.get $a) (local.get $b)) (local.get $c))
      (i32x4.add
        (i32x4.add
          (i32x4.add
            (v128.load (i32.sub (local.get $at) (i32.const 12)))
            (v128.load (i32.sub (local.get $at) (i32.const 8))))
          (v128.load (i32.sub (local.get $at) (i32.const 4))))
        (i32x4.add
          (i32x4.add
            (v128.load (i32.add (local.get $at) (i32.const 4)))
            (v128.load (i32.add (local.get $at) (i32.const 8))))
          (v128.load (i32.add (local.get $at) (i32.const 12)))))))

  ;; What is seen of four pixels now, and their trends.
  (func $step (param $z v128) (param $seen v128) (param $trend v128) (param $mark v128) (param $total v128) (param $weights i32)
    (param $answers i32) (param $gains i32) (result v128 v128)
    (local $zero v128) (local $first v128) (local $change v128) (local $gain v128) (local $was v128) (local $mean v128)
    (local $count v128) (local $held v128) (local $near v128)
    (local.set $first (v128.and
      (v128.or (i32x4.shl (local.get $z) (i32.const 16)) (i32x4.splat (i32.const 2)))
      (i32x4.ne (local.get $z) (local.get $zero))))
    (if (i32.eqz (v128.any_true (local.get $mark))) (then (return (local.get $first) (local.get $zero))))
    (local.set $change (i32x4.trunc_sat_f32x4_s (f32x4.mul
      (f32x4.convert_i32x4_s (i32x4.shr_s (local.get $total) (i32.const 7)))
      (call $look (local.get $weights) (v128.and (local.get $total) (i32x4.splat (i32.const 127)))))))
    (local.set $trend (i32x4.add
      (i32x4.sub (local.get $trend) (i32x4.shr_s (local.get $trend) (i32.const 2)))
      (local.get $change)))
    (local.set $change (i32x4.shl
      (i32x4.min_s
        (i32x4.max_s (i32x4.abs (local.get $change)) (i32x4.abs (local.get $trend)))
        (i32x4.splat (i32.const 1024)))
      (i32.const 1)))
    (local.set $count (call $count (local.get $seen)))
    (local.set $gain (f32x4.max
      (call $look (local.get $gains) (local.get $count))
      (call $look (local.get $answers) (local.get $change))))
    (local.set $was (i32x4.shr_u (local.get $seen) (i32.const 7)))
    (local.set $mean (i32x4.add (local.get $was) (i32x4.shr_s
      (i32x4.add
        (i32x4.trunc_sat_f32x4_s (f32x4.floor (f32x4.mul
          (f32x4.convert_i32x4_s (call $difference (local.get $z) (local.get $seen)))
          (local.get $gain))))
        (i32x4.splat (i32.const 1)))
      (i32.const 1))))
    (local.set $count (i32x4.min_s
      (i32x4.add (local.get $count) (i32x4.splat (i32.const 1)))
      (i32x4.trunc_sat_f32x4_s (call $look (i32.add (local.get $answers) (i32.const 4)) (local.get $change)))))
    (local.set $held (i32x4.add
      (i32x4.shr_u (local.get $was) (i32.const 9))
      (v128.and (local.get $seen) (i32x4.splat (i32.const 1)))))
    (local.set $near (v128.bitselect
      (local.get $held)
      (i32x4.shr_u (i32x4.add (local.get $mean) (i32x4.splat (i32.const 256))) (i32.const 9))
      (i32x4.le_s
        (i32x4.abs (i32x4.sub (local.get $mean) (i32x4.shl (local.get $held) (i32.const 9))))
        (i32x4.splat (i32.const 384)))))
    (v128.bitselect
      (v128.or
        (v128.or (i32x4.shl (local.get $mean) (i32.const 7)) (i32x4.shl (local.get $count) (i32.const 1)))
        (i32x4.sub (local.get $near) (i32x4.shr_u (local.get $mean) (i32.const 9))))
      (local.get $first)
      (i32x4.ne (local.get $mark) (local.get $zero)))
    (v128.and (local.get $trend) (i32x4.ne (local.get $mark) (local.get $zero))))

  ;; The depth shown.
  (func $shown (param $seen v128) (result v128)
    (i32x4.add (i32x4.shr_u (local.get $seen) (i32.const 16)) (v128.and (local.get $seen) (i32x4.splat (i32.const 1)))))

  (func (export "follow") (param $source i32) (param $before i32) (param $after i32) (param $sink i32) (param $marks i32)
    (param $columns i32) (param $scales i32) (param $weights i32) (param $answers i32) (param $gains i32)
    (param $row i32) (param $height i32)
    (local $y i32) (local $x i32) (local $i i32) (local $word i32) (local $words i32) (local $a v128) (local $b v128)
    (local $trendBefore i32) (local $trendAfter i32) (local $half v128) (local $trendA v128) (local $trendB v128)
    (local.set $word (i32.shl (i32.mul (local.get $row) (local.get $height)) (i32.const 2)))
    (local.set $trendBefore (i32.add (local.get $before) (local.get $word)))
    (local.set $trendAfter (i32.add (local.get $after) (local.get $word)))
    (local.set $words (i32.shl (local.get $row) (i32.const 2)))
    (memory.fill (local.get $columns) (i32.const 0) (local.get $words))
    ;; Four rows ahead of the one that is left; their marks are kept until they are four rows behind it.
    (local.set $y (i32.const -4))
    (loop $nextRow
      (if (i32.lt_s (i32.add (local.get $y) (i32.const 4)) (local.get $height)) (then
        (local.set $i (i32.mul (i32.add (local.get $y) (i32.const 4)) (local.get $row)))
        (local.set $word (i32.shl (local.get $i) (i32.const 2)))
        (call $add
          (i32.add (local.get $source) (i32.shl (local.get $i) (i32.const 1)))
          (i32.add (local.get $before) (local.get $word))
          (i32.add (local.get $marks) (local.get $word))
          (local.get $columns) (local.get $scales) (local.get $row))))
      (if (i32.gt_s (local.get $y) (i32.const 4)) (then
        (call $remove
          (i32.add (local.get $marks) (i32.mul (i32.sub (local.get $y) (i32.const 5)) (local.get $words)))
          (local.get $columns) (local.get $words))))
      (if (i32.ge_s (local.get $y) (i32.const 0)) (then
        (local.set $x (i32.const 0))
        (loop $next
          (local.set $i (i32.add (i32.mul (local.get $y) (local.get $row)) (local.get $x)))
          (local.set $word (i32.shl (local.get $i) (i32.const 2)))
          (local.set $i (i32.shl (local.get $i) (i32.const 1)))
          (local.set $half (v128.load (i32.add (local.get $trendBefore) (local.get $i))))
          (call $step
            (v128.load16x4_u (i32.add (local.get $source) (local.get $i)))
            (v128.load (i32.add (local.get $before) (local.get $word)))
            (i32x4.extend_low_i16x8_s (local.get $half))
            (v128.load (i32.add (local.get $marks) (local.get $word)))
            (call $around (i32.add (local.get $columns) (i32.shl (local.get $x) (i32.const 2))))
            (local.get $weights) (local.get $answers) (local.get $gains))
          (local.set $trendA)
          (local.set $a)
          (call $step
            (v128.load16x4_u offset=8 (i32.add (local.get $source) (local.get $i)))
            (v128.load offset=16 (i32.add (local.get $before) (local.get $word)))
            (i32x4.extend_high_i16x8_s (local.get $half))
            (v128.load offset=16 (i32.add (local.get $marks) (local.get $word)))
            (call $around (i32.add (i32.const 16) (i32.add (local.get $columns) (i32.shl (local.get $x) (i32.const 2)))))
            (local.get $weights) (local.get $answers) (local.get $gains))
          (local.set $trendB)
          (local.set $b)
          (v128.store (i32.add (local.get $trendAfter) (local.get $i))
            (i16x8.narrow_i32x4_s (local.get $trendA) (local.get $trendB)))
          (v128.store (i32.add (local.get $after) (local.get $word)) (local.get $a))
          (v128.store offset=16 (i32.add (local.get $after) (local.get $word)) (local.get $b))
          (v128.store (i32.add (local.get $sink) (local.get $i))
            (i16x8.narrow_i32x4_u (call $shown (local.get $a)) (call $shown (local.get $b))))
          (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 8))) (local.get $row))))))
      (br_if $nextRow (i32.lt_s (local.tee $y (i32.add (local.get $y) (i32.const 1))) (local.get $height)))))

  ;; Nothing is remembered: each pixel is as it was measured.
  (func (export "begin") (param $source i32) (param $after i32) (param $sink i32) (param $pixels i32)
    (local $i i32) (local $z v128) (local $zero v128)
    (memory.copy (local.get $sink) (local.get $source) (i32.shl (local.get $pixels) (i32.const 1)))
    (memory.fill
      (i32.add (local.get $after) (i32.shl (local.get $pixels) (i32.const 2)))
      (i32.const 0)
      (i32.shl (local.get $pixels) (i32.const 1)))
    (loop $next
      (local.set $z (v128.load16x4_u (i32.add (local.get $source) (i32.shl (local.get $i) (i32.const 1)))))
      (v128.store (i32.add (local.get $after) (i32.shl (local.get $i) (i32.const 2)))
        (v128.and
          (v128.or (i32x4.shl (local.get $z) (i32.const 16)) (i32x4.splat (i32.const 2)))
          (i32x4.ne (local.get $z) (local.get $zero))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (local.get $pixels))))))
