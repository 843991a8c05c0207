// #import "../core/exact.wgsl"
// #import "../core/pose.wgsl"
// Kernel 1 (pipeline/README.md). An invocation: one pixel. A workgroup: 16 × 8 pixels. It leaves: the memory in the new view.
// The first step of shaders/temporal/mean.wgsl: the memory in the new frame's view, and the changes of each tile of 8 × 8 pixels.
//
// If the camera moved, the memory is carried along. For each pixel of the new frame its point is looked up where it was seen before (a
// backward warp), and what was remembered there is moved to the pixel:
//
//     new frame                    frame before                 1. the point: the pixel's ray times its depth
//     ┌───────┐                    ┌───────┐                    2. where it falls in the frame before, with its depth there
//     │   z ──┼──── toBefore ────► │ ▪▪    │                    3. the mean of the four pixels around that place that lie on its surface,
//     └───────┘                    │ ▪▪    │                       bilinear in inverse depth, in which a plane is linear
//                                  └───────┘                    4. the difference of the two, along the pixel's ray
//
// The mean in inverse depth is m − v / q, where m and v are mean and variance of the four depths, and q is the depth expected: the next
// term is less than the cube of 4 %, and a quotient with the same bits everywhere is dear.
//
// A neighbour farther than four sigma off lies on another surface. A carried mean counts at most ten frames, since each warp blurs it a
// little. If the camera stands, the memory stays as it is. If the camera is lost, nothing is remembered any more.
//
// An invalid pixel has no depth of its own: its point is where the depth that the pixel showed in the frame before would put it.
//
// Then each pixel gets a mark, d in sigmas << 11 | 1, where d is the new depth's difference from the mean. A pixel that is invalid, has no
// memory, or is four sigma or more off has no mark; in the last case the memory of the pixel is forgotten. A workgroup has two tiles, side
// by side, whose marks it adds up: changes in the high bits, the number of pixels in the low ones.
override ROW: u32; // words per row of depth
override HEIGHT: u32;

const ACROSS = 16u; // pixels of a workgroup: two tiles
const TILE = 8u;
const MARK_BITS = 11u;
const FARTHEST = 0xffffff; // exact in f32
const MEAN_SHIFT = 7u;
const MOST = 63u;
const MOST_MOVED = 10.0;
const FRACTION_BITS = 9u;
const ONE = 512.0;
const JUMP = 1024.0;
const LEAST_SHARE = 0.2;
const LEAST_ALONG = 0.3;
const NEAREST = 1.0; // unit of depth
const STILL = 1u;
const MOVED = 2u;

struct Lens { focal: vec2f, centre: vec2f, perFocal: vec2f, unitsPerMetre: f32, width: u32, zero: u32 } // `zero`: see exact.wgsl

@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read> before: array<u32>; // what was seen of each pixel
@group(0) @binding(2) var<storage, read_write> carried: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<f32, 65536>; // by depth: from 1/512 of a unit to 1/256 of a sigma
@group(0) @binding(4) var<storage, read> pose: Pose;
@group(0) @binding(5) var<uniform> lens: Lens;

@group(0) @binding(6) var<storage, read_write> sums: array<i32>; // of each tile's marks
@group(0) @binding(7) var<uniform> continues: u32; // 0: there is no memory

var<workgroup> marks: array<atomic<i32>, 2>; // of each tile, added

@compute @workgroup_size(ACROSS, TILE)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  hideConstants(lens.zero);
  let pixel = vec2u(group.x * ACROSS + id.x, group.y * TILE + id.y);
  if (pixel.x < 2u * ROW && pixel.y < HEIGHT) { atomicAdd(&marks[id.x / TILE], keep(pixel)); }
  workgroupBarrier();
  let tile = 2u * group.x + lane;
  if (lane < 2u && 4u * tile < ROW) { sums[group.y * (ROW / 4u) + tile] = atomicLoad(&marks[lane]); }
}

// Writes what is known of a pixel, and returns its mark.
fn keep(pixel: vec2u) -> i32 {
  let at = pixel.y * 2u * ROW + pixel.x;
  let z = (depth[at / 2u] >> (16u * (pixel.x & 1u))) & 0xffffu;
  var seen = 0u;
  if (continues == 1u && (pose.state == STILL || pose.state == MOVED)) { seen = before[at]; }
  if (continues == 1u && pose.state == MOVED) {
    let shown = (seen >> (MEAN_SHIFT + FRACTION_BITS)) + (seen & 1u);
    seen = carry(pixel, select(z, shown, z == 0u));
  }
  let mark = markOf(z, seen);
  carried[at] = select(seen, 0u, mark == 0 && z != 0u);
  return mark;
}

fn markOf(z: u32, seen: u32) -> i32 {
  let difference = clamp(i32(z << FRACTION_BITS) - i32(seen >> MEAN_SHIFT), -FARTHEST, FARTHEST);
  let change = i32(clamp(f32(difference) * scales[z], -JUMP, JUMP));
  return select((change << MARK_BITS) + 1, 0, z == 0u || seen == 0u || abs(change) >= i32(JUMP));
}

// The memory of a pixel's point.
fn carry(pixel: vec2u, z: u32) -> u32 {
  if (z == 0u || pixel.x >= lens.width) { return 0u; }
  let off = vec2f(summed(f32(pixel.x) - lens.centre.x), summed(f32(pixel.y) - lens.centre.y));
  let ray = vec2f(times(off.x, lens.perFocal.x), times(off.y, lens.perFocal.y));
  let turned = vec3f(turnedBy(pose.toBefore[0], ray), turnedBy(pose.toBefore[1], ray), turnedBy(pose.toBefore[2], ray));
  let along = turned.z;
  let shift = times3(vec3f(pose.toBefore[0].w, pose.toBefore[1].w, pose.toBefore[2].w), vec3f(lens.unitsPerMetre));
  let q = summed3(times3(turned, vec3f(f32(z))) + shift);
  if (!(q.z > NEAREST)) { return 0u; }
  let inverse = reciprocal(q.z);
  let seenAt = times3(times3(q, vec3f(inverse)), vec3f(lens.focal, 0.0));
  let place = summed3(seenAt + vec3f(lens.centre, 0.0)).xy;
  let size = vec2f(f32(lens.width), f32(HEIGHT));
  if (!all(place > vec2f(-1.0)) || !all(place < size)) { return 0u; }
  let corner = floor(place);
  let part = place - corner;
  let sigmas = scales[z] * ONE;
  var share = 0.0;
  var sum = 0.0;
  var squares = 0.0;
  var counts = 0.0;
  for (var k = 0u; k < 4u; k++) {
    let step = vec2u(k & 1u, k >> 1u);
    let there = vec2i(corner) + vec2i(step);
    let isInside = all(there >= vec2i()) && all(there < vec2i(vec2u(lens.width, HEIGHT)));
    let seen = select(0u, before[select(0u, u32(there.y) * 2u * ROW + u32(there.x), isInside)], isInside);
    // In two parts, which are exact, so that their sum is rounded once.
    let mean = (f32(seen >> (MEAN_SHIFT + 8u)) * 256.0 + f32((seen >> MEAN_SHIFT) & 255u)) * (1.0 / ONE);
    let away = summed(mean - q.z);
    if (seen == 0u || !(abs(away) * sigmas < JUMP)) { continue; }
    let mix = select(1.0 - part, part, step == vec2u(1u));
    let weight = times(mix.x, mix.y);
    share = summed(share + weight);
    let weighted = times(weight, away);
    sum = summed(sum + weighted);
    squares = summed(squares + times(weighted, away));
    counts = summed(counts + times(weight, f32((seen >> 1u) & MOST)));
  }
  if (!(share > LEAST_SHARE)) { return 0u; }
  let perShare = reciprocal(share);
  let first = times(sum, perShare);
  let variance = summed(times(squares, perShare) - times(first, first));
  let beyond = summed(first - times(variance, inverse));
  let moved = summed(f32(z) + times(beyond, reciprocal(max(LEAST_ALONG, along))));
  let mean = floor(moved * ONE + 0.5);
  if (!(mean > 0.0 && mean < 65535.0 * ONE)) { return 0u; }
  let whole = u32(mean);
  let count = u32(clamp(floor(times(counts, perShare) + 0.5), 1.0, MOST_MOVED));
  let up = ((whole + u32(ONE) / 2u) >> FRACTION_BITS) - (whole >> FRACTION_BITS);
  return (whole << MEAN_SHIFT) | (count << 1u) | up;
}

// One coordinate of a ray, turned. Rounded at each step, as the twin does.
fn turnedBy(row: vec4f, ray: vec2f) -> f32 { return summed(times(row.x, ray.x) + summed(times(row.y, ray.y) + row.z)); }
