// Compaction, second of two passes: every valid pixel becomes a point, in raster order.
//
// A workgroup adds up the counts of the tiles before its own by itself, so no workgroup waits for another:
//
//    counts     c0  c1  c2  c3 | c4 ...          tile 4 starts at point c0 + c1 + c2 + c3
//
// Inside the tile an invocation has VECTORS neighbouring vec4s of 8 pixels. It counts them and shares the count in workgroup
// memory; after one barrier it adds up the groups of 16 before its own and the invocations before it in its group, and writes
// its points one after the other.
//
// The last invocation of the last tile knows the number of points, and writes the indirect arguments.
override WORKGROUP: u32 = 256u;
override VECTORS: u32 = 1u;
override TOTAL_VECTORS: u32;
override TILES: u32;
override COUNTS_EACH: u32 = (TILES + WORKGROUP - 1u) / WORKGROUP;
override ROW_VECTORS: u32;
override COLOR_STRIDE: u32;
override HEIGHT: u32;
// Where a colour comes from: 0 the registered image, 1 the distance, 2 the surface's normal.
override COLOR_BY: u32;
override METRES_PER_UNIT: f32;
override CX: f32;
override CY: f32;
override INV_FX: f32;
override INV_FY: f32;

const GROUP = 16u;
const GREY = 0xff808080u;

// The indirect arguments of POINT_ARGS in stages/resources.ts.
struct Args { drawPoints: vec4u, drawQuads: vec4u, dispatch: vec3u, count: u32 }
// The distances that the palette spans, in units of depth.
struct Range { near: u32, span: u32 }

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// The image's colours by pixel, or a palette of 256 by distance.
@group(0) @binding(2) var<storage, read> colors: array<u32>;
@group(0) @binding(3) var<uniform> range: Range;
@group(0) @binding(4) var<storage, read_write> points: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> args: Args;

var<workgroup> before: atomic<u32>;
var<workgroup> groupCounts: array<atomic<u32>, WORKGROUP / GROUP>;
var<workgroup> ownCounts: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) tile: vec3u) {
  // Workgroup memory is not taken to be zero: the mode without Dawn's initialization is measured too.
  if (local < WORKGROUP / GROUP) { atomicStore(&groupCounts[local], 0u); }
  if (local == 0u) { atomicStore(&before, 0u); }
  workgroupBarrier();
  var tilesBefore = 0u;
  for (var i = 0u; i < COUNTS_EACH; i++) {
    let other = i * WORKGROUP + local;
    if (other < tile.x) { tilesBefore += counts[other]; }
  }
  let first = (tile.x * WORKGROUP + local) * VECTORS;
  var own = 0u;
  for (var i = 0u; i < VECTORS; i++) {
    if (first + i < TOTAL_VECTORS) { own += countValid(depth[first + i]); }
  }
  atomicAdd(&before, tilesBefore);
  atomicAdd(&groupCounts[local / GROUP], own);
  ownCounts[local] = own;
  workgroupBarrier();
  var at = atomicLoad(&before);
  for (var i = 0u; i < WORKGROUP / GROUP; i++) {
    at += select(0u, atomicLoad(&groupCounts[i]), i < local / GROUP);
  }
  let group = local / GROUP * GROUP;
  for (var i = 0u; i < GROUP; i++) {
    at += select(0u, ownCounts[group + i], group + i < local);
  }
  var v = first / ROW_VECTORS;
  var u = (first - v * ROW_VECTORS) * 8u;
  for (var i = 0u; i < VECTORS; i++) {
    if (first + i < TOTAL_VECTORS) { at = movePixels(first + i, u, v, at); }
    u += 8u;
    if (u == ROW_VECTORS * 8u) {
      u = 0u;
      v++;
    }
  }
  if (tile.x == TILES - 1u && local == WORKGROUP - 1u) {
    args = Args(vec4u(at, 1u, 0u, 0u), vec4u(6u, at, 0u, 0u), vec3u((at + 255u) / 256u, 1u, 1u), at);
  }
}

fn countValid(words: vec4u) -> u32 {
  let low = min(words & vec4u(0xffffu), vec4u(1u));
  let high = min(words >> vec4u(16u), vec4u(1u));
  let both = low + high;
  return both.x + both.y + both.z + both.w;
}

// Writes the points of 8 pixels, from (u, v) on, to `start` and on; returns where the next one goes.
// (A loop, because written out eight times this takes a software GPU half a second to compile.)
fn movePixels(vector: u32, u: u32, v: u32, start: u32) -> u32 {
  let words = depth[vector];
  var at = start;
  for (var i = 0u; i < 4u; i++) {
    at = movePixel(u + 2u * i, v, words[i] & 0xffffu, at);
    at = movePixel(u + 2u * i + 1u, v, words[i] >> 16u, at);
  }
  return at;
}

fn movePixel(u: u32, v: u32, value: u32, at: u32) -> u32 {
  if (value != 0u) {
    let point = ray(u, v) * (f32(i32(value)) * METRES_PER_UNIT);
    points[at] = vec4u(bitcast<vec3u>(point), colorOf(u, v, value));
  }
  return at + min(value, 1u);
}

// The pixel's direction, 1 along the optical axis. No product is added to, so that nothing can be fused and rounded otherwise.
// (Signed, because a software GPU converts those in one instruction.)
fn ray(u: u32, v: u32) -> vec3f {
  return vec3f((f32(i32(u)) - CX) * INV_FX, (f32(i32(v)) - CY) * INV_FY, 1.0);
}

fn colorOf(u: u32, v: u32, value: u32) -> u32 {
  if (COLOR_BY == 0u) { return colors[v * COLOR_STRIDE + u]; }
  if (COLOR_BY == 1u) { return colors[min(max(value, range.near) - range.near, range.span) * 255u / range.span]; }
  return colorOfNormal(u, v, value);
}

// The normal from central differences of the neighbours' points, as a normal map shows it: x right, y up, z to the camera.
fn colorOfNormal(u: u32, v: u32, value: u32) -> u32 {
  if (u == 0u || v == 0u || u + 1u == ROW_VECTORS * 8u || v + 1u == HEIGHT) { return GREY; }
  let left = depthAt(u - 1u, v);
  let right = depthAt(u + 1u, v);
  let up = depthAt(u, v - 1u);
  let down = depthAt(u, v + 1u);
  if (!(near(left, value) && near(right, value) && near(up, value) && near(down, value))) { return GREY; }
  let across = ray(u + 1u, v) * f32(i32(right)) - ray(u - 1u, v) * f32(i32(left));
  let along = ray(u, v + 1u) * f32(i32(down)) - ray(u, v - 1u) * f32(i32(up));
  let n = normalize(cross(across, along)) * vec3f(-127.5, 127.5, 127.5) + 128.0;
  return u32(n.x) | (u32(n.y) << 8u) | (u32(n.z) << 16u) | 0xff000000u;
}

fn depthAt(u: u32, v: u32) -> u32 {
  return (depth[v * ROW_VECTORS + u / 8u][u / 2u % 4u] >> (u % 2u * 16u)) & 0xffffu;
}

// Whether two values belong to one surface: both valid, and less than a 32nd of the distance apart.
fn near(neighbour: u32, value: u32) -> bool {
  return neighbour != 0u && (max(neighbour, value) - min(neighbour, value)) * 32u < value;
}
