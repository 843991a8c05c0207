;; The pixels of a row of tiles into the moments of their cells, blurred along depth: 1 4 6 4 1.
;;
;;   a tile ──► bins, by cell: (n u v uu) (uv vv left right) (r ur vr rr) ──► raw, by moment
;;          ──► out, four cells a quad: n u v uu uv vv r ur vr rr
;;
;; u and v count from the tile's middle; all are f32. Bins, flags and raw are 0 between tiles.
(module
  (import "twin" "memory" (memory 0))

  ;; Adds each pixel to its cell's bin. `entries` holds for each depth its cell and its r; what takes no part has cell 0 and r 0.
  ;; `places` holds for each pixel of a tile (1 u v uu) (uv vv left right), the last two of which say in which quarter of the tile it
  ;; is: they count 1 in the upper half and 4096, which is more than there are of those, in the lower. Flags of cells with pixels
  ;; become 255.
  (func $add
    (param $pixels i32) (param $pitch i32) (param $space i32) (param $entries i32) (param $places i32) (param $bins i32) (param $flags i32)
    (local $at i32) (local $stop i32) (local $end i32) (local $last i32) (local $entry i32) (local $cell i32) (local $bin i32)
    (local $place v128) (local $r v128)
    (local.set $last (i32.add (local.get $pixels) (i32.mul (local.get $pitch) (local.get $space))))
    (loop $row
      (local.set $at (local.get $pixels))
      (local.set $end (i32.add (local.get $pixels) (i32.shl (local.get $space) (i32.const 1))))
      ;; Eight pixels of which none is valid are passed over.
      (loop $eight
        (local.set $stop (i32.add (local.get $at) (i32.const 16)))
        (local.set $stop (select (local.get $stop) (local.get $end) (i32.lt_u (local.get $stop) (local.get $end))))
        (if (v128.any_true (v128.load (local.get $at)))
          (then
            (loop $pixel
              (local.set $entry (i32.add (local.get $entries) (i32.shl (i32.load16_u (local.get $at)) (i32.const 3))))
              (local.set $cell (i32.load (local.get $entry)))
              (i32.store8 (i32.add (local.get $flags) (local.get $cell)) (i32.const 255))
              (local.set $bin (i32.add (local.get $bins) (i32.mul (local.get $cell) (i32.const 48))))
              (local.set $place (v128.load (local.get $places)))
              (local.set $r (v128.load32_splat offset=4 (local.get $entry)))
              (v128.store (local.get $bin) (f32x4.add (v128.load (local.get $bin)) (local.get $place)))
              (v128.store offset=16 (local.get $bin)
                (f32x4.add (v128.load offset=16 (local.get $bin)) (v128.load offset=16 (local.get $places))))
              (v128.store offset=32 (local.get $bin)
                (f32x4.add
                  (v128.load offset=32 (local.get $bin))
                  (f32x4.mul
                    (local.get $r)
                    (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 28 29 30 31 (local.get $place) (local.get $r)))))
              (local.set $places (i32.add (local.get $places) (i32.const 32)))
              (br_if $pixel (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 2))) (local.get $stop)))))
          (else
            (local.set $places (i32.add (local.get $places) (i32.shl (i32.sub (local.get $stop) (local.get $at)) (i32.const 4))))
            (local.set $at (local.get $stop))))
        (br_if $eight (i32.lt_u (local.get $at) (local.get $end))))
      (br_if $row
        (i32.lt_u (local.tee $pixels (i32.add (local.get $pixels) (local.get $pitch))) (local.get $last)))))

  ;; Moves what is in the bins to `raw`, where a moment's cells lie side by side and moments `across` bytes apart, and marks in `mask`,
  ;; a bit a quad, those within two cells of one with pixels. `flags` are so many 16 cells, and zeros for 48 behind them. Cell 0 is
  ;; none. `asked` is the mask of the region above and left of the tile's middle; behind it is that to the right, and `lower` bytes
  ;; on are those below: there those are marked that are within one cell of one with pixels in that region.
  (func $gather
    (param $flags i32) (param $blocks i32) (param $bins i32) (param $raw i32) (param $across i32)
    (param $mask i32) (param $words i32) (param $asked i32) (param $lower i32)
    (local $bits i32) (local $four i32) (local $quad i32) (local $shift i32) (local $block i32) (local $at i32) (local $to i32) (local $last i32)
    (local $bin i32) (local $end i32)
    (local $half v128) (local $upper v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $s v128) (local $t v128)
    (local.set $upper (v128.const i32x4 4095 4095 4095 4095))
    (i32.store8 (local.get $flags) (i32.const 0))
    (loop $next
      ;; Of a hundred cells a tile has three or four.
      (if (i32.eqz (v128.any_true (v128.or
          (v128.or (v128.load (local.get $flags)) (v128.load offset=16 (local.get $flags)))
          (v128.or (v128.load offset=32 (local.get $flags)) (v128.load offset=48 (local.get $flags))))))
        (then
          (local.set $flags (i32.add (local.get $flags) (i32.const 48)))
          (local.set $block (i32.add (local.get $block) (i32.const 3))))
        (else (if (v128.any_true (v128.load (local.get $flags))) (then
          (local.set $bits (i8x16.bitmask (v128.load (local.get $flags))))
          (v128.store (local.get $flags) (v128.const i32x4 0 0 0 0))
          (loop $quads
            (local.set $shift (i32.and (i32.ctz (local.get $bits)) (i32.const 12)))
            (local.set $four (i32.and (i32.shr_u (local.get $bits) (local.get $shift)) (i32.const 15)))
            (local.set $bits (i32.xor (local.get $bits) (i32.shl (local.get $four) (local.get $shift))))
            (local.set $quad
              (i32.add (i32.shl (local.get $block) (i32.const 2)) (i32.shr_u (local.get $shift) (i32.const 2))))
            (local.set $bin (i32.add (local.get $bins) (i32.mul (local.get $quad) (i32.const 192))))
            (local.set $at (i32.add (local.get $raw) (i32.shl (local.get $quad) (i32.const 4))))
            (local.set $end (i32.add (local.get $bin) (i32.const 48)))
            (loop $vector
              (local.set $a (v128.load (local.get $bin)))
              (local.set $b (v128.load offset=48 (local.get $bin)))
              (local.set $c (v128.load offset=96 (local.get $bin)))
              (local.set $d (v128.load offset=144 (local.get $bin)))
              (local.set $s (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b)))
              (local.set $t (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d)))
              (v128.store (local.get $at)
                (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $s) (local.get $t)))
              (v128.store (local.tee $at (i32.add (local.get $at) (local.get $across)))
                (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $s) (local.get $t)))
              (local.set $s (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b)))
              (local.set $t (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d)))
              (v128.store (local.tee $at (i32.add (local.get $at) (local.get $across)))
                (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $s) (local.get $t)))
              (v128.store (local.tee $at (i32.add (local.get $at) (local.get $across)))
                (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $s) (local.get $t)))
              (local.set $a (v128.const i32x4 0 0 0 0))
              (v128.store (local.get $bin) (local.get $a))
              (v128.store offset=48 (local.get $bin) (local.get $a))
              (v128.store offset=96 (local.get $bin) (local.get $a))
              (v128.store offset=144 (local.get $bin) (local.get $a))
              (local.set $at (i32.add (local.get $at) (local.get $across)))
              (br_if $vector
                (i32.lt_u (local.tee $bin (i32.add (local.get $bin) (i32.const 16))) (local.get $end))))
            (local.set $to (i32.sub (local.get $at) (i32.mul (local.get $across) (i32.const 6))))
            ;; The quad, the one before if its first two cells reach it, and the one behind.
            (local.set $quad (i32.sub (local.get $quad) (i32.const 1)))
            (local.set $shift (i32.and (local.get $quad) (i32.const 7)))
            (local.set $quad (i32.shr_u (local.get $quad) (i32.const 3)))
            (local.set $at (i32.add (local.get $mask) (local.get $quad)))
            (i32.store16 (local.get $at)
              (i32.or
                (i32.load16_u (local.get $at))
                (i32.shl
                  (i32.or
                    (i32.or (i32.const 2) (i32.ne (i32.and (local.get $four) (i32.const 3)) (i32.const 0)))
                    (i32.shl (i32.gt_u (local.get $four) (i32.const 3)) (i32.const 2)))
                  (local.get $shift))))
            ;; The same for each quarter, whose cells reach but one.
            (local.set $at (i32.add (local.get $asked) (local.get $quad)))
            (local.set $last (i32.add (local.get $at) (local.get $words)))
            (loop $halves
              (local.set $half (i32x4.trunc_sat_f32x4_s (v128.load (local.get $to))))
              (local.set $to (i32.add (local.get $to) (local.get $across)))
              (local.set $four
                (i32x4.bitmask (i32x4.gt_s (v128.and (local.get $half) (local.get $upper)) (v128.const i32x4 0 0 0 0))))
              (i32.store16 (local.get $at)
                (i32.or
                  (i32.load16_u (local.get $at))
                  (i32.shl
                    (i32.or
                      (i32.or (i32.shl (i32.ne (local.get $four) (i32.const 0)) (i32.const 1)) (i32.and (local.get $four) (i32.const 1)))
                      (i32.and (i32.shr_u (local.get $four) (i32.const 1)) (i32.const 4)))
                    (local.get $shift))))
              (local.set $four (i32x4.bitmask (i32x4.gt_s (local.get $half) (local.get $upper))))
              (local.set $at (i32.add (local.get $at) (local.get $lower)))
              (i32.store16 (local.get $at)
                (i32.or
                  (i32.load16_u (local.get $at))
                  (i32.shl
                    (i32.or
                      (i32.or (i32.shl (i32.ne (local.get $four) (i32.const 0)) (i32.const 1)) (i32.and (local.get $four) (i32.const 1)))
                      (i32.and (i32.shr_u (local.get $four) (i32.const 1)) (i32.const 4)))
                    (local.get $shift))))
              (local.set $at (i32.add (i32.sub (local.get $at) (local.get $lower)) (local.get $words)))
              (br_if $halves (i32.le_u (local.get $at) (local.get $last))))
            (br_if $quads (local.get $bits)))))))
      (local.set $flags (i32.add (local.get $flags) (i32.const 16)))
      (br_if $next (i32.lt_u (local.tee $block (i32.add (local.get $block) (i32.const 1))) (local.get $blocks)))))

  ;; Blurs the quads marked in `mask`, and clears `raw`. `taps` holds for each quad and each of five taps what n and r and, three
  ;; vectors more, rr of the cell there count for r and rr here: one cell's r is linear in another's.
  (func $blur
    (param $raw i32) (param $across i32) (param $taps i32) (param $mask i32) (param $words i32) (param $out i32)
    (local $word i32) (local $bits i64) (local $quad i32) (local $to i32) (local $end i32)
    (local $from i32) (local $plain i32) (local $linear i32) (local $first i32)
    (local $four v128) (local $six v128)
    (local.set $four (v128.const f32x4 4 4 4 4))
    (local.set $six (v128.const f32x4 6 6 6 6))
    (local.set $first (local.get $taps))
    (loop $next
      (local.set $bits (i64.load (i32.add (local.get $mask) (i32.shl (local.get $word) (i32.const 3)))))
      (block $none
        (br_if $none (i64.eqz (local.get $bits)))
        (loop $quads
          (local.set $quad (i32.add (i32.shl (local.get $word) (i32.const 6)) (i32.wrap_i64 (i64.ctz (local.get $bits)))))
          (local.set $bits (i64.and (local.get $bits) (i64.sub (local.get $bits) (i64.const 1))))
          (local.set $to (i32.add (local.get $out) (i32.mul (local.get $quad) (i32.const 160))))
          (local.set $taps (i32.add (local.get $first) (i32.mul (local.get $quad) (i32.const 400))))
          ;; Two cells before.
          (local.set $plain
            (i32.sub (i32.add (local.get $raw) (i32.shl (local.get $quad) (i32.const 4))) (i32.const 8)))
          ;; n u v uu uv vv
          (local.set $from (local.get $plain))
          (local.set $end (i32.add (local.get $to) (i32.const 96)))
          (loop $moment
            (v128.store (local.get $to)
              (f32x4.add
                (f32x4.add (v128.load (local.get $from)) (v128.load offset=16 (local.get $from)))
                (f32x4.add
                  (f32x4.mul
                    (f32x4.add (v128.load offset=4 (local.get $from)) (v128.load offset=12 (local.get $from)))
                    (local.get $four))
                  (f32x4.mul (v128.load offset=8 (local.get $from)) (local.get $six)))))
            (local.set $from (i32.add (local.get $from) (local.get $across)))
            (br_if $moment (i32.lt_u (local.tee $to (i32.add (local.get $to) (i32.const 16))) (local.get $end))))
          ;; r ur vr, from n u v too
          (local.set $from (i32.add (local.get $plain) (i32.shl (local.get $across) (i32.const 3))))
          (local.set $linear (local.get $from))
          (local.set $end (i32.add (local.get $to) (i32.const 48)))
          (loop $moment
            (v128.store (local.get $to)
              (f32x4.add
                (f32x4.add
                  (f32x4.add
                    (f32x4.mul (v128.load offset=0 (local.get $taps)) (v128.load offset=0 (local.get $from)))
                    (f32x4.mul (v128.load offset=16 (local.get $taps)) (v128.load offset=0 (local.get $plain))))
                  (f32x4.add
                    (f32x4.mul (v128.load offset=80 (local.get $taps)) (v128.load offset=4 (local.get $from)))
                    (f32x4.mul (v128.load offset=96 (local.get $taps)) (v128.load offset=4 (local.get $plain)))))
                (f32x4.add
                  (f32x4.add
                    (f32x4.mul (v128.load offset=160 (local.get $taps)) (v128.load offset=8 (local.get $from)))
                    (f32x4.mul (v128.load offset=240 (local.get $taps)) (v128.load offset=12 (local.get $from))))
                  (f32x4.add
                    (f32x4.mul (v128.load offset=256 (local.get $taps)) (v128.load offset=12 (local.get $plain)))
                    (f32x4.add
                      (f32x4.mul (v128.load offset=320 (local.get $taps)) (v128.load offset=16 (local.get $from)))
                      (f32x4.mul (v128.load offset=336 (local.get $taps)) (v128.load offset=16 (local.get $plain))))))))
            (local.set $from (i32.add (local.get $from) (local.get $across)))
            (local.set $plain (i32.add (local.get $plain) (local.get $across)))
            (br_if $moment (i32.lt_u (local.tee $to (i32.add (local.get $to) (i32.const 16))) (local.get $end))))
          ;; rr, from r and n: in two, since an engine loads all that one store asks for before it begins.
          (local.set $plain (i32.sub (local.get $plain) (i32.mul (local.get $across) (i32.const 3))))
          (v128.store (local.get $to)
              (f32x4.add
                (f32x4.add
                  (f32x4.mul (v128.load offset=32 (local.get $taps)) (v128.load offset=0 (local.get $from)))
                  (f32x4.add
                    (f32x4.mul (v128.load offset=48 (local.get $taps)) (v128.load offset=0 (local.get $linear)))
                    (f32x4.mul (v128.load offset=64 (local.get $taps)) (v128.load offset=0 (local.get $plain)))))
                (f32x4.add
                  (f32x4.mul (v128.load offset=112 (local.get $taps)) (v128.load offset=4 (local.get $from)))
                  (f32x4.add
                    (f32x4.mul (v128.load offset=128 (local.get $taps)) (v128.load offset=4 (local.get $linear)))
                    (f32x4.mul (v128.load offset=144 (local.get $taps)) (v128.load offset=4 (local.get $plain)))))))
          (v128.store (local.get $to)
            (f32x4.add
              (v128.load (local.get $to))
              (f32x4.add
                (f32x4.add
                  (f32x4.mul (v128.load offset=192 (local.get $taps)) (v128.load offset=8 (local.get $from)))
                  (f32x4.add
                    (f32x4.mul (v128.load offset=272 (local.get $taps)) (v128.load offset=12 (local.get $from)))
                    (f32x4.mul (v128.load offset=288 (local.get $taps)) (v128.load offset=12 (local.get $linear)))))
                (f32x4.add
                  (f32x4.add
                    (f32x4.mul (v128.load offset=304 (local.get $taps)) (v128.load offset=12 (local.get $plain)))
                    (f32x4.mul (v128.load offset=352 (local.get $taps)) (v128.load offset=16 (local.get $from))))
                  (f32x4.add
                    (f32x4.mul (v128.load offset=368 (local.get $taps)) (v128.load offset=16 (local.get $linear)))
                    (f32x4.mul (v128.load offset=384 (local.get $taps)) (v128.load offset=16 (local.get $plain))))))))
          (br_if $quads (i64.ne (local.get $bits) (i64.const 0)))))
      (br_if $next (i32.lt_u (local.tee $word (i32.add (local.get $word) (i32.const 1))) (local.get $words))))
    ;; Pixels lie in marked quads alone.
    (local.set $word (i32.const 0))
    (loop $next
      (local.set $bits (i64.load (i32.add (local.get $mask) (i32.shl (local.get $word) (i32.const 3)))))
      (block $none
        (br_if $none (i64.eqz (local.get $bits)))
        (loop $quads
          (local.set $quad (i32.add (i32.shl (local.get $word) (i32.const 6)) (i32.wrap_i64 (i64.ctz (local.get $bits)))))
          (local.set $bits (i64.and (local.get $bits) (i64.sub (local.get $bits) (i64.const 1))))
          (local.set $from (i32.add (local.get $raw) (i32.shl (local.get $quad) (i32.const 4))))
          (local.set $end (i32.add (local.get $from) (i32.mul (local.get $across) (i32.const 12))))
          (loop $moment
            (v128.store (local.get $from) (v128.const i32x4 0 0 0 0))
            (br_if $moment
              (i32.lt_u (local.tee $from (i32.add (local.get $from) (local.get $across))) (local.get $end))))
          (br_if $quads (i64.ne (local.get $bits) (i64.const 0)))))
      (br_if $next (i32.lt_u (local.tee $word (i32.add (local.get $word) (i32.const 1))) (local.get $words)))))

  ;; A row of tiles. `pitch` is a row of pixels in bytes, as many as the tiles have; `masks` are 0. A tile's mask has so many words
  ;; of 64 bits.
  (func (export "build")
    (param $pixels i32) (param $pitch i32) (param $space i32) (param $entries i32) (param $places i32)
    (param $bins i32) (param $flags i32) (param $blocks i32) (param $raw i32) (param $across i32) (param $taps i32)
    (param $masks i32) (param $words i32) (param $asked i32) (param $lower i32) (param $out i32) (param $stride i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $pixels) (local.get $pitch)))
    (loop $tile
      (call $add
        (local.get $pixels) (local.get $pitch) (local.get $space)
        (local.get $entries) (local.get $places) (local.get $bins) (local.get $flags))
      (call $gather
        (local.get $flags) (local.get $blocks) (local.get $bins)
        (local.get $raw) (local.get $across) (local.get $masks) (i32.shl (local.get $words) (i32.const 3)) (local.get $asked) (local.get $lower))
      (call $blur
        (local.get $raw) (local.get $across) (local.get $taps)
        (local.get $masks) (local.get $words) (local.get $out))
      (local.set $masks (i32.add (local.get $masks) (i32.shl (local.get $words) (i32.const 3))))
      (local.set $asked (i32.add (local.get $asked) (i32.shl (local.get $words) (i32.const 3))))
      (local.set $out (i32.add (local.get $out) (local.get $stride)))
      (br_if $tile
        (i32.lt_u
          (local.tee $pixels (i32.add (local.get $pixels) (i32.shl (local.get $space) (i32.const 1))))
          (local.get $end))))))
