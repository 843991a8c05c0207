;; A tile of the picture, developed: as film.ts has it, with its names, four pixels of a row at a time. The film is film.wat's.
(module
  (import "twin" "memory" (memory 0 65536))

  ;; `rgba` and `depth` are where the tile's first pixel is in the picture, which is `stride` pixels wide; `width` and `height` are the
  ;; tile's. `lit` holds the background's red, green and blue, fill, blur and inverseFocus, f32; `bytes` that of each 65535th of
  ;; light; `empty` is a pixel of the background.
  (func (export "develop")
    (param $film i32) (param $width i32) (param $height i32) (param $rgba i32) (param $depth i32) (param $stride i32)
    (param $lit i32) (param $bytes i32) (param $empty i32)
    (local $row i32) (local $left i32) (local $at i32) (local $to i32) (local $distances i32)
    (local $red v128) (local $green v128) (local $blue v128) (local $fill v128)
    (local $blur v128) (local $inverseFocus v128) (local $room v128) (local $distance v128)
    (local $cover v128) (local $shown v128) (local $gain v128) (local $r v128) (local $g v128) (local $b v128) (local $word v128)
    (local.set $red (v128.load32_splat (local.get $lit)))
    (local.set $green (v128.load32_splat offset=4 (local.get $lit)))
    (local.set $blue (v128.load32_splat offset=8 (local.get $lit)))
    (local.set $fill (v128.load32_splat offset=12 (local.get $lit)))
    (local.set $blur (v128.load32_splat offset=16 (local.get $lit)))
    (local.set $inverseFocus (v128.load32_splat offset=20 (local.get $lit)))
    (loop $rows
      (local.set $at (local.get $film))
      (local.set $to (local.get $rgba))
      (local.set $distances (local.get $depth))
      (local.set $left (local.get $width))
      (loop $quads
        (local.set $room (v128.load offset=768 (local.get $at)))
        (if (v128.any_true (f32x4.ne (local.get $room) (v128.const f32x4 1 1 1 1)))
          (then
            (local.set $distance (v128.load offset=1024 (local.get $at)))
            (local.set $r (v128.load (local.get $at)))
            (local.set $g (v128.load offset=256 (local.get $at)))
            (local.set $b (v128.load offset=512 (local.get $at)))
            ;; Four that are full stay as they are.
            (if (v128.any_true (local.get $room))
              (then
                (local.set $cover (f32x4.sub (v128.const f32x4 1 1 1 1) (local.get $room)))
                ;; soft, opaque
                (local.set $shown
                  (f32x4.pmin
                    (v128.const f32x4 1 1 1 1)
                    (f32x4.mul
                      (local.get $blur)
                      (f32x4.abs
                        (f32x4.sub
                          (local.get $inverseFocus)
                          (f32x4.div (v128.const f32x4 1 1 1 1) (local.get $distance)))))))
                (local.set $shown
                  (f32x4.add
                    (v128.const f32x4 0.6 0.6 0.6 0.6)
                    (f32x4.mul
                      (f32x4.sub (v128.const f32x4 1 1 1 1) (v128.const f32x4 0.6 0.6 0.6 0.6))
                      (local.get $shown))))
                (local.set $shown
                  (f32x4.pmax
                    (f32x4.sub (v128.const f32x4 1 1 1 1) (f32x4.mul (local.get $fill) (local.get $shown)))
                    (v128.const f32x4 0.000001 0.000001 0.000001 0.000001)))
                (local.set $shown
                  (f32x4.pmin (f32x4.div (local.get $cover) (local.get $shown)) (v128.const f32x4 1 1 1 1)))
                (local.set $gain
                  (v128.and
                    (f32x4.div (local.get $shown) (local.get $cover))
                    (f32x4.gt (local.get $cover) (v128.const f32x4 0 0 0 0))))
                (local.set $shown (f32x4.sub (v128.const f32x4 1 1 1 1) (local.get $shown)))
                (local.set $r
                  (f32x4.add
                    (f32x4.mul (local.get $r) (local.get $gain))
                    (f32x4.mul (local.get $red) (local.get $shown))))
                (local.set $g
                  (f32x4.add
                    (f32x4.mul (local.get $g) (local.get $gain))
                    (f32x4.mul (local.get $green) (local.get $shown))))
                (local.set $b
                  (f32x4.add
                    (f32x4.mul (local.get $b) (local.get $gain))
                    (f32x4.mul (local.get $blue) (local.get $shown))))))
            ;; encoded
            (local.set $r
              (i32x4.trunc_sat_f32x4_s
                (f32x4.add
                  (f32x4.mul
                    (f32x4.pmin (local.get $r) (v128.const f32x4 1 1 1 1))
                    (v128.const f32x4 65535 65535 65535 65535))
                  (v128.const f32x4 0.5 0.5 0.5 0.5))))
            (local.set $g
              (i32x4.trunc_sat_f32x4_s
                (f32x4.add
                  (f32x4.mul
                    (f32x4.pmin (local.get $g) (v128.const f32x4 1 1 1 1))
                    (v128.const f32x4 65535 65535 65535 65535))
                  (v128.const f32x4 0.5 0.5 0.5 0.5))))
            (local.set $b
              (i32x4.trunc_sat_f32x4_s
                (f32x4.add
                  (f32x4.mul
                    (f32x4.pmin (local.get $b) (v128.const f32x4 1 1 1 1))
                    (v128.const f32x4 65535 65535 65535 65535))
                  (v128.const f32x4 0.5 0.5 0.5 0.5))))
            (local.set $word (v128.const i32x4 0xff000000 0xff000000 0xff000000 0xff000000))
            (local.set $word
              (v128.load8_lane 0
                (i32.add (local.get $bytes) (i32x4.extract_lane 0 (local.get $r)))
                (local.get $word)))
            (local.set $word
              (v128.load8_lane 1
                (i32.add (local.get $bytes) (i32x4.extract_lane 0 (local.get $g)))
                (local.get $word)))
            (local.set $word
              (v128.load8_lane 2
                (i32.add (local.get $bytes) (i32x4.extract_lane 0 (local.get $b)))
                (local.get $word)))
            (local.set $word
              (v128.load8_lane 4
                (i32.add (local.get $bytes) (i32x4.extract_lane 1 (local.get $r)))
                (local.get $word)))
            (local.set $word
              (v128.load8_lane 5
                (i32.add (local.get $bytes) (i32x4.extract_lane 1 (local.get $g)))
                (local.get $word)))
            (local.set $word
              (v128.load8_lane 6
                (i32.add (local.get $bytes) (i32x4.extract_lane 1 (local.get $b)))
                (local.get $word)))
            (local.set $word
              (v128.load8_lane 8
                (i32.add (local.get $bytes) (i32x4.extract_lane 2 (local.get $r)))
                (local.get $word)))
            (local.set $word
              (v128.load8_lane 9
                (i32.add (local.get $bytes) (i32x4.extract_lane 2 (local.get $g)))
                (local.get $word)))
            (local.set $word
              (v128.load8_lane 10
                (i32.add (local.get $bytes) (i32x4.extract_lane 2 (local.get $b)))
                (local.get $word)))
            (local.set $word
              (v128.load8_lane 12
                (i32.add (local.get $bytes) (i32x4.extract_lane 3 (local.get $r)))
                (local.get $word)))
            (local.set $word
              (v128.load8_lane 13
                (i32.add (local.get $bytes) (i32x4.extract_lane 3 (local.get $g)))
                (local.get $word)))
            (local.set $word
              (v128.load8_lane 14
                (i32.add (local.get $bytes) (i32x4.extract_lane 3 (local.get $b)))
                (local.get $word)))
            ;; UNDRAWN
            (local.set $distance
              (v128.and
                (local.get $distance)
                (f32x4.le (local.get $room) (v128.const f32x4 0.51 0.51 0.51 0.51)))))
          (else
            (local.set $word (i32x4.splat (local.get $empty)))
            (local.set $distance (v128.const i32x4 0 0 0 0))))
        (if (i32.ge_s (local.get $left) (i32.const 4))
          (then
            (v128.store (local.get $to) (local.get $word))
            (v128.store (local.get $distances) (local.get $distance)))
          (else
            (v128.store32_lane 0 (local.get $to) (local.get $word))
            (v128.store32_lane 0 (local.get $distances) (local.get $distance))
            (if (i32.ge_s (local.get $left) (i32.const 2))
              (then
                (v128.store32_lane offset=4 1 (local.get $to) (local.get $word))
                (v128.store32_lane offset=4 1 (local.get $distances) (local.get $distance))))
            (if (i32.ge_s (local.get $left) (i32.const 3))
              (then
                (v128.store32_lane offset=8 2 (local.get $to) (local.get $word))
                (v128.store32_lane offset=8 2 (local.get $distances) (local.get $distance))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (local.set $to (i32.add (local.get $to) (i32.const 16)))
        (local.set $distances (i32.add (local.get $distances) (i32.const 16)))
        (br_if $quads (i32.gt_s (local.tee $left (i32.sub (local.get $left) (i32.const 4))) (i32.const 0))))
      (local.set $film (i32.add (local.get $film) (i32.const 1280)))
      (local.set $rgba (i32.add (local.get $rgba) (i32.shl (local.get $stride) (i32.const 2))))
      (local.set $depth (i32.add (local.get $depth) (i32.shl (local.get $stride) (i32.const 2))))
      (br_if $rows (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $height))))))
