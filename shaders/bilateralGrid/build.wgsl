// A workgroup owns a column of the grid: the depth cells of one SPACE × SPACE tile of pixels. Nobody else writes them, so
// there are no global atomics.
//
//      tile: rows of vec2u, 4 pixels each             bins: cell c in bin c mod BINS
//      ┌────┬────┬────┬────┐   four pixels lie in one   ┌─┬─┬─┬─┬─┬─┬─
//      │ one │ invo│cation│ │  or two cells: an atomic   │ │ │n│n│ │ │      word: count << axis.countBit | Σ offsets
//      ├────┼────┼────┼────┤   per cell, not per pixel  └─┴─┴─┴─┴─┴─┴─
//
// The farthest of the four says which two neighbouring cells are first: what is in them follows from counts and sums of what
// lies at their borders or beyond. What is nearer takes another trip.
//
// A real tile's depths span a handful of cells. One that spans more than BINS folds onto itself: that is seen from its
// first and last cell, and it is done again, BINS cells at a time. So the length of the depth axis costs nothing here.
// Where there is nothing the grid is 0, in a border of empty columns too: what is written reaches over the last frame's range
// as well as this one's. The first loads are what all waits for, so they come before anything else.
override SPACE: u32 = 16u;
override HEIGHT: u32 = 480u;
override ROW: u32 = 160u; // vec2u in a row of depth
override COLUMNS: u32 = 40u;
override PLANES: u32 = 1u; // 2 if counts have a plane of their own after the sums
override EQUAL: u32 = 1u; // all cells are equally long; or 0, and the table says where a depth is
override BINS: u32 = 256u; // cells of a tile that a workgroup holds at a time
override THREADS: u32 = 64u;

const RAW_PAD = 3u; // cell c is word c + 3 of its column
const PAD = 3u; // empty columns on each side of the grid
const NO_CELL = 0xffffu;
const ONE = 1048576.0; // a pixel counted, beside its depth: sums of four are exact

// How the depth axis is cut into cells.
struct Axis {
  width: f32, // of all cells, in depth units, where they are EQUAL
  farthest: f32, // depth on it
  plane: u32, // vec4u in a raw column; counts may have a plane of their own after the sums
  column: u32, // pairs in a blurred column
  countBit: u32, // of a raw word; below is the sum
}

@group(0) @binding(0) var<storage, read> depth: array<vec2u>;
@group(0) @binding(1) var<storage, read> cellOf: array<u32, 65536>; // by depth: cell << 16 | offset in the cell, or OFF_AXIS
@group(0) @binding(2) var<storage, read_write> grid: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> ranges: array<u32>; // by column: first cell | last cell << 16
@group(0) @binding(4) var<uniform> axisOfDepth: Axis;

var<private> axis: Axis; // read once

var<workgroup> bins: array<atomic<u32>, PLANES * BINS>;
var<workgroup> reach: array<atomic<u32>, 2>; // the tile's first and last cells
var<workgroup> more: u32; // whether another trip is needed

struct Tile {
  left: u32, // its first pixel
  top: u32,
  vecs: u32, // vec2u in a row
  items: u32, // and in all
}

fn tileAt(column: vec2u) -> Tile {
  let left = column.x * SPACE;
  let top = column.y * SPACE;
  let vecs = min((left + SPACE + 3u) / 4u, ROW) - left / 4u;
  return Tile(left, top, vecs, vecs * (min(top + SPACE, HEIGHT) - top));
}

// Four pixels of a tile; for an item that it does not have, four of the frame's.
fn wordsOf(tile: Tile, item: u32) -> vec2u {
  return depth[min(tile.top + item / tile.vecs, HEIGHT - 1u) * ROW + tile.left / 4u + item % tile.vecs];
}

// A whole number from 0 to 2²³ − 1.
fn whole(x: f32) -> u32 {
  return bitcast<u32>(x + 8388608.0) & 0x7fffffu;
}

// Depths of four pixels; 0 is none, which those past the axis and those not in the tile are too.
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

// Count and sum of depths from `base` on.
fn beyond(p: vec4f, base: f32) -> vec2f {
  let counted = select(vec4f(), p + ONE, p >= vec4f(base));
  let all = counted.x + counted.y + counted.z + counted.w;
  let count = floor(all / ONE);
  return vec2f(count, all - count * ONE);
}

// The number of a depth's cell, the nearest depth in it, and that in the cell before.
fn cellAt(d: f32) -> vec3f {
  if (EQUAL == 1u) {
    let cell = floor((d + 0.5) / axis.width);
    return vec3f(cell, cell * axis.width, cell * axis.width - axis.width);
  }
  let entry = cellOf[u32(d)];
  let base = u32(d) - (entry & 0xffffu);
  // Depth 0 is in no cell, and the cell that would hold nothing else does not matter.
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

// Adds the tile's pixels in cells window … window + width − 1 to its bins; `own` are the first of this invocation. Returns
// the first and last cell of its pixels.
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

// Four cells from `cell` on, with 0 for those that are not in the column; `part` is 0, or BINS for counts of their own.
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
  // Named here because the reflection of webgpu-utils does not look into `loop`.
  _ = &depth;
  _ = &cellOf;
  _ = &grid;
  _ = &ranges;
  axis = axisOfDepth;
  let tile = tileAt(group.xy);
  let own = wordsOf(tile, thread);
  let at = (group.y + PAD) * (COLUMNS + 2u * PAD) + group.x + PAD;
  let old = ranges[at];
  let column = at * PLANES * axis.plane;
  var window = 0u;
  var width = NO_CELL; // first the whole axis, folded
  loop {
    for (var bin = thread; bin < PLANES * BINS; bin += THREADS) {
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
    // Everybody has read the old range, and what a tile that folds writes here comes before its windows, which write over it.
    storageBarrier();
    let first = atomicLoad(&reach[0]);
    let last = atomicLoad(&reach[1]);
    let isWhole = width == NO_CELL;
    let folds = last >= first + BINS;
    // The vec4s of the grid that hold these cells; none if the column was empty and is, whose first cell is past its last.
    let begin = (select(window, min(first, old & 0xffffu), isWhole) + RAW_PAD) / 4u;
    let end = (select(min(window + BINS - 1u, last), max(last, old >> 16u), isWhole) + RAW_PAD) / 4u;
    for (var i = begin + thread; i <= end; i += THREADS) {
      grid[column + i] = four(0u, 4u * i - RAW_PAD, first, last);
      if (PLANES == 2u) {
        grid[column + axis.plane + i] = four(BINS, 4u * i - RAW_PAD, first, last);
      }
    }
    // Windows begin where a vec4 of the grid does; the one of cell 0 begins three cells before, which wraps.
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
