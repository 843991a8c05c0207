;; Patches of the picture become splats, four at a time: as project.ts has it, in its order and with its names. `view` is what view.ts
;; writes.
(module
  (import "twin" "memory" (memory 0 65536))

  ;; Takes `count` patches, as patch.wat leaves them; `light` is that of each sRGB byte. Writes 64 bytes a splat, and 8
  ;; to `marks`: the tiles that it touches and the bits of its distance. Returns how many there are: up to three more of each are written.
  (func (export "shape")
    (param $patches i32) (param $count i32) (param $view i32) (param $light i32) (param $splats i32) (param $marks i32)
    (result i32)
    (local $visible i32) (local $mask i32) (local $word i32)
    (local $apertureArea v128) (local $blur v128) (local $inverseFocus v128) (local $lastColumn v128)
    (local $lastRow v128) (local $maxReach v128) (local $x v128) (local $y v128) (local $alongX v128)
    (local $alongY v128) (local $acrossX v128) (local $acrossY v128) (local $along v128) (local $across v128)
    (local $area v128) (local $distance v128) (local $colour v128) (local $inverse v128) (local $w v128)
    (local $r v128) (local $disc v128) (local $q v128) (local $peak v128) (local $slope v128) (local $reachAlong v128)
    (local $reachAcross v128) (local $reachX v128) (local $reachY v128) (local $left v128) (local $top v128)
    (local $right v128) (local $bottom v128) (local $touched v128) (local $a v128) (local $b v128) (local $c v128)
    (local $d v128)
    (local.set $apertureArea (v128.load32_splat offset=124 (local.get $view)))
    (local.set $blur (v128.load32_splat offset=108 (local.get $view)))
    (local.set $inverseFocus (v128.load32_splat offset=112 (local.get $view)))
    (local.set $lastColumn (v128.load32_splat offset=136 (local.get $view)))
    (local.set $lastRow (v128.load32_splat offset=140 (local.get $view)))
    (local.set $maxReach (v128.load32_splat offset=128 (local.get $view)))
    (block $done
      (br_if $done (i32.le_s (local.get $count) (i32.const 0)))
      (loop $next
        (local.set $x (v128.load (local.get $patches)))
        (local.set $y (v128.load offset=16 (local.get $patches)))
        (local.set $alongX (v128.load offset=32 (local.get $patches)))
        (local.set $alongY (v128.load offset=48 (local.get $patches)))
        (local.set $along (v128.load offset=64 (local.get $patches)))
        (local.set $across (v128.load offset=80 (local.get $patches)))
        (local.set $area (v128.load offset=96 (local.get $patches)))
        (local.set $distance (v128.load offset=144 (local.get $patches)))
        (local.set $colour (v128.load offset=160 (local.get $patches)))
        (local.set $disc (i32x4.lt_s (local.get $across) (v128.const i32x4 0 0 0 0)))
        (local.set $across (f32x4.abs (local.get $across)))
        (local.set $w
          (f32x4.sqrt
            (f32x4.mul
              (v128.const f32x4 0.125 0.125 0.125 0.125)
              (f32x4.add
                (f32x4.mul (local.get $along) (local.get $along))
                (f32x4.mul (local.get $across) (local.get $across))))))
        (local.set $w
          (f32x4.pmin
            (f32x4.pmax (local.get $w) (v128.const f32x4 0.5 0.5 0.5 0.5))
            (f32x4.mul (v128.const f32x4 0.5 0.5 0.5 0.5) (local.get $maxReach))))
        (local.set $inverse (f32x4.div (v128.const f32x4 1 1 1 1) (local.get $distance)))
        (local.set $r
          (f32x4.pmin
            (f32x4.mul (local.get $blur) (f32x4.abs (f32x4.sub (local.get $inverseFocus) (local.get $inverse))))
            (f32x4.sub (f32x4.sub (local.get $maxReach) (local.get $w)) (v128.const f32x4 0.5 0.5 0.5 0.5))))
        (local.set $disc
          (v128.or
            (local.get $disc)
            (f32x4.gt
              (local.get $r)
              (f32x4.add (f32x4.mul (v128.const f32x4 3 3 3 3) (local.get $w)) (v128.const f32x4 0.5 0.5 0.5 0.5)))))
        (local.set $q
          (f32x4.add
            (v128.const f32x4 0.5 0.5 0.5 0.5)
            (f32x4.mul (v128.const f32x4 0.8660254 0.8660254 0.8660254 0.8660254) (local.get $r))))
        ;; softAlong, softAcross
        (local.set $a (f32x4.pmax (f32x4.div (local.get $q) (local.get $along)) (v128.const f32x4 0.5 0.5 0.5 0.5)))
        (local.set $b (f32x4.pmax (f32x4.div (local.get $q) (local.get $across)) (v128.const f32x4 0.5 0.5 0.5 0.5)))
        (local.set $peak (f32x4.div (v128.const f32x4 0.25 0.25 0.25 0.25) (f32x4.mul (local.get $a) (local.get $b))))
        (local.set $reachAlong (f32x4.add (local.get $a) (v128.const f32x4 0.5 0.5 0.5 0.5)))
        (local.set $reachAcross (f32x4.add (local.get $b) (v128.const f32x4 0.5 0.5 0.5 0.5)))
        (local.set $slope (v128.const f32x4 0 0 0 0))
        (if (v128.any_true (local.get $disc))
          (then
            (local.set $q
              (f32x4.sqrt (f32x4.add (f32x4.mul (local.get $r) (local.get $r)) (v128.const f32x4 0.25 0.25 0.25 0.25))))
            (local.set $c
              (f32x4.pmin
                (f32x4.div
                  (local.get $area)
                  (f32x4.mul
                    (local.get $apertureArea)
                    (f32x4.add
                      (f32x4.mul (local.get $q) (local.get $q))
                      (f32x4.mul
                        (f32x4.mul (local.get $w) (local.get $w))
                        (v128.const f32x4 0.33333334 0.33333334 0.33333334 0.33333334)))))
                (v128.const f32x4 1 1 1 1)))
            (local.set $c
              (v128.xor
                (local.get $c)
                (v128.and
                  (f32x4.le (local.get $inverseFocus) (local.get $inverse))
                  (v128.const i32x4 -2147483648 -2147483648 -2147483648 -2147483648))))
            (local.set $peak (v128.bitselect (local.get $c) (local.get $peak) (local.get $disc)))
            (local.set $reachAlong
              (v128.bitselect (f32x4.add (local.get $w) (local.get $q)) (local.get $reachAlong) (local.get $disc)))
            (local.set $slope
              (v128.and
                (local.get $disc)
                (f32x4.div (v128.const f32x4 0.5 0.5 0.5 0.5) (f32x4.pmin (local.get $w) (local.get $q)))))))
        ;; farAlong, farAcross
        (local.set $c (f32x4.mul (local.get $reachAlong) (local.get $along)))
        (local.set $d (f32x4.mul (local.get $reachAcross) (local.get $across)))
        (local.set $reachX
          (f32x4.add
            (f32x4.mul (f32x4.abs (local.get $alongX)) (local.get $c))
            (f32x4.mul (f32x4.abs (local.get $alongY)) (local.get $d))))
        (local.set $reachY
          (f32x4.add
            (f32x4.mul (f32x4.abs (local.get $alongY)) (local.get $c))
            (f32x4.mul (f32x4.abs (local.get $alongX)) (local.get $d))))
        ;; fit
        (local.set $c (f32x4.pmax (local.get $reachX) (local.get $reachY)))
        (local.set $a (v128.const f32x4 1 1 1 1))
        (if (v128.any_true (f32x4.gt (local.get $c) (local.get $maxReach)))
          (then (local.set $a (f32x4.pmin (f32x4.div (local.get $maxReach) (local.get $c)) (local.get $a)))))
        (local.set $reachX
          (v128.bitselect (local.get $reachAlong) (f32x4.mul (local.get $reachX) (local.get $a)) (local.get $disc)))
        (local.set $reachY
          (v128.bitselect (local.get $reachAlong) (f32x4.mul (local.get $reachY) (local.get $a)) (local.get $disc)))
        ;; perAlong, perAcross
        (local.set $along (f32x4.div (v128.const f32x4 1 1 1 1) (f32x4.mul (local.get $along) (local.get $a))))
        (local.set $across (f32x4.div (v128.const f32x4 1 1 1 1) (f32x4.mul (local.get $across) (local.get $a))))
        (local.set $acrossX (f32x4.neg (f32x4.mul (local.get $alongY) (local.get $across))))
        (local.set $acrossY (f32x4.mul (local.get $alongX) (local.get $across)))
        (local.set $alongX (f32x4.mul (local.get $alongX) (local.get $along)))
        (local.set $alongY (f32x4.mul (local.get $alongY) (local.get $along)))
        ;; In the last lane: the lights come before it.
        (local.set $slope (i8x16.shuffle 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 (local.get $slope) (local.get $slope)))
        (local.set $left (f32x4.ceil (f32x4.sub (local.get $x) (local.get $reachX))))
        (local.set $top (f32x4.ceil (f32x4.sub (local.get $y) (local.get $reachY))))
        (local.set $right (f32x4.floor (f32x4.add (local.get $x) (local.get $reachX))))
        (local.set $bottom (f32x4.floor (f32x4.add (local.get $y) (local.get $reachY))))
        ;; Written so that NaN fails.
        (local.set $a
          (v128.and
            (f32x4.le (local.get $left) (local.get $lastColumn))
            (v128.and
              (f32x4.ge (local.get $right) (v128.const f32x4 0 0 0 0))
              (f32x4.le (local.get $left) (local.get $right)))))
        (local.set $a
          (v128.and
            (local.get $a)
            (v128.and
              (f32x4.le (local.get $top) (local.get $lastRow))
              (v128.and
                (f32x4.ge (local.get $bottom) (v128.const f32x4 0 0 0 0))
                (f32x4.le (local.get $top) (local.get $bottom))))))
        (local.set $mask
          (i32x4.bitmask
            (v128.and
              (v128.and (local.get $a) (f32x4.ge (local.get $distance) (v128.const f32x4 0.03125 0.03125 0.03125 0.03125)))
              (i32x4.gt_s (i32x4.splat (local.get $count)) (v128.const i32x4 0 1 2 3)))))
        (local.set $distance (f32x4.pmin (local.get $distance) (v128.const f32x4 2047 2047 2047 2047)))
        (local.set $left (i32x4.trunc_sat_f32x4_s (f32x4.pmax (local.get $left) (v128.const f32x4 0 0 0 0))))
        (local.set $top (i32x4.trunc_sat_f32x4_s (f32x4.pmax (local.get $top) (v128.const f32x4 0 0 0 0))))
        (local.set $right (i32x4.trunc_sat_f32x4_s (f32x4.pmin (local.get $right) (local.get $lastColumn))))
        (local.set $bottom (i32x4.trunc_sat_f32x4_s (f32x4.pmin (local.get $bottom) (local.get $lastRow))))
        ;; TILE_BITS
        (local.set $touched
          (v128.or
            (v128.or
              (i32x4.shr_s (local.get $left) (i32.const 6))
              (i32x4.shl (i32x4.shr_s (local.get $top) (i32.const 6)) (i32.const 8)))
            (v128.or
              (i32x4.shl (i32x4.shr_s (local.get $right) (i32.const 6)) (i32.const 16))
              (i32x4.shl (i32x4.shr_s (local.get $bottom) (i32.const 6)) (i32.const 24)))))
        ;; FIRST, LAST
        (local.set $left (v128.or (local.get $left) (i32x4.shl (local.get $top) (i32.const 16))))
        (local.set $right (v128.or (local.get $right) (i32x4.shl (local.get $bottom) (i32.const 16))))
        ;; What stood side by side is put splat by splat.
        (local.set $a (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $x) (local.get $y)))
        (local.set $b (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $x) (local.get $y)))
        (local.set $c (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $reachAlong) (local.get $reachAcross)))
        (local.set $d (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $reachAlong) (local.get $reachAcross)))
        (local.set $x (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $c)))
        (local.set $y (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $c)))
        (local.set $reachAlong (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $b) (local.get $d)))
        (local.set $reachAcross (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $b) (local.get $d)))
        (local.set $a (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $alongX) (local.get $alongY)))
        (local.set $b (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $alongX) (local.get $alongY)))
        (local.set $c (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $acrossX) (local.get $acrossY)))
        (local.set $d (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $acrossX) (local.get $acrossY)))
        (local.set $alongX (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $c)))
        (local.set $alongY (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $c)))
        (local.set $acrossX (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $b) (local.get $d)))
        (local.set $acrossY (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $b) (local.get $d)))
        (local.set $a (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $peak) (local.get $distance)))
        (local.set $b (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $peak) (local.get $distance)))
        (local.set $c (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $left) (local.get $right)))
        (local.set $d (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $left) (local.get $right)))
        (local.set $peak (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $c)))
        (local.set $distance (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $c)))
        (local.set $left (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $b) (local.get $d)))
        (local.set $right (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $b) (local.get $d)))
        (block $none
          (br_if $none (i32.eqz (local.get $mask)))
          (loop $lanes
            (local.set $word (i32x4.extract_lane 0 (local.get $colour)))
            (v128.store (local.get $splats) (local.get $x))
            (v128.store offset=16 (local.get $splats) (local.get $alongX))
            (v128.store offset=32 (local.get $splats) (local.get $peak))
            (v128.store offset=48
              (local.get $splats)
              (v128.load32_lane 2
                (i32.add (local.get $light) (i32.and (i32.shr_u (local.get $word) (i32.const 14)) (i32.const 1020)))
                (v128.load32_lane 1
                  (i32.add (local.get $light) (i32.and (i32.shr_u (local.get $word) (i32.const 6)) (i32.const 1020)))
                  (v128.load32_lane 0
                    (i32.add (local.get $light) (i32.and (i32.shl (local.get $word) (i32.const 2)) (i32.const 1020)))
                    (local.get $slope)))))
            (i32.store (local.get $marks) (i32x4.extract_lane 0 (local.get $touched)))
            (i32.store offset=4 (local.get $marks) (i32x4.extract_lane 1 (local.get $peak)))
            (local.set $word (i32.and (local.get $mask) (i32.const 1)))
            (local.set $visible (i32.add (local.get $visible) (local.get $word)))
            (local.set $splats (i32.add (local.get $splats) (i32.shl (local.get $word) (i32.const 6))))
            (local.set $marks (i32.add (local.get $marks) (i32.shl (local.get $word) (i32.const 3))))
            (local.set $x (local.get $y))
            (local.set $y (local.get $reachAlong))
            (local.set $reachAlong (local.get $reachAcross))
            (local.set $alongX (local.get $alongY))
            (local.set $alongY (local.get $acrossX))
            (local.set $acrossX (local.get $acrossY))
            (local.set $peak (local.get $distance))
            (local.set $distance (local.get $left))
            (local.set $left (local.get $right))
            (local.set $touched (i8x16.shuffle 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 (local.get $touched) (local.get $touched)))
            (local.set $colour (i8x16.shuffle 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 (local.get $colour) (local.get $colour)))
            (local.set $slope (i8x16.shuffle 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 (local.get $slope) (local.get $slope)))
            (br_if $lanes (local.tee $mask (i32.shr_u (local.get $mask) (i32.const 1))))))
        (local.set $patches (i32.add (local.get $patches) (i32.const 304)))
        (br_if $next (i32.gt_s (local.tee $count (i32.sub (local.get $count) (i32.const 4))) (i32.const 0)))))
    (local.get $visible)))
