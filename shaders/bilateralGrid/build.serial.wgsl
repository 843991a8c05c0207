// build.wgsl for a CPU that plays a GPU: one invocation makes one column, so that nothing is shared, waited for or atomic.
//
//      tile: 8 × 2 pixels at a time                   bins of its own: cell c in bin c mod BINS
//      ┌────────┬────────┐   sixteen pixels lie in      ┌─┬─┬─┬─┬─┬─┬─
//      │ ░░░░░░ │        │   one or two cells, as a     │ │ │n│n│ │ │      word: count << COUNT_BIT | Σ offsets
//      │ ░░░░░░ │        │   rule                       └─┴─┴─┴─┴─┴─┴─
//      ├────────┼────────┤
//
// Such a CPU charges for a word loaded as much as for twenty operations, and for a shift as much as for five; a float's min or max
// takes seven times as long as an integer's. So cells come from arithmetic on floats that are whole numbers, high halves are
// converted where they are, and depths are compared by their bits.
//
// See build.wgsl for how sums at a cell's border or beyond make cells, for tiles that span more than BINS cells, and for
// what is cleared.
override SPACE: u32 = 16u;
override HEIGHT: u32 = 480u;
override ROW: u32 = 80u; // vec4u in a row of depth
override COLUMNS: u32 = 40u;
override PLANE: u32 = 52u; // vec4u in a column of the grid
override PLANES: u32 = 1u; // 2 if counts have a plane of their own after the sums
override COUNT_BIT: u32 = 23u;
override WIDTH: f32 = 50.0; // of all cells, in depth units; or 0, and the table says where a depth is
override FARTHEST: f32 = 10000.0;

const BINS = 64u; // cells held at a time
const RAW_PAD = 3u; // cell c is word c + 3 of its column
const PAD = 3u; // empty columns on each side of the grid
const NO_CELL = 0xffffu;
const ONE = 1048576.0; // a pixel counted, beside its depth: sums of eight are exact

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read> cellOf: array<u32, 65536>; // by depth: cell << 16 | offset in the cell, or OFF_AXIS
@group(0) @binding(2) var<storage, read_write> grid: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> ranges: array<u32>; // by column: first cell | last cell << 16

// Sixteen depths; 0 is none.
struct Pixels {
  a: vec4f,
  b: vec4f,
  c: vec4f,
  d: vec4f,
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

// The farthest: of floats that are not negative, bits are in order too.
fn most(p: Pixels) -> f32 {
  let ab = max(bitcast<vec4i>(p.a), bitcast<vec4i>(p.b));
  let cd = max(bitcast<vec4i>(p.c), bitcast<vec4i>(p.d));
  let four = max(ab, cd);
  return bitcast<f32>(max(max(four.x, four.y), max(four.z, four.w)));
}

fn sum(a: vec4f) -> f32 {
  return a.x + a.y + a.z + a.w;
}

fn counted(p: vec4f, base: f32) -> vec4f {
  return select(vec4f(), p + ONE, p >= vec4f(base));
}

fn nearerThan(p: vec4f, base: f32) -> vec4f {
  return select(vec4f(), p, p < vec4f(base));
}

// Count and sum of depths from `base` on.
fn beyond(p: Pixels, base: f32) -> vec2f {
  let both = vec2f(sum(counted(p.a, base) + counted(p.b, base)), sum(counted(p.c, base) + counted(p.d, base)));
  let counts = floor(both / ONE);
  let sums = both - counts * ONE;
  return vec2f(counts.x + counts.y, sums.x + sums.y);
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

@compute @workgroup_size(4, 4) fn main(@builtin(global_invocation_id) id: vec3u) {
  // Named here because the reflection of webgpu-utils does not look into `loop`.
  _ = &depth;
  _ = &cellOf;
  _ = &grid;
  _ = &ranges;
  let left = id.x * SPACE;
  let top = id.y * SPACE;
  if (id.x >= COLUMNS || top >= HEIGHT) {
    return;
  }
  let bottom = min(top + SPACE, HEIGHT);
  let firstVec = left / 8u;
  let endVec = min((left + SPACE + 7u) / 8u, ROW);
  let at = (id.y + PAD) * (COLUMNS + 2u * PAD) + id.x + PAD;
  let base = at * PLANES * PLANE;

  // What the last frame left; nothing where it was empty.
  let old = ranges[at];
  for (var i = ((old & 0xffffu) + RAW_PAD) / 4u; i <= ((old >> 16u) + RAW_PAD) / 4u; i++) {
    grid[base + i] = vec4u();
    if (PLANES == 2u) {
      grid[base + PLANE + i] = vec4u();
    }
  }
  var window = 0u;
  var width = NO_CELL; // first the whole axis, folded
  loop {
    var bins = array<u32, BINS>();
    var counts = array<u32, BINS>();
    var first = i32(NO_CELL);
    var last = 0;
    var y = top;
    var vec = firstVec;
    for (var round = 0u; round < SPACE * SPACE; round++) {
      let here = depth[y * ROW + vec];
      let below = select(vec4u(), depth[min(y + 1u, HEIGHT - 1u) * ROW + vec], y + 1u < bottom);
      var p = Pixels(lows(here, vec, left), highs(here, vec, left), lows(below, vec, left), highs(below, vec, left));
      var farthest = most(p);
      for (var trip = 0u; trip < 16u; trip++) {
        let cell = cellAt(farthest);
        let one = beyond(p, max(cell.y, 1.0));
        let two = beyond(p, max(cell.z, 1.0)) - one;
        let bin = whole(cell.x);
        let number = i32(bin);
        last = max(last, select(0, number, one.x > 0.0));
        first = min(first, select(i32(NO_CELL), number - i32(two.x > 0.0), one.x > 0.0));
        let oneIn = bin - window < width;
        let twoIn = bin - 1u - window < width;
        if (PLANES == 1u) {
          bins[bin % BINS] += select(0u, whole(one.x) * (1u << COUNT_BIT) + whole(one.y - one.x * cell.y), oneIn);
          bins[(bin - 1u) % BINS] += select(0u, whole(two.x) * (1u << COUNT_BIT) + whole(two.y - two.x * cell.z), twoIn);
        } else {
          bins[bin % BINS] += select(0u, whole(one.y - one.x * cell.y), oneIn);
          bins[(bin - 1u) % BINS] += select(0u, whole(two.y - two.x * cell.z), twoIn);
          counts[bin % BINS] += select(0u, whole(one.x), oneIn);
          counts[(bin - 1u) % BINS] += select(0u, whole(two.x), twoIn);
        }
        p = Pixels(nearerThan(p.a, cell.z), nearerThan(p.b, cell.z), nearerThan(p.c, cell.z), nearerThan(p.d, cell.z));
        farthest = most(p);
        if (farthest <= 0.0) {
          break;
        }
      }
      y += 2u;
      let next = y >= bottom;
      vec += u32(next);
      y = select(y, top, next);
      if (vec >= endVec) {
        break;
      }
    }
    let firstCell = u32(first);
    let lastCell = u32(last);
    let isWhole = width == NO_CELL;
    let folded = isWhole && lastCell >= firstCell + BINS;
    var chunk = (select(window, firstCell, isWhole) + RAW_PAD) / 4u;
    let end = (select(min(window + BINS - 1u, lastCell), lastCell, isWhole) + RAW_PAD) / 4u;
    loop {
      if (chunk <= end && !folded) {
        let cells = 4u * chunk - RAW_PAD + vec4u(0u, 1u, 2u, 3u);
        let i = cells % BINS;
        let inRange = cells - firstCell <= vec4u(lastCell - firstCell);
        grid[base + chunk] = select(vec4u(), vec4u(bins[i.x], bins[i.y], bins[i.z], bins[i.w]), inRange);
        if (PLANES == 2u) {
          grid[base + PLANE + chunk] = select(vec4u(), vec4u(counts[i.x], counts[i.y], counts[i.z], counts[i.w]), inRange);
        }
      }
      chunk++;
      continuing {
        break if chunk > end;
      }
    }
    ranges[at] = firstCell | (lastCell << 16u);
    // Windows begin where a vec4 of the grid does; the one of cell 0 begins three cells before, which wraps.
    window = select(window + BINS, (firstCell + RAW_PAD) / 4u * 4u - RAW_PAD, folded);
    width = BINS;
    continuing {
      break if !folded && (isWhole || window > lastCell);
    }
  }
}
