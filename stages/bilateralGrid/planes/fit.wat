;; The planes of a row of columns, one for each cell that a pixel lies next to: moments mixed along y, 1 2 1, as seen from the middle,
;; then least squares. Four cells at a time; what is not there is fitted, too, and weighs nothing.
(module
  (import "twin" "memory" (memory 0))

  ;; Three rows of what spread.wat leaves. `cells` holds for each quad 1/c, −1/c², 1/v and 1, where c is the depth of a cell's
  ;; middle and v what a flat plane's pixels vary by; all 0 where there is no cell. Of planes a quad is 1/depth at the column's middle,
  ;; what it grows by with a pixel to the right and down, and its weight: 64 bytes, columns `pitch` apart. Those are fitted that the
  ;; regions around the column's middle ask for: two of them above it, in `asked`, and two below.
  (func (export "fit")
    (param $top i32) (param $row i32) (param $bottom i32)
    (param $topMasks i32) (param $rowMasks i32) (param $bottomMasks i32)
    (param $columns i32) (param $stride i32) (param $words i32) (param $nothing i32)
    (param $apart f32) (param $least f32) (param $half f32)
    (param $cells i32) (param $asked i32) (param $askedBelow i32) (param $planes i32) (param $pitch i32)
    (local $beside i32) (local $column i32) (local $word i32) (local $bits i64) (local $bit i64) (local $at i32)
    (local $aboveBits i64) (local $middleBits i64) (local $belowBits i64)
    (local $above i32) (local $middle i32) (local $below i32) (local $to i32) (local $cell i32)
    (local $space v128) (local $ridge v128) (local $thin v128)
    (local $n v128) (local $each v128) (local $u v128) (local $v v128) (local $r v128)
    (local $uu v128) (local $uv v128) (local $vv v128) (local $ur v128) (local $vr v128) (local $rr v128)
    (local $determinant v128) (local $gu v128) (local $gv v128) (local $off v128)
    (local $one v128) (local $zero v128)
    ;; Each is loaded once: an engine loads what it is told to, and puts it by.
    (local $n0 v128) (local $n1 v128) (local $u0 v128) (local $u1 v128) (local $v0 v128) (local $v1 v128) (local $r0 v128) (local $r1 v128) (local $twice v128)
    (local.set $beside (i32.shl (local.get $words) (i32.const 3)))
    (local.set $one (v128.const f32x4 1 1 1 1))
    (local.set $space (f32x4.splat (local.get $apart)))
    (local.set $ridge (f32x4.splat (local.get $least)))
    (local.set $thin (f32x4.splat (local.get $half)))
    (loop $next
      (local.set $word (i32.const 0))
      (loop $mask
        (local.set $aboveBits (i64.load (local.get $topMasks)))
        (local.set $middleBits (i64.load (local.get $rowMasks)))
        (local.set $belowBits (i64.load (local.get $bottomMasks)))
        (local.set $bits
          (i64.or
            (i64.or
              (i64.load (local.get $asked))
              (i64.load (i32.add (local.get $asked) (local.get $beside))))
            (i64.or
              (i64.load (local.get $askedBelow))
              (i64.load (i32.add (local.get $askedBelow) (local.get $beside))))))
        (block $none
          (br_if $none (i64.eqz (local.get $bits)))
          (loop $quads
            (local.set $bit (i64.ctz (local.get $bits)))
            (local.set $bits (i64.and (local.get $bits) (i64.sub (local.get $bits) (i64.const 1))))
            (local.set $at (i32.add (i32.shl (local.get $word) (i32.const 6)) (i32.wrap_i64 (local.get $bit))))
            (local.set $to (i32.add (local.get $planes) (i32.shl (local.get $at) (i32.const 6))))
            (local.set $cell (i32.add (local.get $cells) (i32.shl (local.get $at) (i32.const 6))))
            (local.set $at (i32.mul (local.get $at) (i32.const 160)))
            (local.set $above
              (select
                (i32.add (local.get $top) (local.get $at))
                (local.get $nothing)
                (i32.wrap_i64 (i64.and (i64.shr_u (local.get $aboveBits) (local.get $bit)) (i64.const 1)))))
            (local.set $middle
              (select
                (i32.add (local.get $row) (local.get $at))
                (local.get $nothing)
                (i32.wrap_i64 (i64.and (i64.shr_u (local.get $middleBits) (local.get $bit)) (i64.const 1)))))
            (local.set $below
              (select
                (i32.add (local.get $bottom) (local.get $at))
                (local.get $nothing)
                (i32.wrap_i64 (i64.and (i64.shr_u (local.get $belowBits) (local.get $bit)) (i64.const 1)))))
            (local.set $n
              (f32x4.add
                (f32x4.add (local.tee $n0 (v128.load (local.get $above))) (local.tee $n1 (v128.load (local.get $below))))
                (f32x4.add (local.tee $twice (v128.load (local.get $middle))) (local.get $twice))))
            (local.set $each
              (f32x4.div (local.get $one) (f32x4.pmax (local.get $n) (local.get $one))))
            (local.set $u
              (f32x4.mul
                (f32x4.add
                  (f32x4.add (local.tee $u0 (v128.load offset=16 (local.get $above))) (local.tee $u1 (v128.load offset=16 (local.get $below))))
                  (f32x4.add (local.tee $twice (v128.load offset=16 (local.get $middle))) (local.get $twice)))
                (local.get $each)))
            (local.set $v
              (f32x4.mul
                (f32x4.add
                  (f32x4.add
                    (f32x4.add (local.tee $v0 (v128.load offset=32 (local.get $above))) (local.tee $v1 (v128.load offset=32 (local.get $below))))
                    (f32x4.add (local.tee $twice (v128.load offset=32 (local.get $middle))) (local.get $twice)))
                  (f32x4.mul (local.get $space) (f32x4.sub (local.get $n1) (local.get $n0))))
                (local.get $each)))
            (local.set $r
              (f32x4.mul
                (f32x4.add
                  (f32x4.add (local.tee $r0 (v128.load offset=96 (local.get $above))) (local.tee $r1 (v128.load offset=96 (local.get $below))))
                  (f32x4.add (local.tee $twice (v128.load offset=96 (local.get $middle))) (local.get $twice)))
                (local.get $each)))
            (local.set $uu
              (f32x4.add
                (f32x4.sub
                  (f32x4.mul
                    (f32x4.add
                      (f32x4.add (v128.load offset=48 (local.get $above)) (v128.load offset=48 (local.get $below)))
                      (f32x4.add (local.tee $twice (v128.load offset=48 (local.get $middle))) (local.get $twice)))
                    (local.get $each))
                  (f32x4.mul (local.get $u) (local.get $u)))
                (local.get $ridge)))
            (local.set $uv
              (f32x4.sub
                (f32x4.mul
                  (f32x4.add
                    (f32x4.add
                      (f32x4.add (v128.load offset=64 (local.get $above)) (v128.load offset=64 (local.get $below)))
                      (f32x4.add (local.tee $twice (v128.load offset=64 (local.get $middle))) (local.get $twice)))
                    (f32x4.mul (local.get $space) (f32x4.sub (local.get $u1) (local.get $u0))))
                  (local.get $each))
                (f32x4.mul (local.get $u) (local.get $v))))
            (local.set $twice (f32x4.sub (local.get $v1) (local.get $v0)))
            (local.set $vv
              (f32x4.mul
                (local.get $space)
                (f32x4.add
                  (f32x4.mul (local.get $space) (f32x4.add (local.get $n0) (local.get $n1)))
                  (f32x4.add (local.get $twice) (local.get $twice)))))
            (local.set $vv
              (f32x4.add
                (f32x4.sub
                  (f32x4.mul
                    (f32x4.add
                      (f32x4.add
                        (f32x4.add (v128.load offset=80 (local.get $above)) (v128.load offset=80 (local.get $below)))
                        (f32x4.add (local.tee $twice (v128.load offset=80 (local.get $middle))) (local.get $twice)))
                      (local.get $vv))
                    (local.get $each))
                  (f32x4.mul (local.get $v) (local.get $v)))
                (local.get $ridge)))
            (local.set $ur
              (f32x4.sub
                (f32x4.mul
                  (f32x4.add
                    (f32x4.add (v128.load offset=112 (local.get $above)) (v128.load offset=112 (local.get $below)))
                    (f32x4.add (local.tee $twice (v128.load offset=112 (local.get $middle))) (local.get $twice)))
                  (local.get $each))
                (f32x4.mul (local.get $u) (local.get $r))))
            (local.set $vr
              (f32x4.sub
                (f32x4.mul
                  (f32x4.add
                    (f32x4.add
                      (f32x4.add (v128.load offset=128 (local.get $above)) (v128.load offset=128 (local.get $below)))
                      (f32x4.add (local.tee $twice (v128.load offset=128 (local.get $middle))) (local.get $twice)))
                    (f32x4.mul (local.get $space) (f32x4.sub (local.get $r1) (local.get $r0))))
                  (local.get $each))
                (f32x4.mul (local.get $v) (local.get $r))))
            (local.set $rr
              (f32x4.sub
                (f32x4.mul
                  (f32x4.add
                    (f32x4.add (v128.load offset=144 (local.get $above)) (v128.load offset=144 (local.get $below)))
                    (f32x4.add (local.tee $twice (v128.load offset=144 (local.get $middle))) (local.get $twice)))
                  (local.get $each))
                (f32x4.mul (local.get $r) (local.get $r))))
            ;; Rounding may leave less than nothing of a row of pixels.
            (local.set $determinant
              (f32x4.pmax
                (f32x4.sub (f32x4.mul (local.get $uu) (local.get $vv)) (f32x4.mul (local.get $uv) (local.get $uv)))
                (f32x4.mul (local.get $ridge) (local.get $ridge))))
            (local.set $each (f32x4.div (local.get $one) (local.get $determinant)))
            (local.set $gu
              (f32x4.mul
                (f32x4.sub (f32x4.mul (local.get $ur) (local.get $vv)) (f32x4.mul (local.get $vr) (local.get $uv)))
                (local.get $each)))
            (local.set $gv
              (f32x4.mul
                (f32x4.sub (f32x4.mul (local.get $vr) (local.get $uu)) (f32x4.mul (local.get $ur) (local.get $uv)))
                (local.get $each)))
            (local.set $off
              (f32x4.add
                (local.get $one)
                (f32x4.mul
                  (v128.load offset=32 (local.get $cell))
                  (f32x4.pmax
                    (f32x4.sub
                      (local.get $rr)
                      (f32x4.add
                        (f32x4.mul (local.get $gu) (local.get $ur))
                        (f32x4.mul (local.get $gv) (local.get $vr))))
                    (local.get $zero)))))
            (local.set $off (f32x4.mul (local.get $off) (local.get $off)))
            (v128.store offset=48
              (local.get $to)
              (f32x4.div
                (f32x4.mul (f32x4.mul (local.get $n) (v128.load offset=48 (local.get $cell))) (local.get $determinant))
                (f32x4.mul
                  (f32x4.add
                    (local.get $determinant)
                    (f32x4.mul (local.get $thin) (f32x4.add (local.get $uu) (local.get $vv))))
                  (f32x4.mul (local.get $off) (local.get $off)))))
            (v128.store
              (local.get $to)
              (f32x4.mul
                (f32x4.sub
                  (local.get $one)
                  (f32x4.mul
                    (f32x4.sub
                      (local.get $r)
                      (f32x4.add (f32x4.mul (local.get $gu) (local.get $u)) (f32x4.mul (local.get $gv) (local.get $v))))
                    (v128.load (local.get $cell))))
                (v128.load (local.get $cell))))
            (v128.store offset=16 (local.get $to) (f32x4.mul (local.get $gu) (v128.load offset=16 (local.get $cell))))
            (v128.store offset=32 (local.get $to) (f32x4.mul (local.get $gv) (v128.load offset=16 (local.get $cell))))
            (br_if $quads (i64.ne (local.get $bits) (i64.const 0)))))
        (local.set $topMasks (i32.add (local.get $topMasks) (i32.const 8)))
        (local.set $rowMasks (i32.add (local.get $rowMasks) (i32.const 8)))
        (local.set $bottomMasks (i32.add (local.get $bottomMasks) (i32.const 8)))
        (local.set $asked (i32.add (local.get $asked) (i32.const 8)))
        (local.set $askedBelow (i32.add (local.get $askedBelow) (i32.const 8)))
        (br_if $mask (i32.lt_u (local.tee $word (i32.add (local.get $word) (i32.const 1))) (local.get $words))))
      (local.set $top (i32.add (local.get $top) (local.get $stride)))
      (local.set $row (i32.add (local.get $row) (local.get $stride)))
      (local.set $bottom (i32.add (local.get $bottom) (local.get $stride)))
      (local.set $planes (i32.add (local.get $planes) (local.get $pitch)))
      (br_if $next
        (i32.lt_u (local.tee $column (i32.add (local.get $column) (i32.const 1))) (local.get $columns))))))
