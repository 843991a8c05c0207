;; The masked median 3×3 as shaders/median/size3.wgsl and size3.ts compute it (there is the method), eight pixels at a time.
;;
;;   rows y−1, y, y+1 ──► sorted columns: low, middle, high, parity (a plane of scratch each) ──► three columns side by side
;;
;; Rows lie `stride` bytes apart, a multiple of 16; there is a row of zeros before the first and after the last. A plane of
;; scratch is 32 bytes, a row, 32 bytes: what a column outside the image is (0, 0, 65535, 65535) stands there beforehand.
(module
  (import "twin" "memory" (memory 0))

  ;; The sorted columns of the rows around `row` into scratch. A hole that makes the number of zeros even turns into 65535.
  (func $sortColumns (param $row i32) (param $stride i32) (param $scratch i32)
    (local $x i32) (local $at i32) (local $plane i32)
    (local $zero v128) (local $a v128) (local $v v128) (local $hole v128) (local $parity v128)
    (local $low v128) (local $high v128) (local $rest v128)
    (local.set $plane (i32.add (local.get $stride) (i32.const 64)))
    (loop $next
      (local.set $at (i32.add (local.get $row) (local.get $x)))
      (local.set $a (v128.load (i32.sub (local.get $at) (local.get $stride))))
      (local.set $parity (i16x8.eq (local.get $a) (local.get $zero)))
      (local.set $v (v128.load (local.get $at)))
      (local.set $hole (i16x8.eq (local.get $v) (local.get $zero)))
      (local.set $v (v128.or (local.get $v) (v128.and (local.get $parity) (local.get $hole))))
      (local.set $parity (v128.xor (local.get $parity) (local.get $hole)))
      (local.set $low (i16x8.min_u (local.get $a) (local.get $v)))
      (local.set $high (i16x8.max_u (local.get $a) (local.get $v)))
      (local.set $v (v128.load (i32.add (local.get $at) (local.get $stride))))
      (local.set $hole (i16x8.eq (local.get $v) (local.get $zero)))
      (local.set $v (v128.or (local.get $v) (v128.and (local.get $parity) (local.get $hole))))
      (local.set $rest (i16x8.max_u (local.get $low) (local.get $v)))
      (local.set $at (i32.add (local.get $scratch) (i32.add (local.get $x) (i32.const 32))))
      (v128.store (local.get $at) (i16x8.min_u (local.get $low) (local.get $v)))
      (local.set $at (i32.add (local.get $at) (local.get $plane)))
      (v128.store (local.get $at) (i16x8.min_u (local.get $rest) (local.get $high)))
      (local.set $at (i32.add (local.get $at) (local.get $plane)))
      (v128.store (local.get $at) (i16x8.max_u (local.get $rest) (local.get $high)))
      (local.set $at (i32.add (local.get $at) (local.get $plane)))
      (v128.store (local.get $at) (v128.xor (local.get $parity) (local.get $hole)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $stride)))))

  ;; One row of medians. Where both of two columns, or they and the third, hold an odd number of zeros, one more of the latter's
  ;; turns: it shifts. Invalid centres stay 0.
  (func $medians (param $row i32) (param $sink i32) (param $stride i32) (param $scratch i32)
    (local $x i32) (local $at i32) (local $plane i32) (local $zero v128) (local $low v128) (local $middle v128) (local $high v128)
    (local $low1 v128) (local $low2 v128) (local $middle1 v128) (local $middle2 v128) (local $high1 v128) (local $high2 v128)
    (local $parity v128) (local $shift1 v128) (local $shift2 v128)
    (local.set $plane (i32.add (local.get $stride) (i32.const 64)))
    (loop $next
      (local.set $at (i32.add (local.get $scratch) (i32.add (local.get $x) (i32.const 30))))
      (local.set $low (v128.load (local.get $at)))
      (local.set $low1 (v128.load offset=2 (local.get $at)))
      (local.set $low2 (v128.load offset=4 (local.get $at)))
      (local.set $middle (v128.load (local.tee $at (i32.add (local.get $at) (local.get $plane)))))
      (local.set $middle1 (v128.load offset=2 (local.get $at)))
      (local.set $middle2 (v128.load offset=4 (local.get $at)))
      (local.set $high (v128.load (local.tee $at (i32.add (local.get $at) (local.get $plane)))))
      (local.set $high1 (v128.load offset=2 (local.get $at)))
      (local.set $high2 (v128.load offset=4 (local.get $at)))
      (local.set $parity (v128.load (local.tee $at (i32.add (local.get $at) (local.get $plane)))))
      (local.set $shift2 (v128.load offset=2 (local.get $at)))
      (local.set $shift1 (v128.and (local.get $parity) (local.get $shift2)))
      (local.set $parity (v128.xor (local.get $parity) (local.get $shift2)))
      (local.set $shift2 (v128.and (local.get $parity) (v128.load offset=4 (local.get $at))))
      (local.set $low1 (v128.bitselect (local.get $middle1) (local.get $low1) (local.get $shift1)))
      (local.set $middle1 (v128.bitselect (local.get $high1) (local.get $middle1) (local.get $shift1)))
      (local.set $high1 (v128.or (local.get $high1) (local.get $shift1)))
      (local.set $low2 (v128.bitselect (local.get $middle2) (local.get $low2) (local.get $shift2)))
      (local.set $middle2 (v128.bitselect (local.get $high2) (local.get $middle2) (local.get $shift2)))
      (local.set $high2 (v128.or (local.get $high2) (local.get $shift2)))
      ;; The largest low, the median middle, the smallest high; then the median of those.
      (local.set $low (i16x8.max_u (local.get $low) (i16x8.max_u (local.get $low1) (local.get $low2))))
      (local.set $high (i16x8.min_u (local.get $high) (i16x8.min_u (local.get $high1) (local.get $high2))))
      (local.set $middle
        (i16x8.max_u
          (i16x8.min_u (local.get $middle) (local.get $middle1))
          (i16x8.min_u (i16x8.max_u (local.get $middle) (local.get $middle1)) (local.get $middle2))))
      (v128.store (i32.add (local.get $sink) (local.get $x))
        (v128.andnot
          (i16x8.max_u
            (i16x8.min_u (local.get $low) (local.get $middle))
            (i16x8.min_u (i16x8.max_u (local.get $low) (local.get $middle)) (local.get $high)))
          (i16x8.eq (v128.load (i32.add (local.get $row) (local.get $x))) (local.get $zero))))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $stride)))))

  (func (export "median") (param $source i32) (param $sink i32) (param $scratch i32) (param $stride i32) (param $height i32)
    (loop $next
      (call $sortColumns (local.get $source) (local.get $stride) (local.get $scratch))
      (call $medians (local.get $source) (local.get $sink) (local.get $stride) (local.get $scratch))
      (local.set $source (i32.add (local.get $source) (local.get $stride)))
      (local.set $sink (i32.add (local.get $sink) (local.get $stride)))
      (br_if $next (local.tee $height (i32.sub (local.get $height) (i32.const 1)))))))
