;; The pixels between the middles of two rows of columns: each a mean of what the eight planes around it say at its place.
;;
;;   ○──○──○      A region lies between four columns. Its cells' planes are turned so that a vector holds the four columns',
;;   │  │▓▓│      nearer cells first: record of a cell, 64 bytes: 1/depth, what it grows by to the right and down, weight.
;;   ○──○──○      A pixel reads two records side by side.
(module
  (import "twin" "memory" (memory 0))

  ;; A region's records, of those quads that its pixels lie next to. What takes no part has the first record: that is no cell, and zeros.
  (func $collect
    (param $above i32) (param $below i32) (param $pitch i32) (param $asked i32) (param $words i32) (param $records i32)
    (local $word i32) (local $bits i64) (local $quad i32) (local $p i32) (local $q i32) (local $at i32) (local $end i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $s v128) (local $t v128)
    (loop $mask
      (local.set $bits (i64.load (local.get $asked)))
      (block $none
        (br_if $none (i64.eqz (local.get $bits)))
        (loop $quads
          (local.set $quad (i32.add (i32.shl (local.get $word) (i32.const 6)) (i32.wrap_i64 (i64.ctz (local.get $bits)))))
          (local.set $bits (i64.and (local.get $bits) (i64.sub (local.get $bits) (i64.const 1))))
          (local.set $p (i32.add (local.get $above) (i32.shl (local.get $quad) (i32.const 6))))
          (local.set $q (i32.add (local.get $below) (i32.shl (local.get $quad) (i32.const 6))))
          (local.set $at (i32.add (local.get $records) (i32.shl (local.get $quad) (i32.const 8))))
          (local.set $end (i32.add (local.get $at) (i32.const 64)))
          (loop $part
            (local.set $a (v128.load (local.get $p)))
            (local.set $b (v128.load (i32.add (local.get $p) (local.get $pitch))))
            (local.set $c (v128.load (local.get $q)))
            (local.set $d (v128.load (i32.add (local.get $q) (local.get $pitch))))
            (local.set $s (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b)))
            (local.set $t (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d)))
            (v128.store (local.get $at)
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $s) (local.get $t)))
            (v128.store offset=64 (local.get $at)
              (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $s) (local.get $t)))
            (local.set $s (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b)))
            (local.set $t (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d)))
            (v128.store offset=128 (local.get $at)
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $s) (local.get $t)))
            (v128.store offset=192 (local.get $at)
              (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $s) (local.get $t)))
            (local.set $p (i32.add (local.get $p) (i32.const 16)))
            (local.set $q (i32.add (local.get $q) (i32.const 16)))
            (br_if $part
              (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
          (br_if $quads (i64.ne (local.get $bits) (i64.const 0)))))
      (local.set $asked (i32.add (local.get $asked) (i32.const 8)))
      (br_if $mask (i32.lt_u (local.tee $word (i32.add (local.get $word) (i32.const 1))) (local.get $words)))))

  (func $keep (param v128) (result v128) (local.get 0))

  ;; A row of regions. `source` and `sink` are where x would be 0 in its first row of pixels, `pitch` is a row in bytes. `depths` holds
  ;; for each depth 64 times the nearer of the cells that it lies between, how far behind that one's middle it lies, and depth times
  ;; and once what a pixel's distance from a plane is measured in. `across` holds for each pixel of a region's row, and `down` for
  ;; each of its rows, the distance from the four columns' middles and the weights. No pixel moves farther than `reach` sigmas.
  (func (export "slice")
    (param $source i32) (param $sink i32) (param $pitch i32) (param $rows i32) (param $space i32) (param $regions i32)
    (param $depths i32) (param $across i32) (param $down i32)
    (param $above i32) (param $below i32) (param $planePitch i32) (param $asked i32) (param $words i32)
    (param $records i32) (param $scratch i32)
    (param $sigma f32) (param $growth f32) (param $farthest f32) (param $reach f32)
    (local $x i32) (local $region i32) (local $row i32) (local $i i32) (local $at i32) (local $wide i32)
    (local $line i32) (local $lines i32) (local $first i32) (local $stop i32) (local $place i32) (local $slot i32) (local $depth i32) (local $record i32) (local $from i32)
    (local $dx v128) (local $dy v128) (local $tap v128) (local $far v128) (local $scaled v128) (local $steep v128)
    (local $inverse v128) (local $off v128) (local $weight v128) (local $sum v128) (local $total v128)
    (local $own v128) (local $a v128) (local $b v128)
    (local $one v128) (local $half v128) (local $whole v128) (local $zero v128) (local $reaches v128) (local $sigmas v128) (local $growths v128) (local $last v128)
    ;; All that stays is told before the loops: some engines would make it anew for each pixel.
    (local.set $one (call $keep (v128.const f32x4 1 1 1 1)))
    (local.set $half (call $keep (v128.const f32x4 0.5 0.5 0.5 0.5)))
    (local.set $whole (call $keep (v128.const f32x4 8388608 8388608 8388608 8388608)))
    (local.set $reaches (call $keep (f32x4.splat (local.get $reach))))
    (local.set $sigmas (call $keep (f32x4.splat (local.get $sigma))))
    (local.set $growths (call $keep (f32x4.splat (local.get $growth))))
    (local.set $last (call $keep (f32x4.splat (local.get $farthest))))
    (local.set $lines (i32.shl (i32.add (local.get $space) (i32.const 3)) (i32.const 5)))
    (local.set $wide (i32.shr_u (local.get $pitch) (i32.const 1)))
    (local.set $x (i32.sub (i32.const 0) (i32.shr_u (i32.add (local.get $space) (i32.const 1)) (i32.const 1))))
    (loop $next
      (call $collect
        (local.get $above) (local.get $below) (local.get $planePitch) (local.get $asked) (local.get $words) (local.get $records))
      (local.set $first (select (i32.sub (i32.const 0) (local.get $x)) (i32.const 0) (i32.lt_s (local.get $x) (i32.const 0))))
      (local.set $stop (i32.sub (local.get $wide) (local.get $x)))
      (local.set $stop (select (local.get $space) (local.get $stop) (i32.lt_s (local.get $space) (local.get $stop))))
      (local.set $row (i32.const 0))
      (loop $lines
        (local.set $dy (v128.load (i32.add (local.get $down) (i32.shl (local.get $row) (i32.const 4)))))
        (local.set $line (i32.add (local.get $across) (i32.mul (local.get $row) (local.get $lines))))
        (local.set $i (local.get $first))
        (loop $fours
          (local.set $at
            (i32.add
              (i32.mul (local.get $row) (local.get $pitch))
              (i32.shl (i32.add (local.get $x) (local.get $i)) (i32.const 1))))
          (local.set $from (i32.add (local.get $source) (local.get $at)))
          (local.set $own (v128.load16x4_u (local.get $from)))
          (if (v128.any_true (local.get $own))
            (then
            (local.set $place (i32.add (local.get $line) (i32.shl (local.get $i) (i32.const 5))))
            (local.set $slot (local.get $scratch))
            (loop $pixel
              (local.set $depth (i32.add (local.get $depths) (i32.shl (i32.load16_u (local.get $from)) (i32.const 4))))
              (local.set $record (i32.add (local.get $records) (i32.load (local.get $depth))))
              (local.set $dx (v128.load (local.get $place)))
              (local.set $tap (v128.load offset=16 (local.get $place)))
              (local.set $far (f32x4.mul (local.get $tap) (v128.load32_splat offset=4 (local.get $depth))))
              (local.set $scaled (v128.load32_splat offset=8 (local.get $depth)))
              (local.set $steep (v128.load32_splat offset=12 (local.get $depth)))
              (local.set $inverse
                (f32x4.add
                  (v128.load offset=0 (local.get $record))
                  (f32x4.add
                    (f32x4.mul (v128.load offset=16 (local.get $record)) (local.get $dx))
                    (f32x4.mul (v128.load offset=32 (local.get $record)) (local.get $dy)))))
              (local.set $off (f32x4.sub (f32x4.mul (local.get $inverse) (local.get $scaled)) (local.get $steep)))
              (local.set $off (f32x4.add (f32x4.mul (local.get $off) (local.get $off)) (local.get $one)))
              (local.set $weight
                (f32x4.div
                  (f32x4.mul
                    (f32x4.sub (local.get $tap) (local.get $far))
                    (v128.load offset=48 (local.get $record)))
                  (f32x4.mul (local.get $off) (local.get $off))))
              (local.set $sum (f32x4.mul (local.get $weight) (local.get $inverse)))
              (local.set $total (local.get $weight))
              (local.set $inverse
                (f32x4.add
                  (v128.load offset=64 (local.get $record))
                  (f32x4.add
                    (f32x4.mul (v128.load offset=80 (local.get $record)) (local.get $dx))
                    (f32x4.mul (v128.load offset=96 (local.get $record)) (local.get $dy)))))
              (local.set $off (f32x4.sub (f32x4.mul (local.get $inverse) (local.get $scaled)) (local.get $steep)))
              (local.set $off (f32x4.add (f32x4.mul (local.get $off) (local.get $off)) (local.get $one)))
              (local.set $weight
                (f32x4.div
                  (f32x4.mul (local.get $far) (v128.load offset=112 (local.get $record)))
                  (f32x4.mul (local.get $off) (local.get $off))))
              (local.set $sum (f32x4.add (local.get $sum) (f32x4.mul (local.get $weight) (local.get $inverse))))
              (local.set $total (f32x4.add (local.get $total) (local.get $weight)))
              (v128.store (local.get $slot)
                (f32x4.add
                  (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $sum) (local.get $total))
                  (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $sum) (local.get $total))))
              (local.set $from (i32.add (local.get $from) (i32.const 2)))
              (local.set $place (i32.add (local.get $place) (i32.const 32)))
              (br_if $pixel
                (i32.lt_u
                  (local.tee $slot (i32.add (local.get $slot) (i32.const 16)))
                  (i32.add (local.get $scratch) (i32.const 64)))))
            (local.set $sum (v128.load (local.get $scratch)))
            (local.set $total (v128.load offset=16 (local.get $scratch)))
            (local.set $a
              (f32x4.add
                (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sum) (local.get $total))
                (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sum) (local.get $total))))
            (local.set $sum (v128.load offset=32 (local.get $scratch)))
            (local.set $total (v128.load offset=48 (local.get $scratch)))
            (local.set $b
              (f32x4.add
                (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sum) (local.get $total))
                (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sum) (local.get $total))))
            (local.set $sum (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $a) (local.get $b)))
            (local.set $total (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $a) (local.get $b)))
            (local.set $a (f32x4.convert_i32x4_s (local.get $own)))
            (local.set $b
              (f32x4.mul
                (local.get $reaches)
                (f32x4.pmax
                  (f32x4.add
                    (local.get $sigmas)
                    (f32x4.mul (local.get $growths) (f32x4.mul (local.get $a) (local.get $a))))
                  (local.get $one))))
            (local.set $inverse
              (f32x4.pmax
                (f32x4.pmin
                  (f32x4.div (local.get $total) (local.get $sum))
                  (f32x4.pmin (f32x4.add (local.get $a) (local.get $b)) (local.get $last)))
                (f32x4.pmax (f32x4.sub (local.get $a) (local.get $b)) (local.get $one))))
            (local.set $inverse
              (f32x4.add
                (f32x4.floor (f32x4.add (local.get $inverse) (local.get $half)))
                (local.get $whole)))
            (local.set $own
              (v128.bitselect
                (v128.xor (local.get $inverse) (local.get $whole))
                (local.get $own)
                (f32x4.gt (local.get $sum) (local.get $zero))))))
          (local.set $from (i32.add (local.get $sink) (local.get $at)))
          ;; What the four overhang the region by stays as it is.
          (if (i32.gt_s (i32.add (local.get $i) (i32.const 4)) (local.get $stop))
            (then
              (local.set $own
                (v128.bitselect
                  (local.get $own)
                  (v128.load16x4_u (local.get $from))
                  (i32x4.lt_s
                    (i32x4.add (i32x4.splat (local.get $i)) (v128.const i32x4 0 1 2 3))
                    (i32x4.splat (local.get $stop)))))))
          (v128.store64_lane 0 (local.get $from) (i16x8.narrow_i32x4_u (local.get $own) (local.get $own)))
          (br_if $fours
            (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 4))) (local.get $stop))))
        (br_if $lines
          (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $rows))))
      (local.set $x (i32.add (local.get $x) (local.get $space)))
      (local.set $above (i32.add (local.get $above) (local.get $planePitch)))
      (local.set $below (i32.add (local.get $below) (local.get $planePitch)))
      (local.set $asked (i32.add (local.get $asked) (i32.shl (local.get $words) (i32.const 3))))
      (br_if $next
        (i32.lt_u (local.tee $region (i32.add (local.get $region) (i32.const 1))) (local.get $regions))))))
