;; build of cpu.ts, without its runs: each pixel goes straight into its cell's bin, with no branch for noise to mislead.
(module
  (import "twin" "memory" (memory 0))

  ;; `depth` is u16; `cellOf` as `DepthAxis` has it; `bins` a word a cell and one before the first, all 0 before and after.
  ;; A tile's column in `grid` takes `column` bytes. `grid` is the first tile's cell 0 and `range` its range; between one row's
  ;; last column and the next row's first lie six others. What the last frame left in `grid`, as `ranges` tells, is cleared.
  (func (export "build")
    (param $depth i32) (param $width i32) (param $height i32) (param $cellOf i32) (param $bins i32)
    (param $grid i32) (param $column i32) (param $range i32) (param $space i32) (param $one i32)
    (local $top i32) (local $bottom i32) (local $left i32) (local $right i32) (local $y i32) (local $pixel i32) (local $end i32)
    (local $entry i32) (local $nearest i32) (local $farthest i32) (local $bin i32) (local $last i32)
    (loop $rows
      (local.set $bottom (i32.add (local.get $top) (local.get $space)))
      (local.set $bottom
        (select (local.get $bottom) (local.get $height) (i32.lt_u (local.get $bottom) (local.get $height))))
      (local.set $left (i32.const 0))
      (loop $columns
        (local.set $right (i32.add (local.get $left) (local.get $space)))
        (local.set $right
          (select (local.get $right) (local.get $width) (i32.lt_u (local.get $right) (local.get $width))))
        ;; What is off the axis has the entry -1: the bin before the first, the largest unsigned and the smallest signed.
        (local.set $nearest (i32.const -1))
        (local.set $farthest (i32.const -1))
        (local.set $y (local.get $top))
        (loop $lines
          (local.set $end (i32.mul (local.get $y) (local.get $width)))
          (local.set $pixel
            (i32.add (local.get $depth) (i32.shl (i32.add (local.get $end) (local.get $left)) (i32.const 1))))
          (local.set $end
            (i32.add (local.get $depth) (i32.shl (i32.add (local.get $end) (local.get $right)) (i32.const 1))))
          (loop $pixels
            (local.set $entry
              (i32.load (i32.add (local.get $cellOf) (i32.shl (i32.load16_u (local.get $pixel)) (i32.const 2)))))
            (local.set $nearest
              (select (local.get $entry) (local.get $nearest) (i32.lt_u (local.get $entry) (local.get $nearest))))
            (local.set $farthest
              (select (local.get $entry) (local.get $farthest) (i32.gt_s (local.get $entry) (local.get $farthest))))
            (local.set $bin
              (i32.add
                (local.get $bins)
                (i32.and (i32.shr_s (local.get $entry) (i32.const 14)) (i32.const -4))))
            (i32.store (local.get $bin)
              (i32.add
                (i32.load (local.get $bin))
                (i32.add (local.get $one) (i32.and (local.get $entry) (i32.const 0xffff)))))
            (br_if $pixels (i32.lt_u (local.tee $pixel (i32.add (local.get $pixel) (i32.const 2))) (local.get $end))))
          (br_if $lines (i32.lt_u (local.tee $y (i32.add (local.get $y) (i32.const 1))) (local.get $bottom))))
        (i32.store (i32.sub (local.get $bins) (i32.const 4)) (i32.const 0))
        ;; The column's cells: those of the last frame away, then those of this one.
        (local.set $bin (i32.load16_u (local.get $range)))
        (local.set $last (i32.load16_u offset=2 (local.get $range)))
        (if (i32.le_u (local.get $bin) (local.get $last))
          (then
            (memory.fill
              (i32.add (local.get $grid) (i32.shl (local.get $bin) (i32.const 2)))
              (i32.const 0)
              (i32.shl (i32.sub (i32.add (local.get $last) (i32.const 1)) (local.get $bin)) (i32.const 2)))))
        (i32.store (local.get $range) (i32.const 0x0000ffff))
        (if (i32.ge_s (local.get $farthest) (i32.const 0))
          (then
            (local.set $bin (i32.shr_u (local.get $nearest) (i32.const 16)))
            (local.set $last (i32.shr_u (local.get $farthest) (i32.const 16)))
            (i32.store16 (local.get $range) (local.get $bin))
            (i32.store16 offset=2 (local.get $range) (local.get $last))
            (local.set $bin (i32.shl (local.get $bin) (i32.const 2)))
            (local.set $last (i32.shl (local.get $last) (i32.const 2)))
            (loop $cells
              (local.set $entry (i32.add (local.get $bins) (local.get $bin)))
              (i32.store (i32.add (local.get $grid) (local.get $bin)) (i32.load (local.get $entry)))
              (i32.store (local.get $entry) (i32.const 0))
              (br_if $cells (i32.le_u (local.tee $bin (i32.add (local.get $bin) (i32.const 4))) (local.get $last))))))
        (local.set $grid (i32.add (local.get $grid) (local.get $column)))
        (local.set $range (i32.add (local.get $range) (i32.const 4)))
        (br_if $columns (i32.lt_u (local.tee $left (i32.add (local.get $left) (local.get $space))) (local.get $width))))
      (local.set $grid (i32.add (local.get $grid) (i32.mul (local.get $column) (i32.const 6))))
      (local.set $range (i32.add (local.get $range) (i32.const 24)))
      (br_if $rows (i32.lt_u (local.tee $top (i32.add (local.get $top) (local.get $space))) (local.get $height)))))
)
