/**
 * The plane fit of a whole frame: the twin's cpu.ts, row of tiles by row of tiles, so that what lies between the passes stays in the cache.
 *
 *   row r       build and spread (planeBuild.ts, planeSpread.ts): moments of the tiles, blurred along depth and x
 *   row r − 1   fit (planeFit.ts), which needs the moments of the next row; residuals, spread (planeResidual.ts, planeSpread.ts)
 *   row r − 2   fit once more, which needs the residuals of the next row; slice (planeSlice.ts) the pixels above the row's centres
 */
import { at, endPart, scratchOf, takePart } from "../../../core/assembly/parts.ts";
import * as layout from "../layout.ts";
import { build } from "./planeBuild.ts";
import { planeFit } from "./planeFit.ts";
import { residuals } from "./planeResidual.ts";
import { slice } from "./planeSlice.ts";
import { spread } from "./planeSpread.ts";

/** Takes `JOB_REGIONS` rows of regions at a time until none is left; every thread on this memory runs this function. */
export function work(job: usize, thread: usize): void {
  for (let part = takePart(job); part >= 0; part = takePart(job)) {
    filter(job, scratchOf(job, thread), part);
    endPart(job);
  }
}

/**
 * Filters the pixels of some rows of regions. A row r of regions lies between the centres of the rows r − 1 and r of columns. The planes
 * of a region need the residuals of one more row of columns on each side, and residuals need the moments of one more row. The parts on
 * either side compute these rows a second time.
 */
function filter(job: usize, scratch: usize, part: i32): void {
  const regions = load<i32>(job, 4 * layout.JOB_REGIONS);
  const first = part * regions;
  const end = min<i32>(first + regions, load<i32>(job, 4 * layout.JOB_ROWS) + 1);
  // Rows before the first tiles have none.
  for (let row = 0; row < 4; row++) {
    memory.fill(ring(scratch, layout.RING_MIXED_MASKS, row), 0, maskBytes(job) * (at(job, layout.JOB_COLUMNS) + 2));
    memory.fill(ring(scratch, layout.RING_ASKED, row), 0, maskBytes(job) * (at(job, layout.JOB_COLUMNS) + 3));
  }
  for (let row = max<i32>(first - 3, 0); row <= end + 1; row++) {
    gather(job, scratch, row);
    if (row >= first - 1) {
      fitRow(job, scratch, row - 1, false);
      leave(job, scratch, row - 1);
    }
    if (row > first) fitRow(job, scratch, row - 2, true);
    if (row >= first + 2) sliceRow(job, scratch, row - 2);
  }
}

/** The address of a row of a ring buffer; the first row is −2. */
function ring(scratch: usize, buffer: usize, row: i32): usize {
  return at(scratch, buffer + (row & 3));
}

/** The bytes of a column's mask. */
function maskBytes(job: usize): usize {
  return at(job, layout.JOB_MASK_WORDS) << 3;
}

/** Blurs the moments of one row of tiles along depth and x. A row past the last has no moments. */
function gather(job: usize, scratch: usize, row: i32): void {
  const words = load<i32>(job, 4 * layout.JOB_MASK_WORDS);
  const columns = load<i32>(job, 4 * layout.JOB_COLUMNS);
  const space = load<i32>(job, 4 * layout.JOB_SPACE);
  const mask = maskBytes(job);
  const asked = ring(scratch, layout.RING_ASKED, row);
  const askedBelow = ring(scratch, layout.RING_ASKED, row + 1);
  const mixedMasks = ring(scratch, layout.RING_MIXED_MASKS, row);
  memory.fill(askedBelow, 0, mask * (columns + 3));
  if (row >= load<i32>(job, 4 * layout.JOB_ROWS)) {
    memory.fill(mixedMasks, 0, mask * (columns + 2));
    return;
  }
  const pitch = at(job, layout.JOB_PITCH);
  const nothing = at(job, layout.JOB_NOTHING);
  const masks = ring(scratch, layout.RING_MASKS, row);
  const grid = ring(scratch, layout.RING_GRID, row);
  memory.fill(masks, 0, mask * (columns + 4));
  build(
    at(job, layout.JOB_SOURCE) + row * space * pitch,
    pitch,
    space,
    at(job, layout.JOB_ENTRIES),
    at(job, layout.JOB_PLACES),
    at(scratch, layout.SCRATCH_BINS),
    at(scratch, layout.SCRATCH_FLAGS),
    load<i32>(job, 4 * layout.JOB_BLOCKS),
    at(scratch, layout.SCRATCH_RAW),
    at(job, layout.JOB_QUADS) << 4,
    at(job, layout.JOB_TAPS),
    masks + 2 * mask,
    words,
    asked + mask,
    askedBelow - asked,
    grid,
    columns + 2,
  );
  const mixed = ring(scratch, layout.RING_MIXED, row);
  spread(grid - layout.QUAD_MOMENTS, masks, columns + 2, words, nothing, <f32>space, mixed, mixedMasks, 0);
}

/** Fits the planes of one row of columns to moments or, as `isSecond`, the second planes to residuals. */
function fitRow(job: usize, scratch: usize, row: i32, isSecond: bool): void {
  const sums: usize = isSecond ? layout.RING_MIXED_RESIDUALS : layout.RING_MIXED;
  planeFit(
    ring(scratch, sums, row - 1),
    ring(scratch, sums, row),
    ring(scratch, sums, row + 1),
    ring(scratch, layout.RING_MIXED_MASKS, row - 1),
    ring(scratch, layout.RING_MIXED_MASKS, row),
    ring(scratch, layout.RING_MIXED_MASKS, row + 1),
    load<i32>(job, 4 * layout.JOB_COLUMNS) + 2,
    load<i32>(job, 4 * layout.JOB_MASK_WORDS),
    at(job, layout.JOB_NOTHING),
    <f32>load<i32>(job, 4 * layout.JOB_SPACE),
    at(job, layout.JOB_CELLS),
    ring(scratch, layout.RING_ASKED, row),
    ring(scratch, layout.RING_ASKED, row + 1),
    ring(scratch, layout.RING_PLANES, row),
    ring(scratch, layout.RING_DESIGNS, row),
    load<f32>(job, 4 * layout.JOB_RIDGE),
    load<f32>(job, 4 * layout.JOB_THIN),
    isSecond ? load<f32>(job, 4 * layout.JOB_SIGNIFICANCE) : 0,
    load<f32>(job, 4 * layout.JOB_SLOPE),
  );
}

/** Sums up how far the pixels of one row of tiles lie off their planes, and blurs the sums along x. */
function leave(job: usize, scratch: usize, row: i32): void {
  if (row < 0 || row >= load<i32>(job, 4 * layout.JOB_ROWS)) return;
  const words = load<i32>(job, 4 * layout.JOB_MASK_WORDS);
  const columns = load<i32>(job, 4 * layout.JOB_COLUMNS);
  const masks = ring(scratch, layout.RING_MASKS, row);
  const planes = ring(scratch, layout.RING_PLANES, row) + layout.QUAD_PLANES;
  const sums = at(scratch, layout.SCRATCH_RESIDUALS);
  const own = masks + 2 * maskBytes(job);
  residuals(ring(scratch, layout.RING_GRID, row), own, words, columns, at(job, layout.JOB_CELLS), planes, sums);
  const mixed = ring(scratch, layout.RING_MIXED_RESIDUALS, row);
  const mixedMasks = ring(scratch, layout.RING_MIXED_MASKS, row);
  const space = <f32>load<i32>(job, 4 * layout.JOB_SPACE);
  spread(
    sums - layout.QUAD_RESIDUALS,
    masks,
    columns + 2,
    words,
    at(job, layout.JOB_NOTHING),
    space,
    mixed,
    mixedMasks,
    1,
  );
}

/** Filters the pixels between the centres of the row before and this row. */
function sliceRow(job: usize, scratch: usize, row: i32): void {
  const space = load<i32>(job, 4 * layout.JOB_SPACE);
  const first = row * space - (space + 1) / 2;
  const top = max<i32>(0, first);
  const lines = min<i32>(load<i32>(job, 4 * layout.JOB_HEIGHT), first + space) - top;
  if (lines <= 0) return;
  const pitch = at(job, layout.JOB_PITCH);
  slice(
    at(job, layout.JOB_SOURCE) + top * pitch,
    at(job, layout.JOB_SINK) + top * pitch,
    pitch,
    lines,
    space,
    load<i32>(job, 4 * layout.JOB_COLUMNS) + 1,
    at(job, layout.JOB_DEPTHS),
    at(job, layout.JOB_ACROSS) + (((top - first) * (space + 3)) << 5),
    at(job, layout.JOB_DOWN) + ((top - first) << 4),
    ring(scratch, layout.RING_PLANES, row - 1),
    ring(scratch, layout.RING_PLANES, row),
    ring(scratch, layout.RING_ASKED, row) + maskBytes(job),
    load<i32>(job, 4 * layout.JOB_MASK_WORDS),
    at(scratch, layout.SCRATCH_RECORDS),
    at(scratch, layout.SCRATCH_SUMS),
    load<f32>(job, 4 * layout.JOB_SIGMA),
    load<f32>(job, 4 * layout.JOB_GROWTH),
    load<f32>(job, 4 * layout.JOB_FARTHEST),
    load<f32>(job, 4 * layout.JOB_REACH),
  );
}
