// One workgroup owns one column of the grid: the depth cells of one SPACE × SPACE tile of pixels. Nobody else writes it,
// so there are no global atomics and nothing to clear beforehand.
//
//      tile: rows of vec4u, 8 pixels each             bins: cell c in bin c mod BINS
//      ┌────────┬────────┐   eight pixels lie in one    ┌─┬─┬─┬─┬─┬─┬─
//      │ one invocation  │   or two cells: an atomic    │ │ │n│n│ │ │      word: count << COUNT_BIT | Σ offsets
//      ├────────┼────────┤   per cell, not per pixel    └─┴─┴─┴─┴─┴─┴─
//
// A real tile's depths span a handful of cells. One that spans more than BINS folds onto itself: that is seen from its
// first and last cell, and it is done again, BINS cells at a time. So the length of the depth axis costs nothing here.
//
// Loops that matter are left where the body ends: for a test at its start SwiftShader runs the body once more (and it runs,
// with no effect, what an `if` excludes).
override SPACE: u32 = 16u;
override HEIGHT: u32 = 480u;
override ROW: u32 = 80u; // vec4u in a row of depth
override COLUMNS: u32 = 40u;
override PLANE: u32 = 52u; // vec4u in a column of the grid
override PLANES: u32 = 1u; // 2 if counts have a plane of their own after the sums
override COUNT_BIT: u32 = 23u;
override BINS: u32 = 256u; // cells that a workgroup holds at a time
override THREADS: u32 = 32u;

const RAW_PAD = 3u; // cell c is word c + 3 of its column
const RANGE_PAD = 3u; // columns of ranges on each side of the grid
const OFF_AXIS = 0xffffffffu;
const NO_CELL = 0xffffu; // the cell of OFF_AXIS

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read> cellOf: array<u32, 65536>; // by depth: cell << 16 | offset in the cell, or OFF_AXIS
@group(0) @binding(2) var<storage, read_write> grid: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> ranges: array<u32>; // by column: first cell | last cell << 16

var<workgroup> bins: array<atomic<u32>, BINS * PLANES>;
var<workgroup> reach: array<atomic<u32>, 2>; // the tile's first and last cell

// Entries of pixels that are not in the tile are taken off the axis.
fn inTile(entries: vec4u, x: vec4u, left: u32) -> vec4u {
  if (SPACE % 8u == 0u) {
    return entries;
  }
  return select(vec4u(OFF_AXIS), entries, x - left < vec4u(SPACE));
}

fn least(a: vec4u, b: vec4u) -> u32 {
  let c = min(a, b);
  return min(min(c.x, c.y), min(c.z, c.w));
}

fn sum(a: vec4u) -> u32 {
  return a.x + a.y + a.z + a.w;
}

// Adds the tile's pixels in cells window … window + width − 1 to the bins. Returns the first and last cell of this
// invocation's pixels.
fn accumulate(tile: vec2u, thread: u32, window: u32, width: u32) -> vec2u {
  let left = tile.x * SPACE;
  let top = tile.y * SPACE;
  let firstVec = left / 8u;
  let vecs = min((left + SPACE + 7u) / 8u, ROW) - firstVec;
  let items = vecs * (min(top + SPACE, HEIGHT) - top);
  var range = vec2u(NO_CELL, 0u);
  var item = thread;
  for (var round = 0u; round < SPACE * SPACE; round++) {
    let here = min(item, items - 1u);
    let vec = firstVec + here % vecs;
    let y = top + here / vecs;
    let eight = select(vec4u(), depth[y * ROW + vec], item < items);
    let low = eight & vec4u(0xffffu);
    let high = eight >> vec4u(16u);
    let x = 8u * vec + vec4u(0u, 2u, 4u, 6u);
    let lowEntries = inTile(vec4u(cellOf[low.x], cellOf[low.y], cellOf[low.z], cellOf[low.w]), x, left);
    let highEntries = inTile(vec4u(cellOf[high.x], cellOf[high.y], cellOf[high.z], cellOf[high.w]), x + 1u, left);
    let one = select(0u, 1u << COUNT_BIT, PLANES == 1u);
    let lowWords = one + (lowEntries & vec4u(0xffffu));
    let highWords = one + (highEntries & vec4u(0xffffu));
    var lowCells = lowEntries >> vec4u(16u);
    var highCells = highEntries >> vec4u(16u);
    var cell = least(lowCells, highCells);
    range.x = min(range.x, cell);
    for (var trip = 0u; trip < 8u; trip++) {
      let inLow = lowCells == vec4u(cell);
      let inHigh = highCells == vec4u(cell);
      if (cell - window < width) {
        atomicAdd(&bins[cell % BINS], sum(select(vec4u(), lowWords, inLow) + select(vec4u(), highWords, inHigh)));
        if (PLANES == 2u) {
          atomicAdd(&bins[BINS + cell % BINS], sum(vec4u(inLow) + vec4u(inHigh)));
        }
      }
      range.y = max(range.y, select(0u, cell, cell != NO_CELL));
      lowCells = select(lowCells, vec4u(NO_CELL), inLow);
      highCells = select(highCells, vec4u(NO_CELL), inHigh);
      cell = least(lowCells, highCells);
      if (cell == NO_CELL) {
        break;
      }
    }
    item += THREADS;
    if (item >= items) {
      break;
    }
  }
  return range;
}

// Four cells from `cell` on, with 0 for those that are not in the column.
fn four(cell: u32, first: u32, last: u32, plane: u32) -> vec4u {
  let cells = cell + vec4u(0u, 1u, 2u, 3u);
  let at = cells % BINS + plane * BINS;
  let words = vec4u(atomicLoad(&bins[at.x]), atomicLoad(&bins[at.y]), atomicLoad(&bins[at.z]), atomicLoad(&bins[at.w]));
  return select(vec4u(), words, cells - first <= vec4u(last - first));
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(workgroup_id) tile: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  // Named here because the reflection of webgpu-utils does not look into `loop`.
  _ = &depth;
  _ = &cellOf;
  _ = &grid;
  _ = &ranges;
  if (thread == 0u) {
    atomicStore(&reach[0], NO_CELL);
    atomicStore(&reach[1], 0u);
  }
  let column = (tile.y * COLUMNS + tile.x) * PLANES * PLANE;
  var window = 0u;
  var width = NO_CELL; // first the whole axis, folded
  loop {
    for (var bin = thread; bin < BINS * PLANES; bin += THREADS) {
      atomicStore(&bins[bin], 0u);
    }
    workgroupBarrier();
    let met = accumulate(tile.xy, thread, window, width);
    atomicMin(&reach[0], met.x);
    atomicMax(&reach[1], met.y);
    workgroupBarrier();
    let first = workgroupUniformLoad(&reach[0]);
    let last = workgroupUniformLoad(&reach[1]);
    let whole = width == NO_CELL;
    let folded = whole && last >= first + BINS;

    // The vec4s of the grid that hold this window's cells; none in an empty column, whose first cell is past its last.
    var at = (select(window, first, whole) + RAW_PAD) / 4u + thread;
    let end = (select(min(window + BINS - 1u, last), last, whole) + RAW_PAD) / 4u;
    loop {
      if (at <= end && !folded) {
        grid[column + at] = four(4u * at - RAW_PAD, first, last, 0u);
        if (PLANES == 2u) {
          grid[column + PLANE + at] = four(4u * at - RAW_PAD, first, last, 1u);
        }
      }
      at += THREADS;
      continuing {
        break if at > end;
      }
    }
    if (thread == 0u) {
      ranges[(tile.y + RANGE_PAD) * (COLUMNS + 2u * RANGE_PAD) + tile.x + RANGE_PAD] = first | (last << 16u);
    }
    workgroupBarrier();

    // Windows begin where a vec4 of the grid does; the one of cell 0 begins three cells before, which wraps.
    window = select(window + BINS, (first + RAW_PAD) / 4u * 4u - RAW_PAD, folded);
    width = BINS;
    continuing {
      break if !folded && (whole || window > last);
    }
  }
}
