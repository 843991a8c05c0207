// blur.wgsl and slice.wgsl in one, where a dispatch less is worth more than the work it saves. A workgroup owns the pixels
// between the centres of four columns: it blurs the four, as far as its pixels read them, and slices. So each column is
// blurred four times in all.
//
//      ●───────────●     1. an invocation for each of the four columns and each four cells: 1 4 6 4 1 along x and y
//      │ · · · · · │     2. the same along depth
//      │ · · · · · │     3. an invocation for each four pixels of a row
//      ●───────────●
//
// Workgroup memory holds CHUNKS × 4 cells. Depths that span more take several windows, each of which begins with the last
// four cells of the one before, so that every two neighbours are in one window together.
override SPACE: u32 = 16u; // a multiple of 8
override HEIGHT: u32 = 480u;
override ROW: u32 = 160u; // vec2u in a row of depth
override COLUMNS: u32 = 40u; // of the raw grid
override PLANE: u32 = 52u; // vec4u in a raw column
override PLANES: u32 = 1u; // 2 if counts have a plane of their own after the sums
override COUNT_BIT: u32 = 23u;
override WIDTH: f32 = 50.0; // of all cells, in depth units; or 0, and the table says where a depth is
override FARTHEST: f32 = 10000.0;
override THREADS: u32 = 64u;

const CHUNKS = 16u;
const CELLS = 64u;
const PAD = 3u; // empty columns on each side of the grid
const EMPTY_RANGE = 0xffffu;
const NONE = 0x100000; // the box of a pixel that has none

@group(0) @binding(0) var<storage, read> depth: array<vec2u>;
@group(0) @binding(1) var<storage, read> positionOf: array<u32, 65536>; // by depth: cells from the centre of cell −1, in 1/65536
@group(0) @binding(2) var<storage, read> grid: array<vec4u>;
@group(0) @binding(3) var<storage, read> ranges: array<u32>; // by column, three empty ones around the grid
@group(0) @binding(4) var<storage, read> bases: array<vec4f>; // by raw word: its cell's nearest depth
@group(0) @binding(5) var<storage, read_write> filtered: array<vec2u>;

// By chunk and column: four cells' weighted sums of depth, and weights.
var<workgroup> sums: array<vec4f, (CHUNKS + 1u) * 4u>;
var<workgroup> weights: array<vec4f, (CHUNKS + 1u) * 4u>;
// By column and cell: (sum, weight).
var<workgroup> blurred: array<array<vec2f, CELLS>, 4>;

struct Cells {
  sums: vec4f,
  weights: vec4f,
}

struct Places {
  boxes: vec4i,
  z: vec4f,
}

fn load(at: u32) -> Cells {
  let words = grid[at];
  if (PLANES == 2u) {
    return Cells(vec4f(words), vec4f(grid[at + PLANE]));
  }
  return Cells(vec4f(words & vec4u((1u << COUNT_BIT) - 1u)), vec4f(words >> vec4u(COUNT_BIT)));
}

fn alongX(at: u32) -> Cells {
  let a = load(at);
  let b = load(at + PLANES * PLANE);
  let c = load(at + 2u * PLANES * PLANE);
  let d = load(at + 3u * PLANES * PLANE);
  let e = load(at + 4u * PLANES * PLANE);
  return Cells(
    a.sums + e.sums + 4.0 * (b.sums + d.sums) + 6.0 * c.sums,
    a.weights + e.weights + 4.0 * (b.weights + d.weights) + 6.0 * c.weights,
  );
}

// The blur along x and y of words 4i … 4i+3; the 5 × 5 columns begin at `corner`.
fn across(i: u32, corner: u32) -> Cells {
  let at = corner * PLANES * PLANE + i;
  let down = (COLUMNS + 2u * PAD) * PLANES * PLANE;
  let a = alongX(at);
  let b = alongX(at + down);
  let c = alongX(at + 2u * down);
  let d = alongX(at + 3u * down);
  let e = alongX(at + 4u * down);
  let weight = a.weights + e.weights + 4.0 * (b.weights + d.weights) + 6.0 * c.weights;
  return Cells(a.sums + e.sums + 4.0 * (b.sums + d.sums) + 6.0 * c.sums + weight * bases[i], weight);
}

fn alongDepth(low: vec4f, high: vec4f) -> vec4f {
  return low + high + 4.0 * (vec4f(low.yzw, high.x) + vec4f(low.w, high.xyz)) + 6.0 * vec4f(low.zw, high.xy);
}

fn places(d: vec4u) -> Places {
  if (WIDTH > 0.0) {
    let p = (vec4f(d) + 0.5) * (1.0 / max(WIDTH, 1.0)) + 0.5;
    let boxes = select(vec4i(NONE), vec4i(p), d - 1u < vec4u(u32(FARTHEST)));
    return Places(boxes, p - floor(p));
  }
  let p = vec4u(positionOf[d.x], positionOf[d.y], positionOf[d.z], positionOf[d.w]);
  let boxes = select(vec4i(p >> vec4u(16u)), vec4i(NONE), p == vec4u(0xffffffffu));
  return Places(boxes, vec4f(p & vec4u(0xffffu)) / 65536.0);
}

fn least(a: vec4i) -> i32 {
  return min(min(a.x, a.y), min(a.z, a.w));
}

// Depths at places x, z between cells `cell` and the next. They are 1 at least, being means of depths that are.
fn means(cell: u32, x: vec4f, y: f32, z: vec4f) -> vec4u {
  let a = mix(blurred[0][cell], blurred[2][cell], y);
  let b = mix(blurred[1][cell], blurred[3][cell], y) - a;
  let c = mix(blurred[0][cell + 1u], blurred[2][cell + 1u], y);
  let d = mix(blurred[1][cell + 1u], blurred[3][cell + 1u], y) - c;
  let sum = mix(a.x + x * b.x, c.x + x * d.x, z);
  let weight = mix(a.y + x * b.y, c.y + x * d.y, z);
  // 2²³ + mean has the mean, rounded, in its low bits.
  return bitcast<vec4u>(sum / weight + 8388608.0) & vec4u(0xffffu);
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(workgroup_id) region: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  // Named here because the reflection of webgpu-utils does not look into `loop`.
  _ = &positionOf;
  _ = &grid;
  _ = &bases;
  _ = &filtered;
  let fours = SPACE / 4u;
  // The region's top left pixel is half a tile outside the frame for the first of them: it wraps, and is not there.
  let left = region.x * fours - SPACE / 8u;
  let top = region.y * SPACE - SPACE / 2u;
  let mine = vec2u(left + thread % fours, top + thread / fours);
  let early = depth[select(0u, mine.y * ROW + mine.x, mine.x < ROW && mine.y < HEIGHT)];

  let corner = region.y * (COLUMNS + 2u * PAD) + region.x;
  var first = EMPTY_RANGE;
  var last = 0u;
  for (var i = 0u; i < 16u; i++) {
    let range = ranges[corner + (1u + i / 4u) * (COLUMNS + 2u * PAD) + 1u + i % 4u];
    first = min(first, range & 0xffffu);
    last = max(last, range >> 16u);
  }
  let end = select((last + 2u) / 4u + 1u, 0u, first == EMPTY_RANGE);
  var begin = min(first / 4u, end);
  var isFirst = true;
  loop {
    let chunks = min(CHUNKS, end - begin);
    for (var task = thread; task < 4u * (chunks + 1u); task += THREADS) {
      let column = task % 4u;
      let cells = across(begin + task / 4u, corner + column % 2u + column / 2u * (COLUMNS + 2u * PAD));
      sums[task] = cells.sums;
      weights[task] = cells.weights;
    }
    workgroupBarrier();
    for (var task = thread; task < 4u * chunks; task += THREADS) {
      let s = alongDepth(sums[task], sums[task + 4u]);
      let w = alongDepth(weights[task], weights[task + 4u]);
      let cell = task / 4u * 4u;
      blurred[task % 4u][cell] = vec2f(s.x, w.x);
      blurred[task % 4u][cell + 1u] = vec2f(s.y, w.y);
      blurred[task % 4u][cell + 2u] = vec2f(s.z, w.z);
      blurred[task % 4u][cell + 3u] = vec2f(s.w, w.w);
    }
    workgroupBarrier();

    for (var item = thread; item < SPACE * fours; item += THREADS) {
      let place = vec2u(left + item % fours, top + item / fours);
      if (place.x < ROW && place.y < HEIGHT) {
        let at = place.y * ROW + place.x;
        var four = early;
        if (item != thread) {
          four = depth[at];
        }
        let given = vec4u(four.x & 0xffffu, four.x >> 16u, four.y & 0xffffu, four.y >> 16u);
        let p = places(given);
        // Boxes that are in this window, counted from its first.
        let box = p.boxes - vec4i(i32(4u * begin));
        var boxes = select(vec4i(NONE), box, (box >= vec4i(0)) & (box < vec4i(i32(4u * chunks) - 1)));
        var next = least(boxes);
        var out = four;
        if (!isFirst) {
          out = filtered[at];
        }
        var result = vec4u(out.x & 0xffffu, out.x >> 16u, out.y & 0xffffu, out.y >> 16u);
        let x = (f32(4u * (item % fours)) + vec4f(0.5, 1.5, 2.5, 3.5)) / f32(SPACE);
        let y = (f32(item / fours) + 0.5) / f32(SPACE);
        for (var trip = 0u; trip < 4u; trip++) {
          if (next == NONE) {
            break;
          }
          let hit = boxes == vec4i(next);
          result = select(result, means(u32(next), x, y, p.z), hit);
          boxes = select(boxes, vec4i(NONE), hit);
          next = least(boxes);
        }
        filtered[at] = vec2u(result.x | (result.y << 16u), result.z | (result.w << 16u));
      }
    }
    begin += CHUNKS - 1u;
    isFirst = false;
    if (begin + 1u >= end) {
      break;
    }
    workgroupBarrier();
  }
}
