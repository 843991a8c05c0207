;; The mean over time as shaders/temporal.wgsl and cpu.ts have it (there is the method), four pixels at a time. What would read better
;; as functions is written out: a call costs more than what these do, since all vectors go to memory and back around it.
;;
;; All pixels lie `row` to a row, a multiple of 8, invalid past the frame's width.
;; Behind the words of `before` and `after` lie their trends, half a word each. Marks are kept as sums: each is added to those left of it in
;; its row, so that nine side by side are one difference. `marks` has room for the 16 rows in use, each behind four words of
;; zeros; `columns`, the sum of nine such rows, stands between eight and four words. Sums may run over, differences do not.
;; Tables (see rule.ts): `scales` by depth, `weights` by pixels of an area, `answers` by its change, two each.
(module
  (import "twin" "memory" (memory 0))

  ;; A constant that only a branch in a loop asks for would be made there each time. What is called for is kept.
  (func $keep (param v128) (result v128) (local.get 0))

  ;; Makes the marks of a row, and adds them to the columns, which lose those of the row `old`. `depth` and `before` are the row's.
  (func $add (param $depth i32) (param $before i32) (param $marks i32) (param $old i32) (param $columns i32) (param $scales i32) (param $end i32)
    (local $x i32) (local $z v128) (local $seen v128) (local $change v128) (local $scale v128) (local $mark v128) (local $left v128)
    (local $zero v128) (local $rest v128) (local $jump v128) (local $farthest v128) (local $nearest v128) (local $whole v128)
    (local.set $jump (f32x4.splat (f32.const 1024)))
    (local.set $farthest (i32x4.splat (i32.const 16777215)))
    (local.set $nearest (i32x4.splat (i32.const -16777215)))
    ;; Added to 1.5 · 2^23 a whole number stands in a float's low bits. What is above them leaves 0xa0000000 in a mark: `rest` takes
    ;; it away, and adds 1.
    (local.set $whole (f32x4.splat (f32.const 12582912)))
    (local.set $rest (i32x4.splat (i32.const 0x60000001)))
    (loop $next
      (local.set $z (v128.load16x4_u (local.get $depth)))
      (local.set $seen (v128.load (i32.add (local.get $before) (local.get $x))))
      (local.set $scale (v128.load32_zero (i32.add (local.get $scales)
        (i32.shl (i32.load16_u (local.get $depth)) (i32.const 2)))))
      (local.set $scale (v128.load32_lane 1 (i32.add (local.get $scales)
        (i32.shl (i32.load16_u offset=2 (local.get $depth)) (i32.const 2))) (local.get $scale)))
      (local.set $scale (v128.load32_lane 2 (i32.add (local.get $scales)
        (i32.shl (i32.load16_u offset=4 (local.get $depth)) (i32.const 2))) (local.get $scale)))
      (local.set $scale (v128.load32_lane 3 (i32.add (local.get $scales)
        (i32.shl (i32.load16_u offset=6 (local.get $depth)) (i32.const 2))) (local.get $scale)))
      ;; The difference from the mean, 1/512 of a unit.
      (local.set $change (i32x4.sub (i32x4.shl (local.get $z) (i32.const 9)) (i32x4.shr_u (local.get $seen) (i32.const 7))))
      (local.set $change (i32x4.max_s (local.get $nearest) (i32x4.min_s (local.get $farthest) (local.get $change))))
      (local.set $change (f32x4.mul (f32x4.convert_i32x4_s (local.get $change)) (local.get $scale)))
      ;; 0 where nothing goes on: invalid now or before, or moved. Where there is no count there is no mean.
      (local.set $mark (v128.and
        (i32x4.add (i32x4.shl (f32x4.add (f32x4.trunc (local.get $change)) (local.get $whole)) (i32.const 7)) (local.get $rest))
        (v128.andnot
          (f32x4.lt (f32x4.abs (local.get $change)) (local.get $jump))
          (v128.or (i32x4.eq (local.get $z) (local.get $zero)) (i32x4.eq (local.get $seen) (local.get $zero))))))
      ;; What is left of each: one, two, all.
      (local.set $mark (i32x4.add (local.get $mark)
        (i8x16.shuffle 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 (local.get $zero) (local.get $mark))))
      (local.set $mark (i32x4.add (local.get $mark)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 (local.get $zero) (local.get $mark))))
      (local.set $mark (i32x4.add (local.get $mark) (local.get $left)))
      (local.set $left (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $mark) (local.get $mark)))
      (v128.store offset=16 (i32.add (local.get $marks) (local.get $x)) (local.get $mark))
      (v128.store offset=32 (local.get $columns) (i32x4.add (v128.load offset=32 (local.get $columns))
        (i32x4.sub (local.get $mark) (v128.load offset=16 (i32.add (local.get $old) (local.get $x))))))
      (local.set $depth (i32.add (local.get $depth) (i32.const 8)))
      (local.set $columns (i32.add (local.get $columns) (i32.const 16)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end))))
    (v128.store offset=32 (local.get $columns) (v128.load32_splat offset=28 (local.get $columns))))

  (func $remove (param $marks i32) (param $columns i32) (param $end i32)
    (local $x i32)
    (loop $next
      (v128.store offset=32 (local.get $columns)
        (i32x4.sub (v128.load offset=32 (local.get $columns)) (v128.load offset=16 (i32.add (local.get $marks) (local.get $x)))))
      (local.set $columns (i32.add (local.get $columns) (i32.const 16)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end))))
    (v128.store offset=32 (local.get $columns) (v128.load32_splat offset=28 (local.get $columns))))

  ;; What is seen of a row's pixels now, their trends, and the depths shown. All but the tables are the row's.
  (func $step (param $depth i32) (param $before i32) (param $trendBefore i32) (param $marks i32) (param $columns i32)
    (param $after i32) (param $trendAfter i32) (param $sink i32) (param $weights i32) (param $answers i32) (param $least f32) (param $end i32)
    (local $x i32) (local $half i32) (local $at i32)
    (local $z v128) (local $seen v128) (local $mark v128) (local $total v128) (local $now v128) (local $trend v128) (local $i v128)
    (local $change v128) (local $gain v128) (local $most v128) (local $was v128) (local $mean v128) (local $held v128)
    (local $zero v128) (local $one v128) (local $two v128) (local $jump v128)
    (local $farthest v128) (local $nearest v128) (local $up v128) (local $hold v128) (local $whole v128) (local $twice v128) (local $leasts v128)
    (local.set $one (call $keep (i32x4.splat (i32.const 1))))
    (local.set $two (i32x4.splat (i32.const 2)))
    (local.set $jump (call $keep (i32x4.splat (i32.const 1024))))
    (local.set $farthest (call $keep (i32x4.splat (i32.const 16777215))))
    (local.set $nearest (call $keep (i32x4.splat (i32.const -16777215))))
    (local.set $up (call $keep (i32x4.splat (i32.const 256))))
    (local.set $hold (call $keep (i32x4.splat (i32.const 384))))
    (local.set $whole (call $keep (f32x4.splat (f32.const 12582912))))
    (local.set $twice (call $keep (f32x4.splat (f32.const 2))))
    (local.set $leasts (call $keep (f32x4.splat (local.get $least))))
    (loop $next
      (local.set $half (i32.shr_u (local.get $x) (i32.const 1)))
      (local.set $z (v128.load16x4_u (i32.add (local.get $depth) (local.get $half))))
      (local.set $held (local.get $z))
      (local.set $at (i32.add (local.get $marks) (local.get $x)))
      (local.set $mark (i32x4.sub (v128.load offset=16 (local.get $at)) (v128.load offset=12 (local.get $at))))
      (local.set $now (v128.andnot
        (v128.or (i32x4.shl (local.get $z) (i32.const 16)) (local.get $two))
        (i32x4.eq (local.get $z) (local.get $zero))))
      (local.set $trend (local.get $zero))
      (local.set $mark (i32x4.eq (local.get $mark) (local.get $zero)))
      (if (i32.ne (i32x4.bitmask (local.get $mark)) (i32.const 15)) (then
        ;; The nine columns around each.
        (local.set $total (i32x4.sub (v128.load offset=48 (local.get $columns)) (v128.load offset=12 (local.get $columns))))
        (local.set $i (i32x4.shr_u (i32x4.shl (local.get $total) (i32.const 25)) (i32.const 23)))
        (local.set $gain (v128.load32_zero (i32.add (local.get $weights) (i32x4.extract_lane 0 (local.get $i)))))
        (local.set $gain (v128.load32_lane 1 (i32.add (local.get $weights) (i32x4.extract_lane 1 (local.get $i))) (local.get $gain)))
        (local.set $gain (v128.load32_lane 2 (i32.add (local.get $weights) (i32x4.extract_lane 2 (local.get $i))) (local.get $gain)))
        (local.set $gain (v128.load32_lane 3 (i32.add (local.get $weights) (i32x4.extract_lane 3 (local.get $i))) (local.get $gain)))
        ;; Less than a jump, as each of its marks: so it stands in a float's low bits.
        (local.set $change (f32x4.mul (f32x4.convert_i32x4_s (i32x4.shr_s (local.get $total) (i32.const 7))) (local.get $gain)))
        (local.set $change (i32x4.sub (f32x4.add (f32x4.trunc (local.get $change)) (local.get $whole)) (local.get $whole)))
        (local.set $trend (v128.load16x4_s (i32.add (local.get $trendBefore) (local.get $half))))
        (local.set $trend (i32x4.add
          (i32x4.sub (local.get $trend) (i32x4.shr_s (local.get $trend) (i32.const 2)))
          (local.get $change)))
        ;; Answers are pairs: twice the gain, and how many frames are left.
        (local.set $i (i32x4.shl
          (i32x4.min_s (local.get $jump) (i32x4.max_s (i32x4.abs (local.get $change)) (i32x4.abs (local.get $trend))))
          (i32.const 3)))
        (local.set $gain (v128.load64_zero (i32.add (local.get $answers) (i32x4.extract_lane 0 (local.get $i)))))
        (local.set $gain (v128.load64_lane 1 (i32.add (local.get $answers) (i32x4.extract_lane 1 (local.get $i))) (local.get $gain)))
        (local.set $most (v128.load64_zero (i32.add (local.get $answers) (i32x4.extract_lane 2 (local.get $i)))))
        (local.set $most (v128.load64_lane 1 (i32.add (local.get $answers) (i32x4.extract_lane 3 (local.get $i))) (local.get $most)))
        (local.set $i (local.get $gain))
        (local.set $gain (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $i) (local.get $most)))
        (local.set $most (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $i) (local.get $most)))
        (local.set $seen (v128.load (i32.add (local.get $before) (local.get $x))))
        (local.set $i (i32x4.add (i32x4.shr_u (i32x4.shl (local.get $seen) (i32.const 25)) (i32.const 26)) (local.get $one)))
        (local.set $most (i32x4.min_s (local.get $i) (local.get $most)))
        (local.set $gain (f32x4.pmax (local.get $gain)
          (f32x4.pmax (local.get $leasts) (f32x4.div (local.get $twice) (f32x4.convert_i32x4_s (local.get $i))))))
        (local.set $was (i32x4.shr_u (local.get $seen) (i32.const 7)))
        ;; The difference from the mean, 1/512 of a unit.
        (local.set $mean (i32x4.sub (i32x4.shl (local.get $z) (i32.const 9)) (local.get $was)))
        (local.set $mean (i32x4.max_s (local.get $nearest) (i32x4.min_s (local.get $farthest) (local.get $mean))))
        (local.set $mean (i32x4.add (local.get $was) (i32x4.shr_s
          (i32x4.add
            (i32x4.trunc_sat_f32x4_s (f32x4.floor (f32x4.mul (f32x4.convert_i32x4_s (local.get $mean)) (local.get $gain))))
            (local.get $one))
          (i32.const 1))))
        (local.set $held (i32x4.add (i32x4.shr_u (local.get $was) (i32.const 9)) (v128.and (local.get $seen) (local.get $one))))
        ;; The depth shown, the nearest to the mean unless the last one is near enough.
        (local.set $held (v128.bitselect
          (i32x4.shr_u (i32x4.add (local.get $mean) (local.get $up)) (i32.const 9))
          (local.get $held)
          (i32x4.gt_s (i32x4.abs (i32x4.sub (local.get $mean) (i32x4.shl (local.get $held) (i32.const 9)))) (local.get $hold))))
        (local.set $now (v128.bitselect
          (local.get $now)
          (v128.or
            (v128.or (i32x4.shl (local.get $mean) (i32.const 7)) (i32x4.shl (local.get $most) (i32.const 1)))
            (i32x4.sub (local.get $held) (i32x4.shr_u (local.get $mean) (i32.const 9))))
          (local.get $mark)))
        (local.set $held (v128.bitselect (local.get $z) (local.get $held) (local.get $mark)))
        (local.set $trend (v128.andnot (local.get $trend) (local.get $mark)))))
      (v128.store (i32.add (local.get $after) (local.get $x)) (local.get $now))
      (v128.store64_lane 0 (i32.add (local.get $trendAfter) (local.get $half))
        (i16x8.narrow_i32x4_s (local.get $trend) (local.get $trend)))
      (v128.store64_lane 0 (i32.add (local.get $sink) (local.get $half))
        (i16x8.narrow_i32x4_u (local.get $held) (local.get $held)))
      (local.set $columns (i32.add (local.get $columns) (i32.const 16)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end)))))

  (func (export "follow") (param $source i32) (param $before i32) (param $after i32) (param $sink i32) (param $marks i32)
    (param $columns i32) (param $scales i32) (param $weights i32) (param $answers i32) (param $least f32)
    (param $row i32) (param $height i32)
    (local $y i32) (local $ahead i32) (local $slot i32) (local $old i32) (local $words i32) (local $pitch i32) (local $halves i32) (local $trendBefore i32) (local $trendAfter i32)
    (local.set $words (i32.shl (local.get $row) (i32.const 2)))
    (local.set $halves (i32.shl (local.get $row) (i32.const 1)))
    (local.set $trendBefore (i32.add (local.get $before) (i32.mul (local.get $words) (local.get $height))))
    (local.set $trendAfter (i32.add (local.get $after) (i32.mul (local.get $words) (local.get $height))))
    (local.set $pitch (i32.add (local.get $words) (i32.const 16)))
    (memory.fill (local.get $columns) (i32.const 0) (i32.add (local.get $words) (i32.const 48)))
    (memory.fill (local.get $marks) (i32.const 0) (i32.shl (local.get $pitch) (i32.const 4)))
    ;; Four rows ahead of the one that is left; marks are kept until they are four rows behind it. Past the frame there are none.
    (local.set $y (i32.const -4))
    (loop $nextRow
      (local.set $ahead (i32.add (local.get $y) (i32.const 4)))
      (local.set $slot (i32.add (local.get $marks) (i32.mul (i32.and (local.get $ahead) (i32.const 15)) (local.get $pitch))))
      (local.set $old
        (i32.add (local.get $marks) (i32.mul (i32.and (i32.sub (local.get $y) (i32.const 5)) (i32.const 15)) (local.get $pitch))))
      (if (i32.lt_s (local.get $ahead) (local.get $height))
        (then (call $add
          (i32.add (local.get $source) (i32.mul (local.get $ahead) (local.get $halves)))
          (i32.add (local.get $before) (i32.mul (local.get $ahead) (local.get $words)))
          (local.get $slot) (local.get $old) (local.get $columns) (local.get $scales) (local.get $words)))
        (else (call $remove (local.get $old) (local.get $columns) (local.get $words))))
      (if (i32.ge_s (local.get $y) (i32.const 0)) (then
        (local.set $slot (i32.add (local.get $marks) (i32.mul (i32.and (local.get $y) (i32.const 15)) (local.get $pitch))))
        (call $step
          (i32.add (local.get $source) (i32.mul (local.get $y) (local.get $halves)))
          (i32.add (local.get $before) (i32.mul (local.get $y) (local.get $words)))
          (i32.add (local.get $trendBefore) (i32.mul (local.get $y) (local.get $halves)))
          (local.get $slot) (local.get $columns)
          (i32.add (local.get $after) (i32.mul (local.get $y) (local.get $words)))
          (i32.add (local.get $trendAfter) (i32.mul (local.get $y) (local.get $halves)))
          (i32.add (local.get $sink) (i32.mul (local.get $y) (local.get $halves)))
          (local.get $weights) (local.get $answers) (local.get $least) (local.get $words))))
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
