// Compaction by runs, second of two passes: every valid pixel becomes a point, in raster order.
//
// An invocation adds up the counts of the runs before its own, then goes along its run and writes its points one after the
// other. The eight pixels of a vec4 are written out: on a software GPU a trip of a loop costs as much as a pixel. There a
// store under a condition that nobody can foretell costs half as much again; so every pixel writes, an invalid one where the
// next valid one will:
//
//   pixels   ●  ●  ○  ○  ●  ○  ●  ○  ○        at the end of a run there is no next one: the last vec4 that
//   to place 0  1  2  2  2  3  3  ·  ·        holds a point asks each pixel, and those after it are left out
//
// The last run knows the number of points, and writes the indirect arguments.
override RUN: u32; // vec4s of 8 packed pixels, as in countRuns
override TOTAL_VECTORS: u32;
override ROW_VECTORS: u32;
override COLOR_STRIDE: u32; // 0 where the frame has no colour
override METRES_PER_UNIT: f32;
override CX: f32;
override CY: f32;
override INV_FX: f32;
override INV_FY: f32;

// The indirect arguments of POINT_ARGS in stages/resources.ts.
struct Args { drawPoints: vec4u, drawQuads: vec4u, dispatch: vec3u, count: u32 }
// The distances from light to dark grey, in units of depth.
struct Range { near: u32, span: u32 }

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> colors: array<u32>;
@group(0) @binding(3) var<uniform> range: Range;
@group(0) @binding(4) var<storage, read_write> points: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> args: Args;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let first = id.x * RUN;
  if (first >= TOTAL_VECTORS) { return; }
  var at = 0u;
  for (var run = 0u; run < id.x; run++) { at += counts[run]; }
  let end = at + counts[id.x];
  var vector = first;
  var words = load(vector);
  for (var i = 0u; i < RUN; i++) {
    // The last that holds a point is written with care, below.
    if (at + validIn(words) >= end) { break; }
    let v = vector / ROW_VECTORS;
    let u = (vector - v * ROW_VECTORS) * 8u;
    at = putPair(u, v, words.x, at);
    at = putPair(u + 2u, v, words.y, at);
    at = putPair(u + 4u, v, words.z, at);
    at = putPair(u + 6u, v, words.w, at);
    vector++;
    words = load(vector);
  }
  let v = vector / ROW_VECTORS;
  let u = (vector - v * ROW_VECTORS) * 8u;
  at = movePair(u, v, words.x, at);
  at = movePair(u + 2u, v, words.y, at);
  at = movePair(u + 4u, v, words.z, at);
  at = movePair(u + 6u, v, words.w, at);
  if (first + RUN >= TOTAL_VECTORS) {
    args = Args(vec4u(at, 1u, 0u, 0u), vec4u(6u, at, 0u, 0u), vec3u((at + 255u) / 256u, 1u, 1u), at);
  }
}

fn load(vector: u32) -> vec4u {
  return select(vec4u(), depth[min(vector, TOTAL_VECTORS - 1u)], vector < TOTAL_VECTORS);
}

fn validIn(words: vec4u) -> u32 {
  let valid = min(words & vec4u(0xffffu), vec4u(1u)) + min(words & vec4u(0xffff0000u), vec4u(1u));
  return valid.x + valid.y + valid.z + valid.w;
}

// Two pixels whose run has a point yet to come after them: what an invalid one writes the next valid one overwrites.
fn putPair(u: u32, v: u32, word: u32, at: u32) -> u32 {
  let next = at + min(word & 0xffffu, 1u);
  points[at] = pointOf(u, v, word & 0xffffu);
  points[next] = pointOf(u + 1u, v, word >> 16u);
  return next + min(word >> 16u, 1u);
}

fn movePair(u: u32, v: u32, word: u32, at: u32) -> u32 {
  return movePixel(u + 1u, v, word >> 16u, movePixel(u, v, word & 0xffffu, at));
}

// Writes the pixel's point to `at`, if it has one; returns where the next one goes.
fn movePixel(u: u32, v: u32, value: u32, at: u32) -> u32 {
  if (value != 0u) { points[at] = pointOf(u, v, value); }
  return at + min(value, 1u);
}

fn pointOf(u: u32, v: u32, value: u32) -> vec4u {
  return vec4u(bitcast<vec3u>(ray(u, v) * (f32(i32(value)) * METRES_PER_UNIT)), colorOf(u, v, value));
}

// The pixel's direction, 1 along the optical axis. No product is added to, so that nothing can be fused and rounded otherwise.
// (Signed, because a software GPU converts those in one instruction.)
fn ray(u: u32, v: u32) -> vec3f {
  return vec3f((f32(i32(u)) - CX) * INV_FX, (f32(i32(v)) - CY) * INV_FY, 1.0);
}

// The image's colour; without an image grey, the darker the farther.
fn colorOf(u: u32, v: u32, value: u32) -> u32 {
  if (COLOR_STRIDE != 0u) { return colors[v * COLOR_STRIDE + u]; }
  let far = min(max(value, range.near) - range.near, range.span);
  return 0xff000000u + (240u - far * 192u / range.span) * 0x010101u;
}
