// #import "./gridParts.wgsl"
// Kernel 3 (pipeline/README.md). An invocation: 8 neighbouring pixels. A workgroup: 16 × 32 pixels. It leaves: filtered depth.
// Slices eight pixels of a row per invocation: interpolates the blurred grid trilinearly at a pixel's position and depth, and rounds once.
// Adjacent invocations lie below each other, where depths are similar.
//
//   columns   q          q+1      A pixel lies between the centres of four columns and of two depth cells: eight
//             ●───────────●       (sum, weight) pairs. Neighbouring pixels mostly lie between the same eight,
//             │  ░░░░░░░░ │       which one trip of the loop loads once for all of them.
//             ●───────────●
//
// Costs on a software GPU: loading a word equals about twenty operations; a shift, min or max of floats, or rounding to an integer about
// four. So a cell's number is read from a float's own bits, and high halves of words are not shifted down.
override SPACE: u32 = 16u;
override HEIGHT: u32 = 480u;
override ROW: u32 = 80u; // vec4u per row of depth
override COLUMNS: u32 = 42u; // columns of the blurred grid
override EQUAL: u32 = 1u; // 1: all cells are equally long; 0: a table gives a depth's position

const NONE = 0x100000; // the box of a pixel without a position
const COLUMN_OVER = 0x8000; // the next column's box numbers are greater by this
const ROUND = 8388608.0; // the low bits of 2²³ + x hold x, rounded

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read> positionOf: array<u32, 65536>; // by depth: cells from the centre of cell −1, in 1/65536
@group(0) @binding(2) var<storage, read> blurred: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> filtered: array<vec4u>;
@group(0) @binding(4) var<uniform> axisOfDepth: Axis;

// The boxes that four pixels lie in, and their position along depth.
struct Places {
  boxes: vec4i,
  z: vec4f,
}

// (sum, weight) = (1 − z)·(a + x·b) + z·(c + x·d)
struct Box {
  a: vec2f,
  b: vec2f,
  c: vec2f,
  d: vec2f,
}

fn positionAt(d: f32) -> u32 {
  return positionOf[u32(d)];
}

fn places(d: vec4f, region: vec4i) -> Places {
  if (EQUAL == 1u) {
    // Cells from the centre of cell −1. (Not (d + 0.5) / axis.width, whose 0.5 a compiler may move to where it is rounded away.)
    let p = d * (1.0 / axis.width) + (0.5 + 0.5 / axis.width);
    let cells = floor(p);
    let boxes = (bitcast<vec4i>(cells + ROUND) & vec4i(0x7fffff)) + region;
    let onAxis = (d > vec4f()) & (d <= vec4f(axis.farthest));
    return Places(select(vec4i(NONE), boxes, onAxis), p - cells);
  }
  let p = vec4u(positionAt(d.x), positionAt(d.y), positionAt(d.z), positionAt(d.w));
  let boxes = select(vec4i(p >> vec4u(16u)) + region, vec4i(NONE), p == vec4u(0xffffffffu));
  return Places(boxes, vec4f(p & vec4u(0xffffu)) / 65536.0);
}

// The index of a box's first pair; the box's column is relative to the column of the invocation's first pixel.
fn pairOf(box: u32, row: u32, column: u32) -> u32 {
  if (SPACE % 16u == 0u) {
    return (row * COLUMNS + column) * axis.column + box;
  }
  let first = row * COLUMNS + column + (box >> 15u);
  return first * axis.column + (box & 0x7fffu);
}

fn boxAt(at: u32) -> Box {
  let a = blurred[at];
  let c = blurred[at + 1u];
  return Box(a, blurred[at + axis.column] - a, c, blurred[at + axis.column + 1u] - c);
}

fn between(up: Box, down: Box, y: f32) -> Box {
  return Box(mix(up.a, down.a, y), mix(up.b, down.b, y), mix(up.c, down.c, y), mix(up.d, down.d, y));
}

// The depths in a box, in the low 16 bits. These depths are at least 1, as means of depths.
fn means(box: Box, x: vec4f, z: vec4f) -> vec4u {
  let sum = box.a.x + x * box.b.x;
  let weight = box.a.y + x * box.b.y;
  let farSum = box.c.x + x * box.d.x;
  let farWeight = box.c.y + x * box.d.y;
  return bitcast<vec4u>((sum + z * (farSum - sum)) / (weight + z * (farWeight - weight)) + ROUND);
}

fn least(a: vec4i, b: vec4i) -> i32 {
  let four = min(a, b);
  return min(min(four.x, four.y), min(four.z, four.w));
}

fn after(boxes: vec4i, box: i32) -> vec4i {
  return select(vec4i(NONE), boxes, boxes > vec4i(box));
}

@compute @workgroup_size(2, 32) fn main(@builtin(global_invocation_id) id: vec3u) {
  axis = axisOfDepth;
  if (id.x >= ROW || id.y >= HEIGHT) {
    return;
  }
  // In 1/(2 SPACE) of a column from the centre of the column before the first: an odd number, so never on a border.
  let u = 16u * id.x + 1u + SPACE;
  let v = 2u * id.y + 1u + SPACE;
  let column = u / (2u * SPACE);
  let row = v / (2u * SPACE);
  let x = f32(i32(u - column * 2u * SPACE)) * (0.5 / f32(SPACE));
  let y = f32(i32(v - row * 2u * SPACE)) * (0.5 / f32(SPACE));
  var lowX = x + vec4f(0.0, 2.0, 4.0, 6.0) * (1.0 / f32(SPACE));
  var highX = lowX + 1.0 / f32(SPACE);
  var lowOver = vec4i();
  var highOver = vec4i();
  // Eight pixels may reach into the next column and, at the smallest sigma, into the one after that.
  if (SPACE % 16u != 0u) {
    lowOver = vec4i(lowX) * COLUMN_OVER;
    highOver = vec4i(highX) * COLUMN_OVER;
    lowX = fract(lowX);
    highX = fract(highX);
  }

  let at = id.y * ROW + id.x;
  let eight = depth[at];
  var low = eight & vec4u(0xffffu);
  var high = eight & vec4u(0xffff0000u);
  let a = places(vec4f(vec4i(low)), lowOver);
  let b = places(vec4f(high) * (1.0 / 65536.0), highOver);
  var next = least(a.boxes, b.boxes);
  next = select(next, 0, next == NONE); // no pixel uses box 0 then
  for (var trip = 0u; trip < 8u; trip++) {
    let pair = pairOf(u32(next), row, column);
    let box = between(boxAt(pair), boxAt(pair + axis.column * COLUMNS), y);
    low = select(low, means(box, lowX, a.z) & vec4u(0xffffu), a.boxes == vec4i(next));
    high = select(high, means(box, highX, b.z) * 65536u, b.boxes == vec4i(next));
    next = least(after(a.boxes, next), after(b.boxes, next));
    // Tested here, because a test at the loop's begin would make SwiftShader run the body once more.
    if (next == NONE) {
      break;
    }
  }
  filtered[at] = low | high;
}
