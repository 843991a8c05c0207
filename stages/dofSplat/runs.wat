;; What is known of each point, and the runs that become one splat: as runs.ts has them. `view` is what view.ts writes.
(module
  (import "twin" "memory" (memory 0 65536))

  ;; Four points at a time; up to three past the last are written, too.
  (func (export "measure")
    (param $points i32) (param $count i32) (param $view i32) (param $distances i32) (param $pixels i32) (param $lengths i32)
    (local $end i32)
    (local $p0 v128) (local $p1 v128) (local $p2 v128) (local $p3 v128)
    (local $x v128) (local $y v128) (local $z v128) (local $distance v128) (local $r v128) (local $column v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $longest v128)
    (local.set $end (i32.add (local.get $points) (i32.shl (local.get $count) (i32.const 4))))
    (local.set $a (v128.load32_splat offset=8 (local.get $view)))
    (local.set $b (v128.load32_splat offset=24 (local.get $view)))
    (local.set $c (v128.load32_splat offset=40 (local.get $view)))
    (local.set $d (v128.load32_splat offset=56 (local.get $view)))
    (local.set $longest (i32x4.trunc_sat_f32x4_s (v128.load32_splat offset=120 (local.get $view))))
    (block $done
      (br_if $done (i32.eqz (local.get $count)))
      (loop $next
        (local.set $p0 (v128.load (local.get $points)))
        (local.set $p1 (v128.load offset=16 (local.get $points)))
        (local.set $p2 (v128.load offset=32 (local.get $points)))
        (local.set $p3 (v128.load offset=48 (local.get $points)))
        (local.set $r (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $p0) (local.get $p1)))
        (local.set $column (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $p2) (local.get $p3)))
        (local.set $x (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $r) (local.get $column)))
        (local.set $y (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $r) (local.get $column)))
        (local.set $z
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
            (i8x16.shuffle 8 9 10 11 24 25 26 27 8 9 10 11 24 25 26 27 (local.get $p0) (local.get $p1))
            (i8x16.shuffle 8 9 10 11 24 25 26 27 8 9 10 11 24 25 26 27 (local.get $p2) (local.get $p3))))
        ;; distanceOf
        (local.set $distance
          (f32x4.add
            (f32x4.add
              (f32x4.add (f32x4.mul (local.get $a) (local.get $x)) (f32x4.mul (local.get $b) (local.get $y)))
              (f32x4.mul (local.get $c) (local.get $z)))
            (local.get $d)))
        (v128.store (local.get $distances) (local.get $distance))
        (local.set $r
          (f32x4.div
            (f32x4.pmin
              (f32x4.mul
                (v128.load32_splat offset=108 (local.get $view))
                (f32x4.abs
                  (f32x4.sub
                    (v128.load32_splat offset=112 (local.get $view))
                    (f32x4.div (v128.const f32x4 1 1 1 1) (local.get $distance)))))
              (v128.load32_splat offset=128 (local.get $view)))
            (f32x4.pmax
              (f32x4.div
                (f32x4.mul (v128.load32_splat offset=132 (local.get $view)) (local.get $z))
                (local.get $distance))
              (v128.const f32x4 1 1 1 1))))
        ;; 1, or 2 or 4 but no more than the longest. RUN_OF_2, RUN_OF_4
        (v128.store
          (local.get $lengths)
          (v128.bitselect
            (i32x4.min_s
              (v128.bitselect
                (v128.const i32x4 4 4 4 4)
                (v128.const i32x4 2 2 2 2)
                (f32x4.ge (local.get $r) (v128.const f32x4 6.08 6.08 6.08 6.08)))
              (local.get $longest))
            (v128.const i32x4 1 1 1 1)
            (f32x4.ge (local.get $r) (v128.const f32x4 3.04 3.04 3.04 3.04))))
        ;; pixelOf
        (local.set $column
          (f32x4.pmin
            (f32x4.pmax
              (v128.const f32x4 -32768 -32768 -32768 -32768)
              (f32x4.floor
                (f32x4.add
                  (f32x4.add
                    (f32x4.mul
                      (f32x4.div (local.get $x) (local.get $z))
                      (v128.load32_splat offset=80 (local.get $view)))
                    (v128.load32_splat offset=88 (local.get $view)))
                  (v128.const f32x4 0.5 0.5 0.5 0.5))))
            (v128.const f32x4 32767 32767 32767 32767)))
        (v128.store
          (local.get $pixels)
          (i32x4.add
            (i32x4.shl
              (i32x4.trunc_sat_f32x4_s
                (f32x4.pmin
                  (f32x4.pmax
                    (v128.const f32x4 -32768 -32768 -32768 -32768)
                    (f32x4.floor
                      (f32x4.add
                        (f32x4.add
                          (f32x4.mul
                            (f32x4.div (local.get $y) (local.get $z))
                            (v128.load32_splat offset=84 (local.get $view)))
                          (v128.load32_splat offset=92 (local.get $view)))
                        (v128.const f32x4 0.5 0.5 0.5 0.5))))
                  (v128.const f32x4 32767 32767 32767 32767)))
              (i32.const 16))
            (i32x4.trunc_sat_f32x4_s (local.get $column))))
        (local.set $points (i32.add (local.get $points) (i32.const 64)))
        (local.set $distances (i32.add (local.get $distances) (i32.const 16)))
        (local.set $pixels (i32.add (local.get $pixels) (i32.const 16)))
        (local.set $lengths (i32.add (local.get $lengths) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $points) (local.get $end))))))

  ;; Writes 32 bytes a run, the fields of runs.ts, of the points from `i` to `last` whose pixels have none of the bits of `thin`; returns
  ;; where they end. `tables` are the light of each sRGB byte and where each one's light ends, f32, then the bytes of each 4095th of light.
  ;; Four points that are runs of their own go together.
  (func (export "gather")
    (param $points i32) (param $i i32) (param $last i32) (param $count i32) (param $view i32) (param $distances i32) (param $pixels i32) (param $lengths i32)
    (param $thin i32) (param $tables i32) (param $runs i32) (result i32)
    (local $length i32) (local $pixel i32) (local $by i32) (local $at i32) (local $step i32) (local $next i32)
    (local $low v128) (local $high v128) (local $point v128) (local $mean v128) (local $light v128) (local $members f32)
    (local $distance f32)
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $i) (local.get $last)))
        (local.set $at (i32.add (local.get $points) (i32.shl (local.get $i) (i32.const 4))))
        (local.set $next (i32.shl (local.get $i) (i32.const 2)))
        (if
          (i32.and
            (i32.and
              (i32.le_u (i32.add (local.get $i) (i32.const 4)) (local.get $last))
              (i32.eqz (local.get $thin)))
            (i32x4.all_true
              (i32x4.eq
                (v128.load (i32.add (local.get $lengths) (local.get $next)))
                (v128.const i32x4 1 1 1 1))))
          (then
            (local.set $low (v128.load (i32.add (local.get $distances) (local.get $next))))
            (local.set $high (v128.load (i32.add (local.get $pixels) (local.get $next))))
            (local.set $point (v128.load (local.get $at)))
            (v128.store (local.get $runs) (local.get $point))
            (v128.store offset=16
              (local.get $runs)
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 24 25 26 27
                (i8x16.shuffle 0 1 2 3 16 17 18 19 0 1 2 3 0 1 2 3 (local.get $low) (local.get $high))
                (f32x4.replace_lane 0 (local.get $point) (f32.const 1))))
            (local.set $point (v128.load offset=16 (local.get $at)))
            (v128.store offset=32 (local.get $runs) (local.get $point))
            (v128.store offset=48
              (local.get $runs)
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 24 25 26 27
                (i8x16.shuffle 4 5 6 7 20 21 22 23 0 1 2 3 0 1 2 3 (local.get $low) (local.get $high))
                (f32x4.replace_lane 0 (local.get $point) (f32.const 1))))
            (local.set $point (v128.load offset=32 (local.get $at)))
            (v128.store offset=64 (local.get $runs) (local.get $point))
            (v128.store offset=80
              (local.get $runs)
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 24 25 26 27
                (i8x16.shuffle 8 9 10 11 24 25 26 27 0 1 2 3 0 1 2 3 (local.get $low) (local.get $high))
                (f32x4.replace_lane 0 (local.get $point) (f32.const 1))))
            (local.set $point (v128.load offset=48 (local.get $at)))
            (v128.store offset=96 (local.get $runs) (local.get $point))
            (v128.store offset=112
              (local.get $runs)
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 24 25 26 27
                (i8x16.shuffle 12 13 14 15 28 29 30 31 0 1 2 3 0 1 2 3 (local.get $low) (local.get $high))
                (f32x4.replace_lane 0 (local.get $point) (f32.const 1))))
            (local.set $runs (i32.add (local.get $runs) (i32.const 128)))
            (local.set $i (i32.add (local.get $i) (i32.const 4)))
            (br $each)))
        (local.set $length (i32.load (i32.add (local.get $lengths) (local.get $next))))
        (local.set $pixel (i32.load (i32.add (local.get $pixels) (local.get $next))))
        (local.set $distance (f32.load (i32.add (local.get $distances) (local.get $next))))
        ;; The column, modulo the length.
        (local.set $by
          (i32.rem_s
            (i32.add
              (i32.rem_s
                (i32.shr_s (i32.shl (local.get $pixel) (i32.const 16)) (i32.const 16))
                (local.get $length))
              (local.get $length))
            (local.get $length)))
        (block $anothers
          (br_if $anothers (i32.and (local.get $pixel) (local.get $thin)))
          (if (i32.and (i32.gt_u (local.get $by) (i32.const 0)) (i32.le_u (local.get $by) (local.get $i)))
            (then
              (br_if $anothers
                (call $follows
                  (local.get $points)
                  (local.get $pixels)
                  (local.get $lengths)
                  (local.get $i)
                  (i32.sub (local.get $i) (local.get $by))
                  (local.get $by)
                  (local.get $length)))))
          (local.set $mean (v128.load (local.get $at)))
          (local.set $point (local.get $mean))
          (local.set $members (f32.const 1))
          (if (i32.and (i32.eqz (local.get $by)) (i32.gt_u (local.get $length) (i32.const 1)))
            (then
              (local.set $light (call $lightOf (local.get $tables) (i32x4.extract_lane 3 (local.get $mean))))
              (local.set $step (i32.const 1))
              (loop $steps
                (local.set $next (i32.add (local.get $i) (local.get $step)))
                (if (i32.lt_u (local.get $next) (local.get $count))
                  (then
                    (if
                      (call $follows
                        (local.get $points)
                        (local.get $pixels)
                        (local.get $lengths)
                        (local.get $next)
                        (local.get $i)
                        (local.get $step)
                        (local.get $length))
                      (then
                        (local.set $low (v128.load (i32.add (local.get $points) (i32.shl (local.get $next) (i32.const 4)))))
                        (local.set $mean (f32x4.add (local.get $mean) (local.get $low)))
                        (local.set $light
                          (f32x4.add
                            (local.get $light)
                            (call $lightOf (local.get $tables) (i32x4.extract_lane 3 (local.get $low)))))
                        (local.set $members (f32.add (local.get $members) (f32.const 1)))))))
                (br_if $steps
                  (i32.lt_u (local.tee $step (i32.add (local.get $step) (i32.const 1))) (i32.const 4))))
              (if (f32.gt (local.get $members) (f32.const 1))
                (then
                  (local.set $mean (f32x4.div (local.get $mean) (f32x4.splat (local.get $members))))
                  (local.set $light (f32x4.div (local.get $light) (f32x4.splat (local.get $members))))
                  (local.set $distance
                    (f32.add
                      (f32.add
                        (f32.add
                          (f32.mul (f32.load offset=8 (local.get $view)) (f32x4.extract_lane 0 (local.get $mean)))
                          (f32.mul (f32.load offset=24 (local.get $view)) (f32x4.extract_lane 1 (local.get $mean))))
                        (f32.mul (f32.load offset=40 (local.get $view)) (f32x4.extract_lane 2 (local.get $mean))))
                      (f32.load offset=56 (local.get $view))))
                  (local.set $mean
                    (i32x4.replace_lane 3
                      (local.get $mean)
                      (i32.or
                        (call $byteOf (local.get $tables) (f32x4.extract_lane 0 (local.get $light)))
                        (i32.or
                          (i32.shl
                            (call $byteOf (local.get $tables) (f32x4.extract_lane 1 (local.get $light)))
                            (i32.const 8))
                          (i32.shl
                            (call $byteOf (local.get $tables) (f32x4.extract_lane 2 (local.get $light)))
                            (i32.const 16))))))))))
          (v128.store (local.get $runs) (local.get $mean))
          (f32.store offset=16 (local.get $runs) (local.get $distance))
          (i32.store offset=20 (local.get $runs) (local.get $pixel))
          (f32.store offset=24 (local.get $runs) (local.get $members))
          (f32.store offset=28 (local.get $runs) (f32x4.extract_lane 2 (local.get $point)))
          (local.set $runs (i32.add (local.get $runs) (i32.const 32))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $each)))
    (local.get $runs))

  (func $follows
    (param $points i32) (param $pixels i32) (param $lengths i32) (param $point i32) (param $leader i32) (param $by i32)
    (param $length i32) (result i32)
    (local $z f32)
    (if (i32.ge_u (local.get $by) (local.get $length)) (then (return (i32.const 0))))
    (local.set $point (i32.shl (local.get $point) (i32.const 2)))
    (local.set $leader (i32.shl (local.get $leader) (i32.const 2)))
    (if
      (i32.ne
        (i32.load (i32.add (local.get $pixels) (local.get $point)))
        (i32.add (i32.load (i32.add (local.get $pixels) (local.get $leader))) (local.get $by)))
      (then (return (i32.const 0))))
    (local.set $z
      (f32.load offset=8 (i32.add (local.get $points) (i32.shl (local.get $leader) (i32.const 2)))))
    (i32.and
      (i32.and
        (i32.eq (i32.load (i32.add (local.get $lengths) (local.get $point))) (local.get $length))
        (i32.eq (i32.load (i32.add (local.get $lengths) (local.get $leader))) (local.get $length)))
      ;; EDGE
      (f32.lt
        (f32.abs
          (f32.sub
            (f32.load offset=8 (i32.add (local.get $points) (i32.shl (local.get $point) (i32.const 2))))
            (local.get $z)))
        (f32.mul (f32.const 0.0203) (local.get $z)))))

  (func $lightOf (param $tables i32) (param $colour i32) (result v128)
    (v128.load32_lane 2
      (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $colour) (i32.const 14)) (i32.const 1020)))
      (v128.load32_lane 1
        (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $colour) (i32.const 6)) (i32.const 1020)))
        (v128.load32_zero
          (i32.add (local.get $tables) (i32.and (i32.shl (local.get $colour) (i32.const 2)) (i32.const 1020)))))))

  (func $byteOf (param $tables i32) (param $light f32) (result i32)
    (local $byte i32)
    (local.set $byte
      (i32.load8_u offset=2048
        (i32.add (local.get $tables) (i32.trunc_sat_f32_u (f32.mul (local.get $light) (f32.const 4095))))))
    (block $found
      (loop $on
        (br_if $found
          (f32.lt
            (local.get $light)
            (f32.load offset=1024 (i32.add (local.get $tables) (i32.shl (local.get $byte) (i32.const 2))))))
        (local.set $byte (i32.add (local.get $byte) (i32.const 1)))
        (br $on)))
    (local.get $byte)))
