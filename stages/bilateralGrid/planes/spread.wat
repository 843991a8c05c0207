;; A row of columns' moments, mixed along x: 1 2 1, as seen from the middle of the three.
;;
;;   ○ ○ ○ ○      quads of cells that are there, a bit each in a column's mask, 160 bytes each: n u v uu uv vv r ur vr rr
;;   └─┼─┘
;; · ● ● ● ● ·    one column more on each side; what is in any of the three is in theirs
(module
  (import "twin" "memory" (memory 0))

  ;; `masks` begins with two columns of zeros and ends with two. `stride` is from column to column, as in what is left in
  ;; `mixed` and `mixedMasks`; `cells` would hold the column before the first. `nothing` is a quad of zeros.
  (func (export "spread")
    (param $cells i32) (param $masks i32) (param $columns i32) (param $stride i32) (param $words i32)
    (param $nothing i32) (param $apart f32) (param $mixed i32) (param $mixedMasks i32)
    (local $column i32) (local $word i32) (local $bits i64) (local $bit i64) (local $at i32) (local $row i32)
    (local $leftBits i64) (local $middleBits i64) (local $rightBits i64)
    (local $left i32) (local $middle i32) (local $right i32) (local $to i32)
    (local $space v128)
    ;; Each is loaded once: an engine loads what it is told to.
    (local $n0 v128) (local $n1 v128) (local $u0 v128) (local $u1 v128) (local $v0 v128) (local $v1 v128) (local $r0 v128) (local $r1 v128) (local $twice v128)
    (local.set $space (f32x4.splat (local.get $apart)))
    (local.set $row (i32.shl (local.get $words) (i32.const 3)))
    (loop $next
      (local.set $word (i32.const 0))
      (loop $mask
        (local.set $leftBits (i64.load (local.get $masks)))
        (local.set $middleBits (i64.load (i32.add (local.get $masks) (local.get $row))))
        (local.set $rightBits
          (i64.load (i32.add (local.get $masks) (i32.shl (local.get $row) (i32.const 1)))))
        (local.set $bits
          (i64.or (local.get $leftBits) (i64.or (local.get $middleBits) (local.get $rightBits))))
        (i64.store (local.get $mixedMasks) (local.get $bits))
        (block $none
          (br_if $none (i64.eqz (local.get $bits)))
          (loop $quads
            (local.set $bit (i64.ctz (local.get $bits)))
            (local.set $bits (i64.and (local.get $bits) (i64.sub (local.get $bits) (i64.const 1))))
            (local.set $at
              (i32.mul
                (i32.add (i32.shl (local.get $word) (i32.const 6)) (i32.wrap_i64 (local.get $bit)))
                (i32.const 160)))
            (local.set $to (i32.add (local.get $mixed) (local.get $at)))
            (local.set $at (i32.add (local.get $cells) (local.get $at)))
            (local.set $left
              (select
                (i32.sub (local.get $at) (local.get $stride))
                (local.get $nothing)
                (i32.wrap_i64 (i64.and (i64.shr_u (local.get $leftBits) (local.get $bit)) (i64.const 1)))))
            (local.set $middle
              (select
                (local.get $at)
                (local.get $nothing)
                (i32.wrap_i64 (i64.and (i64.shr_u (local.get $middleBits) (local.get $bit)) (i64.const 1)))))
            (local.set $right
              (select
                (i32.add (local.get $at) (local.get $stride))
                (local.get $nothing)
                (i32.wrap_i64 (i64.and (i64.shr_u (local.get $rightBits) (local.get $bit)) (i64.const 1)))))
            (v128.store
              (local.get $to)
              (f32x4.add
                (f32x4.add (local.tee $n0 (v128.load (local.get $left))) (local.tee $n1 (v128.load (local.get $right))))
                (f32x4.add (local.tee $twice (v128.load (local.get $middle))) (local.get $twice))))
            (v128.store offset=16
              (local.get $to)
              (f32x4.add
                (f32x4.add
                  (f32x4.add (local.tee $u0 (v128.load offset=16 (local.get $left))) (local.tee $u1 (v128.load offset=16 (local.get $right))))
                  (f32x4.add (local.tee $twice (v128.load offset=16 (local.get $middle))) (local.get $twice)))
                (f32x4.mul (local.get $space) (f32x4.sub (local.get $n1) (local.get $n0)))))
            (v128.store offset=32
              (local.get $to)
              (f32x4.add
                (f32x4.add (local.tee $v0 (v128.load offset=32 (local.get $left))) (local.tee $v1 (v128.load offset=32 (local.get $right))))
                (f32x4.add (local.tee $twice (v128.load offset=32 (local.get $middle))) (local.get $twice))))
            (local.set $u0 (f32x4.sub (local.get $u1) (local.get $u0)))
            (v128.store offset=48
              (local.get $to)
              (f32x4.add
                (f32x4.add
                  (f32x4.add (v128.load offset=48 (local.get $left)) (v128.load offset=48 (local.get $right)))
                  (f32x4.add (local.tee $twice (v128.load offset=48 (local.get $middle))) (local.get $twice)))
                (f32x4.mul
                  (local.get $space)
                  (f32x4.add
                    (f32x4.mul (local.get $space) (f32x4.add (local.get $n0) (local.get $n1)))
                    (f32x4.add (local.get $u0) (local.get $u0))))))
            (v128.store offset=64
              (local.get $to)
              (f32x4.add
                (f32x4.add
                  (f32x4.add (v128.load offset=64 (local.get $left)) (v128.load offset=64 (local.get $right)))
                  (f32x4.add (local.tee $twice (v128.load offset=64 (local.get $middle))) (local.get $twice)))
                (f32x4.mul (local.get $space) (f32x4.sub (local.get $v1) (local.get $v0)))))
            (v128.store offset=80
              (local.get $to)
              (f32x4.add
                (f32x4.add (v128.load offset=80 (local.get $left)) (v128.load offset=80 (local.get $right)))
                (f32x4.add (local.tee $twice (v128.load offset=80 (local.get $middle))) (local.get $twice))))
            (v128.store offset=96
              (local.get $to)
              (f32x4.add
                (f32x4.add (local.tee $r0 (v128.load offset=96 (local.get $left))) (local.tee $r1 (v128.load offset=96 (local.get $right))))
                (f32x4.add (local.tee $twice (v128.load offset=96 (local.get $middle))) (local.get $twice))))
            (v128.store offset=112
              (local.get $to)
              (f32x4.add
                (f32x4.add
                  (f32x4.add (v128.load offset=112 (local.get $left)) (v128.load offset=112 (local.get $right)))
                  (f32x4.add (local.tee $twice (v128.load offset=112 (local.get $middle))) (local.get $twice)))
                (f32x4.mul (local.get $space) (f32x4.sub (local.get $r1) (local.get $r0)))))
            (v128.store offset=128
              (local.get $to)
              (f32x4.add
                (f32x4.add (v128.load offset=128 (local.get $left)) (v128.load offset=128 (local.get $right)))
                (f32x4.add (local.tee $twice (v128.load offset=128 (local.get $middle))) (local.get $twice))))
            (v128.store offset=144
              (local.get $to)
              (f32x4.add
                (f32x4.add (v128.load offset=144 (local.get $left)) (v128.load offset=144 (local.get $right)))
                (f32x4.add (local.tee $twice (v128.load offset=144 (local.get $middle))) (local.get $twice))))
            (br_if $quads (i64.ne (local.get $bits) (i64.const 0)))))
        (local.set $masks (i32.add (local.get $masks) (i32.const 8)))
        (local.set $mixedMasks (i32.add (local.get $mixedMasks) (i32.const 8)))
        (br_if $mask (i32.lt_u (local.tee $word (i32.add (local.get $word) (i32.const 1))) (local.get $words))))
      (local.set $cells (i32.add (local.get $cells) (local.get $stride)))
      (local.set $mixed (i32.add (local.get $mixed) (local.get $stride)))
      (br_if $next
        (i32.lt_u (local.tee $column (i32.add (local.get $column) (i32.const 1))) (local.get $columns))))))
