// #import "./gridParts.wgsl"
// blur.wgsl and slice.wgsl in one kernel, for frames where saving a dispatch is worth more than the repeated work. A workgroup has the
// pixels between the centres of four columns: it blurs these four, as far as its pixels read them, and slices. So each column is blurred
// four times.
//
//      ·  ·  ·  ·  ·  ·      1. per four pixels of a row, one invocation finds their nearest and farthest entries
//      ·  ·  ·  ·  ·  ·      2. per word and each of the 6 rows of columns, one blurs by 1 4 6 4 1 along x, for both
//      ·  ·  ●──●  ·  ·         columns between which the pixels lie, from 6 loads
//      ·  ·  ●──●  ·  ·      3. per entry of the four ●, one blurs along y and depth
//      ·  ·  ·  ·  ·  ·      4. per four pixels, one interpolates between the four ● at the pixels' depths
//      ·  ·  ·  ·  ·  ·
//
// Entry p of a blurred column is cell p − 1, made from words p … p + 4 of raw columns. Words of empty cells are 0, so no code tests where a
// column or the grid ends. Workgroup memory holds CELLS entries. Depths that span more need several windows; each begins with the last
// entry of the window before, so that every two adjacent entries are in one window together.
override SPACE: u32 = 16u; // a multiple of 8
override HEIGHT: u32 = 480u;
override ROW: u32 = 160u; // vec2u per row of depth
override COLUMNS: u32 = 40u; // columns of the raw grid
override PLANES: u32 = 1u; // 2 if the counts have a plane of their own after the sums
override EQUAL: u32 = 1u; // 1: all cells are equally long; 0: a table gives a depth's position
override THREADS: u32 = 64u;

const CELLS = 32u;
const PAD = 3u; // empty columns on each side of the grid
const NO_ENTRY = 0xffffu;
const NONE = 0x100000; // the box of a pixel without a position

@group(0) @binding(0) var<storage, read> depth: array<vec2u>;
@group(0) @binding(1) var<storage, read> positionOf: array<u32, 65536>; // by depth: cells from the centre of cell −1, in 1/65536
@group(0) @binding(2) var<storage, read> grid: array<u32>;
@group(0) @binding(3) var<storage, read> bases: array<f32>; // by raw word: the nearest depth of its cell
@group(0) @binding(4) var<storage, read_write> filtered: array<vec2u>;
@group(0) @binding(5) var<uniform> axisOfDepth: Axis;

// (sum, weight) blurred along x, by word. The left column of row y is 2 y, the right one 2 y + 1.
var<workgroup> acrossX: array<array<vec2f, CELLS + 4u>, 12>;
// (sum, weight) of the four columns, by entry.
var<workgroup> blurred: array<array<vec2f, CELLS>, 4>;
var<workgroup> reach: array<atomic<u32>, 2>; // the first entry of the pixels, and the one after their last
var<workgroup> more: u32; // whether another window follows

// For four pixels: the entry before each, and its position towards the next one.
struct Places {
  boxes: vec4i,
  z: vec4f,
}

// The numerators and denominators of four pixels.
struct Means {
  sums: vec4f,
  weights: vec4f,
}

fn taps(a: vec2f, b: vec2f, c: vec2f, d: vec2f, e: vec2f) -> vec2f {
  return a + e + 4.0 * (b + d) + 6.0 * c;
}

// The sum of offsets, and the count, of a raw word.
fn load(at: u32) -> vec2f {
  let word = grid[at];
  if (PLANES == 2u) {
    return vec2f(f32(word), f32(grid[at + 4u * axis.plane]));
  }
  return vec2f(f32(word & ((1u << axis.countBit) - 1u)), f32(word >> axis.countBit));
}

// Converts a sum of offsets to a sum of depths.
fn placed(a: vec2f, base: f32) -> vec2f {
  return vec2f(a.x + a.y * base, a.y);
}

fn alongY(c: u32, w: u32) -> vec2f {
  return taps(acrossX[c][w], acrossX[c + 2u][w], acrossX[c + 4u][w], acrossX[c + 6u][w], acrossX[c + 8u][w]);
}

fn depths(words: vec2u) -> vec4u {
  return vec4u(words.x & 0xffffu, words.x >> 16u, words.y & 0xffffu, words.y >> 16u);
}

fn places(d: vec4u) -> Places {
  if (EQUAL == 1u) {
    let p = (vec4f(d) + 0.5) * (1.0 / axis.width) + 0.5;
    let boxes = select(vec4i(NONE), vec4i(p), d - 1u < vec4u(u32(axis.farthest)));
    return Places(boxes, p - floor(p));
  }
  let p = vec4u(positionOf[d.x], positionOf[d.y], positionOf[d.z], positionOf[d.w]);
  let boxes = select(vec4i(p >> vec4u(16u)), vec4i(NONE), p == vec4u(0xffffffffu));
  return Places(boxes, vec4f(p & vec4u(0xffffu)) / 65536.0);
}

fn least(a: vec4i) -> i32 {
  return min(min(a.x, a.y), min(a.z, a.w));
}

fn most(a: vec4i) -> i32 {
  return max(max(a.x, a.y), max(a.z, a.w));
}

fn isInFrame(place: vec2u) -> bool {
  return place.x < ROW && place.y < HEIGHT;
}

// Four pixels at a place; 0 outside the frame.
fn pixels(place: vec2u) -> vec2u {
  return select(vec2u(), depth[select(0u, place.y * ROW + place.x, isInFrame(place))], isInFrame(place));
}

// Interpolates between the four columns, entry `at` and the next.
fn means(at: u32, x: vec4f, y: f32, z: vec4f) -> Means {
  let a = mix(blurred[0][at], blurred[2][at], y);
  let b = mix(blurred[1][at], blurred[3][at], y) - a;
  let c = mix(blurred[0][at + 1u], blurred[2][at + 1u], y) - a;
  let d = mix(blurred[1][at + 1u], blurred[3][at + 1u], y) - a - b - c;
  return Means(a.x + x * b.x + z * (c.x + x * d.x), a.y + x * b.y + z * (c.y + x * d.y));
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(workgroup_id) region: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  axis = axisOfDepth;
  let fours = SPACE / 4u; // groups of four pixels per row
  // The first region begins half a tile outside the frame: the coordinate wraps around, and `isInFrame` is false.
  let corner = vec2u(region.x * fours - SPACE / 8u, region.y * SPACE - SPACE / 2u);
  let own = pixels(corner + vec2u(thread % fours, thread / fours));
  if (thread < 2u) {
    atomicStore(&reach[thread], select(NO_ENTRY, 0u, thread == 1u));
  }
  workgroupBarrier();
  for (var item = thread; item < SPACE * fours; item += THREADS) {
    var four = own;
    if (item != thread) {
      four = pixels(corner + vec2u(item % fours, item / fours));
    }
    let boxes = places(depths(four)).boxes;
    if (least(boxes) != NONE) {
      atomicMin(&reach[0], u32(least(boxes)));
      atomicMax(&reach[1], u32(most(select(boxes, vec4i(), boxes == vec4i(NONE)))) + 2u);
    }
  }
  workgroupBarrier();
  let first = atomicLoad(&reach[0]);
  let end = max(first, atomicLoad(&reach[1]));
  let columnWords = 4u * PLANES * axis.plane;
  let rowWords = (COLUMNS + 2u * PAD) * columnWords;
  let origin = region.y * rowWords + region.x * columnWords;
  var begin = first;
  loop {
    let count = min(CELLS, end - begin);
    let words = select(0u, count + 4u, count > 0u);
    let inverse = 1.0 / f32(words);
    for (var task = thread; task < 6u * words; task += THREADS) {
      let y = u32((f32(task) + 0.5) * inverse); // equals task / words exactly, and is cheaper
      let word = task - y * words;
      let at = origin + y * rowWords + begin + word;
      let base = bases[begin + word];
      let b = load(at + columnWords);
      let c = load(at + 2u * columnWords);
      let d = load(at + 3u * columnWords);
      let e = load(at + 4u * columnWords);
      acrossX[2u * y][word] = placed(taps(load(at), b, c, d, e), base);
      acrossX[2u * y + 1u][word] = placed(taps(b, c, d, e, load(at + 5u * columnWords)), base);
    }
    workgroupBarrier();
    for (var task = thread; task < 4u * count; task += THREADS) {
      let c = task % 4u;
      let w = task / 4u;
      blurred[c][w] = taps(alongY(c, w), alongY(c, w + 1u), alongY(c, w + 2u), alongY(c, w + 3u), alongY(c, w + 4u));
    }
    workgroupBarrier();
    for (var item = thread; item < SPACE * fours; item += THREADS) {
      let place = corner + vec2u(item % fours, item / fours);
      if (isInFrame(place)) {
        let at = place.y * ROW + place.x;
        var four = own;
        if (item != thread) {
          four = depth[at];
        }
        let p = places(depths(four));
        // The boxes in this window, counted from its first entry.
        let box = p.boxes - vec4i(i32(begin));
        var boxes = select(vec4i(NONE), box, (box >= vec4i()) & (box < vec4i(i32(count) - 1)));
        if (begin != first) {
          four = filtered[at];
        }
        var result = Means(vec4f(depths(four)), vec4f(1.0));
        let x = (f32(4u * (item % fours)) + vec4f(0.5, 1.5, 2.5, 3.5)) / f32(SPACE);
        let y = (f32(item / fours) + 0.5) / f32(SPACE);
        var next = least(boxes);
        for (var trip = 0u; trip < 4u; trip++) {
          if (next == NONE) {
            break;
          }
          let hit = boxes == vec4i(next);
          let here = means(u32(next), x, y, p.z);
          result = Means(select(result.sums, here.sums, hit), select(result.weights, here.weights, hit));
          boxes = select(boxes, vec4i(NONE), hit);
          next = least(boxes);
        }
        // Means of depths are at least 1. The low bits of 2²³ + mean hold the rounded mean.
        let out = bitcast<vec4u>(result.sums / result.weights + 8388608.0) & vec4u(0xffffu);
        filtered[at] = vec2u(out.x | (out.y << 16u), out.z | (out.w << 16u));
      }
    }
    if (thread == 0u) {
      more = u32(begin + count < end);
    }
    begin += CELLS - 1u;
    if (workgroupUniformLoad(&more) == 0u) {
      break;
    }
  }
}
