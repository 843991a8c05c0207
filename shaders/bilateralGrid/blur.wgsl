// 1 4 6 4 1 along x, y and depth. An invocation makes a stretch of one blurred column, four cells after four; only cells
// that a pixel can read are made: of 200 cells to 10 m, a column of a real frame has two to six with pixels in them.
//
//   blurred cells 4j−1 … 4j+2  ◄─ depth ─  words 4j … 4j+7  ◄─ x, y ─  the same words of 5 × 5 raw columns
//                                          └ low ┘└ high ┘
//                                                 └ low ┘└ high ┘      the next four take over what is there
override COLUMNS: u32 = 40u; // of the raw grid; the blurred one has a column more on each side
override PLANE: u32 = 52u; // vec4u in a raw column
override PLANES: u32 = 1u; // 2 if counts have a plane of their own after the sums
override BLURRED_COLUMN: u32 = 102u; // vec4f in a blurred column
override COUNT_BIT: u32 = 23u;
override STRETCHES: u32 = 8u; // invocations to a column
override THREADS: u32 = 64u; // eight columns' invocations

const EMPTY_RANGE = 0xffffu;

@group(0) @binding(0) var<storage, read> grid: array<vec4u>;
@group(0) @binding(1) var<storage, read> ranges: array<u32>; // by column, three empty ones around the grid
@group(0) @binding(2) var<storage, read> bases: array<vec4f>; // by raw word: its cell's nearest depth
@group(0) @binding(3) var<storage, read_write> blurred: array<vec4f>; // pairs of (weighted sum of depth, weight)

// Weighted sums of depth and weights of four cells.
struct Cells {
  sums: vec4f,
  weights: vec4f,
}

// Counts and sums of offsets of four cells, whole numbers.
struct Words {
  counts: vec4u,
  sums: vec4u,
}

// Words 4i … 4i+3 of a column, 0 where it has none. Something is loaded in any case: behind a branch, a load would wait for
// that of the range.
fn load(i: u32, range: u32, column: u32) -> Words {
  // The column's words are (first + 3) / 4 to (last + 3) / 4; an empty range holds none, wherever its column would be.
  let holds = (range & 0xffffu) <= 4u * i && (range >> 16u) + 3u >= 4u * i;
  let at = select(0u, column * PLANES * PLANE + i, holds);
  let words = select(vec4u(), grid[at], holds);
  if (PLANES == 2u) {
    return Words(select(vec4u(), grid[at + PLANE], holds), words);
  }
  return Words(words >> vec4u(COUNT_BIT), words & vec4u((1u << COUNT_BIT) - 1u));
}

// The blur along x and y of words 4i … 4i+3; the 5 × 5 ranges start at `corner`, their columns at `column`.
fn across(i: u32, corner: u32, column: u32) -> Cells {
  var counts = vec4f();
  var sums = vec4f();
  for (var y = 0u; y < 5u; y++) {
    let weight = f32((0x14641u >> (4u * y)) & 15u);
    let rangeAt = corner + y * (COLUMNS + 6u);
    let columnAt = column + y * COLUMNS;
    let a = load(i, ranges[rangeAt], columnAt);
    let b = load(i, ranges[rangeAt + 1u], columnAt + 1u);
    let c = load(i, ranges[rangeAt + 2u], columnAt + 2u);
    let d = load(i, ranges[rangeAt + 3u], columnAt + 3u);
    let e = load(i, ranges[rangeAt + 4u], columnAt + 4u);
    counts += weight * vec4f(a.counts + e.counts + 4u * (b.counts + d.counts) + 6u * c.counts);
    sums += weight * vec4f(a.sums + e.sums + 4u * (b.sums + d.sums) + 6u * c.sums);
  }
  return Cells(sums + counts * bases[i], counts);
}

fn alongDepth(low: vec4f, high: vec4f) -> vec4f {
  return low + high + 4.0 * (vec4f(low.yzw, high.x) + vec4f(low.w, high.xyz)) + 6.0 * vec4f(low.zw, high.xy);
}

@compute @workgroup_size(THREADS) fn main(@builtin(global_invocation_id) id: vec3u) {
  // Named here because the reflection of webgpu-utils does not look into `loop`.
  _ = &grid;
  _ = &bases;
  _ = &blurred;
  let column = id.x / STRETCHES;
  let row = id.y;
  if (column >= COLUMNS + 2u) {
    return;
  }
  let corner = row * (COLUMNS + 6u) + column;
  // The pixels that read this column lie in the 3 × 3 columns around it, in their occupied cells or next to them.
  var first = 0xffffu;
  var last = 0u;
  for (var y = 1u; y < 4u; y++) {
    for (var x = 1u; x < 4u; x++) {
      let range = ranges[corner + y * (COLUMNS + 6u) + x];
      first = min(first, range & 0xffffu);
      last = max(last, range >> 16u);
    }
  }
  if (first == 0xffffu) {
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
  // The column at `corner`, which may be one of those that are not there: it wraps, and is not read.
  let raw = (row - 3u) * COLUMNS + column - 3u;
  var low = Cells();
  var i = begin;
  loop {
    let high = across(i, corner, raw);
    if (i > begin) {
      let s = alongDepth(low.sums, high.sums);
      let w = alongDepth(low.weights, high.weights);
      let at = (row * (COLUMNS + 2u) + column) * BLURRED_COLUMN + 2u * (i - 1u);
      blurred[at] = vec4f(s.x, w.x, s.y, w.y);
      blurred[at + 1u] = vec4f(s.z, w.z, s.w, w.w);
    }
    low = high;
    i++;
    continuing {
      break if i > end;
    }
  }
}
