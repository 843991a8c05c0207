// #import "./gridParts.wgsl"
// Kernel 1 (pipeline/README.md). An invocation: some pixels of one grid column. A workgroup: one σ × σ tile: one column of cells. It
// leaves: integer counts and sums.
// Splats pixels into the grid. A workgroup owns one column of the grid, the depth cells of one tile of SPACE × SPACE pixels. No other
// workgroup writes these, so there are no global atomics.
//
//      tile: rows of vec2u, 4 pixels each             bins: cell c in bin c mod BINS
//      ┌────┬────┬────┬────┐   four pixels lie in one   ┌─┬─┬─┬─┬─┬─┬─
//      │ one │ invo│cation│ │  or two cells: an atomic   │ │ │n│n│ │ │      word: count << axis.countBit | Σ offsets
//      ├────┼────┼────┼────┤   per cell, not per pixel  └─┴─┴─┴─┴─┴─┴─
//
// The farthest of four pixels determines two adjacent cells; counts and sums of the pixels at or beyond their borders give the content of
// both. Nearer pixels take another trip.
//
// The depths of a real tile span a handful of cells. If they span more than BINS, the tile folds onto itself. Its first and last cell
// reveal that, and the tile is done again, BINS cells at a time. So the length of the depth axis costs nothing here. Empty cells of the
// grid and its border columns are 0: a write covers the range of the last frame as well as this frame's. The first loads come before
// everything else, because all later work waits for them.
override SPACE: u32 = 16u;
override HEIGHT: u32 = 480u;
override ROW: u32 = 160u; // vec2u per row of depth
override COLUMNS: u32 = 40u;
override PLANES: u32 = 1u; // 2 if the counts have a plane of their own after the sums
override EQUAL: u32 = 1u; // 1: all cells are equally long; 0: a table gives a depth's cell
override BINS: u32 = 256u; // cells of a tile that a workgroup holds at once
override ALL_BINS: u32 = PLANES * BINS;
override THREADS: u32 = 64u;

const RAW_PAD = 3u; // cell c is word c + 3 of its column
const RANGE_PAD = 3u; // empty columns on each side of the grid
const NO_CELL = 0xffffu;
const ONE = 1048576.0; // the count of one pixel, added to its depth in one float: sums of four are exact

@group(0) @binding(0) var<storage, read> depth: array<vec2u>;
@group(0) @binding(1) var<storage, read> cellOf: array<u32, 65536>; // by depth: cell << 16 | offset in the cell, or OFF_AXIS
@group(0) @binding(2) var<storage, read_write> grid: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> ranges: array<u32>; // by column: first cell | last cell << 16
@group(0) @binding(4) var<uniform> axisOfDepth: Axis;

var<workgroup> bins: array<atomic<u32>, ALL_BINS>;
var<workgroup> reach: array<atomic<u32>, 2>; // the tile's first and last cells
var<workgroup> more: u32; // whether another trip follows

struct Tile {
  left: u32, // its first pixel
  top: u32,
  vecs: u32, // vec2u per row
  items: u32, // vec2u in all
}

fn tileAt(column: vec2u) -> Tile {
  let left = column.x * SPACE;
  let top = column.y * SPACE;
  let vecs = min((left + SPACE + 3u) / 4u, ROW) - left / 4u;
  return Tile(left, top, vecs, vecs * (min(top + SPACE, HEIGHT) - top));
}

// Four pixels of a tile. For an `item` behind the tile's last one these are any four pixels of the frame, which nobody uses.
fn wordsOf(tile: Tile, item: u32) -> vec2u {
  return depth[min(tile.top + item / tile.vecs, HEIGHT - 1u) * ROW + tile.left / 4u + item % tile.vecs];
}

// Converts a float that holds a whole number from 0 to 2²³ − 1.
fn whole(x: f32) -> u32 {
  return bitcast<u32>(x + 8388608.0) & 0x7fffffu;
}

// The depths of four pixels; 0 for invalid ones, those beyond the axis and those outside the tile.
fn depths(words: vec2u, vec: u32, left: u32) -> vec4f {
  var d = vec4u(words.x & 0xffffu, words.x >> 16u, words.y & 0xffffu, words.y >> 16u);
  d = select(d, vec4u(), d > vec4u(u32(axis.farthest)));
  if (SPACE % 4u != 0u) {
    d = select(vec4u(), d, 4u * vec + vec4u(0u, 1u, 2u, 3u) - left < vec4u(SPACE));
  }
  return vec4f(d);
}

fn most(p: vec4f) -> f32 {
  return max(max(p.x, p.y), max(p.z, p.w));
}

// The count and the sum of the depths that are at least `base`.
fn beyond(p: vec4f, base: f32) -> vec2f {
  let counted = select(vec4f(), p + ONE, p >= vec4f(base));
  let all = counted.x + counted.y + counted.z + counted.w;
  let count = floor(all / ONE);
  return vec2f(count, all - count * ONE);
}

// The number of a depth's cell, its nearest depth, and the nearest depth of the cell before.
fn cellAt(d: f32) -> vec3f {
  if (EQUAL == 1u) {
    let cell = floor((d + 0.5) / axis.width);
    return vec3f(cell, cell * axis.width, cell * axis.width - axis.width);
  }
  let entry = cellOf[u32(d)];
  let base = u32(d) - (entry & 0xffffu);
  // Depth 0 is in no cell, and a cell that would hold nothing else does not matter.
  let before = max(base, 2u) - 1u;
  let below = select(0u, before - (cellOf[before] & 0xffffu), base > 1u);
  return vec3f(f32(entry >> 16u), f32(base), f32(below));
}

fn add(cell: u32, count: u32, offsets: u32, window: u32, width: u32) {
  if (count > 0u && cell - window < width) {
    if (PLANES == 1u) {
      atomicAdd(&bins[cell % BINS], (count << axis.countBit) + offsets);
    } else {
      atomicAdd(&bins[cell % BINS], offsets);
      atomicAdd(&bins[BINS + cell % BINS], count);
    }
  }
}

// Adds the tile's pixels in cells window … window + width − 1 to the bins; `own` are this invocation's first pixels. Returns the first and
// last cell of its pixels.
fn accumulate(tile: Tile, thread: u32, own: vec2u, window: u32, width: u32) -> vec2u {
  var range = vec2u(NO_CELL, 0u);
  var item = thread;
  for (var round = 0u; round < SPACE * SPACE; round++) {
    if (item >= tile.items) {
      break;
    }
    var words = own;
    if (item != thread) {
      words = wordsOf(tile, item);
    }
    var p = depths(words, tile.left / 4u + item % tile.vecs, tile.left);
    var farthest = most(p);
    for (var trip = 0u; trip < 4u; trip++) {
      if (farthest <= 0.0) {
        break;
      }
      let cell = cellAt(farthest);
      let one = beyond(p, max(cell.y, 1.0));
      let two = beyond(p, max(cell.z, 1.0)) - one;
      let number = whole(cell.x);
      add(number, whole(one.x), whole(one.y - one.x * cell.y), window, width);
      add(number - 1u, whole(two.x), whole(two.y - two.x * cell.z), window, width);
      range = vec2u(min(range.x, number - u32(two.x > 0.0)), max(range.y, number));
      p = select(vec4f(), p, p < vec4f(cell.z));
      farthest = most(p);
    }
    item += THREADS;
  }
  return range;
}

// Four cells from `cell` on, 0 for those outside the column's range. `part` is 0, or BINS for the plane of counts.
fn four(part: u32, cell: u32, first: u32, last: u32) -> vec4u {
  let cells = cell + vec4u(0u, 1u, 2u, 3u);
  let at = part + cells % BINS;
  let words = vec4u(atomicLoad(&bins[at.x]), atomicLoad(&bins[at.y]), atomicLoad(&bins[at.z]), atomicLoad(&bins[at.w]));
  return select(vec4u(), words, cells - first <= vec4u(last - first));
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  axis = axisOfDepth;
  let tile = tileAt(group.xy);
  let own = wordsOf(tile, thread);
  let at = (group.y + RANGE_PAD) * (COLUMNS + 2u * RANGE_PAD) + group.x + RANGE_PAD;
  let old = ranges[at];
  let column = at * PLANES * axis.plane;
  var window = 0u;
  var width = NO_CELL; // the first trip covers the whole axis, folded
  loop {
    for (var bin = thread; bin < ALL_BINS; bin += THREADS) {
      atomicStore(&bins[bin], 0u);
    }
    if (thread < 2u) {
      atomicStore(&reach[thread], select(NO_CELL, 0u, thread == 1u));
    }
    workgroupBarrier();
    let met = accumulate(tile, thread, own, window, width);
    atomicMin(&reach[0], met.x);
    atomicMax(&reach[1], met.y);
    workgroupBarrier();
    // All invocations have read the old range. A folded tile writes wrong cells here, which its windows then overwrite.
    storageBarrier();
    let first = atomicLoad(&reach[0]);
    let last = atomicLoad(&reach[1]);
    let isWhole = width == NO_CELL;
    let folds = last >= first + BINS;
    // The vec4s of the grid to write; none if the column is empty now and was before (then the first cell lies behind the last).
    let begin = (select(window, min(first, old & 0xffffu), isWhole) + RAW_PAD) / 4u;
    let end = (select(min(window + BINS - 1u, last), max(last, old >> 16u), isWhole) + RAW_PAD) / 4u;
    for (var i = begin + thread; i <= end; i += THREADS) {
      grid[column + i] = four(0u, 4u * i - RAW_PAD, first, last);
      if (PLANES == 2u) {
        grid[column + axis.plane + i] = four(BINS, 4u * i - RAW_PAD, first, last);
      }
    }
    // A window begins where a vec4 of the grid does. The vec4 of cell 0 begins three cells earlier, so `window` wraps around.
    window = select(window + BINS, (first + RAW_PAD) / 4u * 4u - RAW_PAD, isWhole);
    width = BINS;
    if (thread == 0u) {
      ranges[at] = first | (last << 16u);
      more = u32(folds && (isWhole || i32(window) <= i32(last)));
    }
    if (workgroupUniformLoad(&more) == 0u) {
      break;
    }
  }
}
