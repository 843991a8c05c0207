// One workgroup owns one column of the grid: the depth cells of one SPACE × SPACE tile of pixels. Nobody else writes it,
// so there are no global atomics.
//
//      tile: rows of vec4u, 8 pixels each             bins: cell c in bin c mod BINS
//      ┌────────┬────────┐   eight pixels lie in one    ┌─┬─┬─┬─┬─┬─┬─
//      │ one invocation  │   or two cells: an atomic    │ │ │n│n│ │ │      word: count << COUNT_BIT | Σ offsets
//      ├────────┼────────┤   per cell, not per pixel    └─┴─┴─┴─┴─┴─┴─
//
// The farthest of the eight says which two neighbouring cells are first: what is in them follows from counts and sums of what
// lies at their borders or beyond. What is nearer takes another trip.
//
// A real tile's depths span a handful of cells. One that spans more than BINS folds onto itself: that is seen from its
// first and last cell, and it is done again, BINS cells at a time. So the length of the depth axis costs nothing here.
// Where there is nothing the grid is 0, in a border of empty columns too: what the last frame left is cleared first.
override SPACE: u32 = 16u;
override HEIGHT: u32 = 480u;
override ROW: u32 = 80u; // vec4u in a row of depth
override COLUMNS: u32 = 40u;
override PLANE: u32 = 52u; // vec4u in a column of the grid
override PLANES: u32 = 1u; // 2 if counts have a plane of their own after the sums
override COUNT_BIT: u32 = 23u;
override WIDTH: f32 = 50.0; // of all cells, in depth units; or 0, and the table says where a depth is
override FARTHEST: f32 = 10000.0;
override BINS: u32 = 256u; // cells that a workgroup holds at a time
override THREADS: u32 = 32u;

const RAW_PAD = 3u; // cell c is word c + 3 of its column
const PAD = 3u; // empty columns on each side of the grid
const NO_CELL = 0xffffu;
const ONE = 1048576.0; // a pixel counted, beside its depth: sums of eight are exact

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read> cellOf: array<u32, 65536>; // by depth: cell << 16 | offset in the cell, or OFF_AXIS
@group(0) @binding(2) var<storage, read_write> grid: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> ranges: array<u32>; // by column: first cell | last cell << 16

var<workgroup> bins: array<atomic<u32>, BINS * PLANES>;
var<workgroup> reach: array<atomic<u32>, 2>; // the tile's first and last cell

// Eight depths; 0 is none.
struct Pixels {
  low: vec4f,
  high: vec4f,
}

// A whole number from 0 to 2²³ − 1.
fn whole(x: f32) -> u32 {
  return bitcast<u32>(x + 8388608.0) & 0x7fffffu;
}

fn onAxis(d: vec4f) -> vec4f {
  if (FARTHEST >= 65535.0) {
    return d;
  }
  return select(d, vec4f(), d > vec4f(FARTHEST));
}

// Pixels that are not in the tile are none.
fn inTile(d: vec4f, x: vec4u, left: u32) -> vec4f {
  if (SPACE % 8u == 0u) {
    return d;
  }
  return select(vec4f(), d, x - left < vec4u(SPACE));
}

fn lows(words: vec4u, vec: u32, left: u32) -> vec4f {
  return inTile(onAxis(vec4f(vec4i(words & vec4u(0xffffu)))), 8u * vec + vec4u(0u, 2u, 4u, 6u), left);
}

fn highs(words: vec4u, vec: u32, left: u32) -> vec4f {
  return inTile(onAxis(vec4f(words & vec4u(0xffff0000u)) / 65536.0), 8u * vec + vec4u(1u, 3u, 5u, 7u), left);
}

fn most(p: Pixels) -> f32 {
  let four = max(p.low, p.high);
  return max(max(four.x, four.y), max(four.z, four.w));
}

fn nearerThan(p: vec4f, base: f32) -> vec4f {
  return select(vec4f(), p, p < vec4f(base));
}

// Count and sum of depths from `base` on.
fn beyond(p: Pixels, base: f32) -> vec2f {
  let words = select(vec4f(), p.low + ONE, p.low >= vec4f(base)) + select(vec4f(), p.high + ONE, p.high >= vec4f(base));
  let all = words.x + words.y + words.z + words.w;
  let count = floor(all / ONE);
  return vec2f(count, all - count * ONE);
}

// The number of a depth's cell, the nearest depth in it, and that in the cell before.
fn cellAt(d: f32) -> vec3f {
  if (WIDTH > 0.0) {
    let cell = floor((d + 0.5) / max(WIDTH, 1.0));
    return vec3f(cell, cell * WIDTH, cell * WIDTH - WIDTH);
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
      atomicAdd(&bins[cell % BINS], (count << COUNT_BIT) + offsets);
    } else {
      atomicAdd(&bins[cell % BINS], offsets);
      atomicAdd(&bins[BINS + cell % BINS], count);
    }
  }
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
    var p = Pixels(lows(eight, vec, left), highs(eight, vec, left));
    var farthest = most(p);
    for (var trip = 0u; trip < 8u; trip++) {
      let cell = cellAt(farthest);
      let one = beyond(p, max(cell.y, 1.0));
      let two = beyond(p, max(cell.z, 1.0)) - one;
      let number = whole(cell.x);
      add(number, whole(one.x), whole(one.y - one.x * cell.y), window, width);
      add(number - 1u, whole(two.x), whole(two.y - two.x * cell.z), window, width);
      if (one.x > 0.0) {
        range = vec2u(min(range.x, number - u32(two.x > 0.0)), max(range.y, number));
      }
      p = Pixels(nearerThan(p.low, cell.z), nearerThan(p.high, cell.z));
      farthest = most(p);
      if (farthest <= 0.0) {
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
  let at = (tile.y + PAD) * (COLUMNS + 2u * PAD) + tile.x + PAD;
  let column = at * PLANES * PLANE;
  if (thread == 0u) {
    atomicStore(&reach[0], NO_CELL);
    atomicStore(&reach[1], 0u);
  }
  // What the last frame left; nothing where it was empty.
  let old = ranges[at];
  for (var i = ((old & 0xffffu) + RAW_PAD) / 4u + thread; i <= ((old >> 16u) + RAW_PAD) / 4u; i += THREADS) {
    grid[column + i] = vec4u();
    if (PLANES == 2u) {
      grid[column + PLANE + i] = vec4u();
    }
  }
  storageBarrier();
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
    let isWhole = width == NO_CELL;
    let folded = isWhole && last >= first + BINS;

    // The vec4s of the grid that hold this window's cells; none in an empty column, whose first cell is past its last.
    var chunk = (select(window, first, isWhole) + RAW_PAD) / 4u + thread;
    let end = (select(min(window + BINS - 1u, last), last, isWhole) + RAW_PAD) / 4u;
    loop {
      if (chunk <= end && !folded) {
        grid[column + chunk] = four(4u * chunk - RAW_PAD, first, last, 0u);
        if (PLANES == 2u) {
          grid[column + PLANE + chunk] = four(4u * chunk - RAW_PAD, first, last, 1u);
        }
      }
      chunk += THREADS;
      continuing {
        break if chunk > end;
      }
    }
    if (thread == 0u) {
      ranges[at] = first | (last << 16u);
    }
    workgroupBarrier();

    // Windows begin where a vec4 of the grid does; the one of cell 0 begins three cells before, which wraps.
    window = select(window + BINS, (first + RAW_PAD) / 4u * 4u - RAW_PAD, folded);
    width = BINS;
    continuing {
      break if !folded && (isWhole || window > last);
    }
  }
}
