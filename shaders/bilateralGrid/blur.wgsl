// #import "./gridParts.wgsl"
// Kernel 2 (pipeline/README.md). An invocation: cells of 2 × 2 columns. A workgroup: 8 such blocks side by side. It leaves: blurred depth
// and weight.
// Blurs by 1 4 6 4 1 along x, y and depth. An invocation makes a stretch of 2 × 2 blurred columns, four cells at a time, but only the cells
// that pixels can read: of 200 cells up to 10 m, a column of a real frame has two to six occupied ones.
//
//   blurred cells 4j−1 … 4j+2  ◄─ depth ─  words 4j … 4j+7  ◄─ x, y ─  the same words of 6 × 6 raw columns
//                                          └ low ┘└ high ┘
//                                                 └ low ┘└ high ┘      the next four reuse `high` as `low`
//
// The raw grid has three empty columns all around, and is 0 where no pixels are, so no code tests for its end.
override COLUMNS: u32 = 40u; // columns of the raw grid; the blurred one has one more on each side
override PLANES: u32 = 1u; // 2 if the counts have a plane of their own after the sums
override BLURRED_COLUMNS: u32 = 42u; // an even number
override STRETCHES: u32 = 8u; // invocations per column
override THREADS: u32 = 64u; // invocations of eight columns

const EMPTY_RANGE = 0xffffu;
const RANGE_PAD = 3u; // empty columns on each side of the grid

@group(0) @binding(0) var<storage, read> grid: array<vec4u>;
@group(0) @binding(1) var<storage, read> ranges: array<u32>; // by column; three empty ones surround the grid
@group(0) @binding(2) var<storage, read> bases: array<vec4f>; // by raw word: the nearest depth of its cell
@group(0) @binding(3) var<storage, read_write> blurred: array<vec4f>; // pairs of (weighted sum of depth, weight)
@group(0) @binding(4) var<uniform> axisOfDepth: Axis;

// The weighted depth sums and the weights of four cells.
struct Cells {
  sums: vec4f,
  weights: vec4f,
}

// The 2 × 2 columns: a and b in the upper row, c and d in the lower.
struct Quad {
  a: Cells,
  b: Cells,
  c: Cells,
  d: Cells,
}

// Loads whole numbers as floats; along x they lose nothing beyond 24 bits.
fn load(at: u32) -> Cells {
  let words = grid[at];
  if (PLANES == 2u) {
    return Cells(vec4f(words), vec4f(grid[at + axis.plane]));
  }
  let low = (1u << axis.countBit) - 1u;
  return Cells(vec4f(vec4i(words & vec4u(low))), vec4f(words & vec4u(~low)) * (1.0 / f32(1u << axis.countBit)));
}

fn taps(a: Cells, b: Cells, c: Cells, d: Cells, e: Cells) -> Cells {
  return Cells(
    a.sums + e.sums + 4.0 * (b.sums + d.sums) + 6.0 * c.sums,
    a.weights + e.weights + 4.0 * (b.weights + d.weights) + 6.0 * c.weights,
  );
}

fn plus(a: Cells, weight: f32, b: Cells) -> Cells {
  return Cells(a.sums + weight * b.sums, a.weights + weight * b.weights);
}

// Converts sums of offsets to sums of depths.
fn placed(a: Cells, base: vec4f) -> Cells {
  return Cells(a.sums + a.weights * base, a.weights);
}

// Blurs words 4i … 4i+3 along x and y; `corner` is the first of the 6 × 6 columns.
fn across(i: u32, corner: u32) -> Quad {
  var sum = Quad();
  for (var y = 0u; y < 6u; y++) {
    let at = (corner + y * (COLUMNS + 2u * RANGE_PAD)) * PLANES * axis.plane + i;
    let a = load(at);
    let b = load(at + PLANES * axis.plane);
    let c = load(at + 2u * PLANES * axis.plane);
    let d = load(at + 3u * PLANES * axis.plane);
    let e = load(at + 4u * PLANES * axis.plane);
    let f = load(at + 5u * PLANES * axis.plane);
    let left = taps(a, b, c, d, e);
    let right = taps(b, c, d, e, f);
    // Each hexadecimal digit is a tap: the upper columns are blurred from the first five rows, the lower ones from the last five.
    let upper = f32((0x014641u >> (4u * y)) & 15u);
    let lower = f32((0x146410u >> (4u * y)) & 15u);
    sum = Quad(plus(sum.a, upper, left), plus(sum.b, upper, right), plus(sum.c, lower, left), plus(sum.d, lower, right));
  }
  let base = bases[i];
  return Quad(placed(sum.a, base), placed(sum.b, base), placed(sum.c, base), placed(sum.d, base));
}

fn alongDepth(low: vec4f, high: vec4f) -> vec4f {
  return low + high + 4.0 * (vec4f(low.yzw, high.x) + vec4f(low.w, high.xyz)) + 6.0 * vec4f(low.zw, high.xy);
}

fn store(at: u32, low: Cells, high: Cells) {
  let s = alongDepth(low.sums, high.sums);
  let w = alongDepth(low.weights, high.weights);
  blurred[at] = vec4f(s.x, w.x, s.y, w.y);
  blurred[at + 1u] = vec4f(s.z, w.z, s.w, w.w);
}

@compute @workgroup_size(THREADS) fn main(@builtin(global_invocation_id) id: vec3u) {
  axis = axisOfDepth;
  let column = 2u * (id.x / STRETCHES);
  let row = 2u * id.y;
  if (column >= COLUMNS + 2u) {
    return;
  }
  let corner = row * (COLUMNS + 2u * RANGE_PAD) + column;
  // Pixels that read these columns lie in the surrounding 4 × 4 columns, in occupied cells or next to them.
  var first = 0xffffu;
  var last = 0u;
  for (var i = 0u; i < 16u; i++) {
    let range = ranges[corner + (1u + i / 4u) * (COLUMNS + 2u * RANGE_PAD) + 1u + i % 4u];
    first = min(first, range & 0xffffu);
    last = max(last, range >> 16u);
  }
  if (first == EMPTY_RANGE) {
    return;
  }
  let firstChunk = first / 4u;
  let chunks = (last + 2u) / 4u - firstChunk + 1u;
  let stretch = (chunks + STRETCHES - 1u) / STRETCHES;
  let begin = firstChunk + (id.x % STRETCHES) * stretch;
  let end = min(begin + stretch, firstChunk + chunks);
  if (begin >= end) {
    return;
  }
  let blurredColumn = axis.column / 2u;
  let to = (row * BLURRED_COLUMNS + column) * blurredColumn;
  var low = Quad();
  var i = begin;
  loop {
    let high = across(i, corner);
    if (i > begin) {
      let at = to + 2u * (i - 1u);
      store(at, low.a, high.a);
      store(at + blurredColumn, low.b, high.b);
      store(at + BLURRED_COLUMNS * blurredColumn, low.c, high.c);
      store(at + (BLURRED_COLUMNS + 1u) * blurredColumn, low.d, high.d);
    }
    low = high;
    i++;
    continuing {
      break if i > end;
    }
  }
}
