// #import "../track/exact.wgsl"
// Carries the memory of shaders/temporal.wgsl into the view of a camera that moved. For each pixel of the new frame its point is looked up
// where it was seen before (a backward warp), and what was remembered there is moved to the pixel:
//
//     new frame                    frame before                 1. the point: the pixel's ray times its depth
//     ┌───────┐                    ┌───────┐                    2. where it falls in the frame before, with its depth there
//     │   z ──┼──── toBefore ────► │ ▪▪    │                    3. the mean of the four pixels around that place that lie on its surface,
//     └───────┘                    │ ▪▪    │                       bilinear in inverse depth, in which a plane is linear
//                                  └───────┘                    4. the difference of the two, along the pixel's ray
//
// A neighbour farther than four sigma off lies on another surface. A carried mean counts at most ten frames, since each warp blurs it a
// little. The trend is the nearest neighbour's. If the camera stands, the memory is copied as it is. If the camera is lost, nothing is
// remembered any more.
// An invocation has two adjacent pixels, one word of depth.
override ROW: u32; // words per row of depth
override HEIGHT: u32;

const LANES = 64u;
const MEAN_SHIFT = 7u;
const MOST = 63u;
const MOST_MOVED = 10.0;
const FRACTION_BITS = 9u;
const ONE = 512.0;
const JUMP = 1024.0;
const LEAST_SHARE = 0.2;
const LEAST_ALONG = 0.3;
const NEAREST = 1.0; // unit of depth
const LOST = 0u;
const MOVED = 2u;

struct Seen { left: u32, right: u32, trends: u32 } // of two adjacent pixels
struct Pose { toWorld: array<vec4f, 3>, toBefore: array<vec4f, 3>, state: u32, held: u32, partners: f32, recorded: u32 }
struct Lens { focal: vec2f, centre: vec2f, perFocal: vec2f, unitsPerMetre: f32, width: u32, zero: u32 } // `zero`: see track/exact.wgsl

@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read> before: array<Seen>; // one entry per word of depth
@group(0) @binding(2) var<storage, read_write> warped: array<Seen>;
@group(0) @binding(3) var<storage, read> scales: array<f32, 65536>; // by depth: from 1/512 of a unit to 1/256 of a sigma
@group(0) @binding(4) var<storage, read> pose: Pose;
@group(0) @binding(5) var<uniform> lens: Lens;

struct Carried { seen: u32, trend: u32 }

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3u) {
  nothing = lens.zero;
  if (id.x >= ROW || id.y >= HEIGHT) { return; }
  let at = id.y * ROW + id.x;
  if (pose.state != MOVED) {
    if (pose.state == LOST) { warped[at] = Seen(); } else { warped[at] = before[at]; }
    return;
  }
  let z = depth[at];
  let left = carry(vec2u(2u * id.x, id.y), z & 0xffffu);
  let right = carry(vec2u(2u * id.x + 1u, id.y), z >> 16u);
  warped[at] = Seen(left.seen, right.seen, left.trend | (right.trend << 16u));
}

fn carry(pixel: vec2u, z: u32) -> Carried {
  if (z == 0u || pixel.x >= lens.width) { return Carried(0u, 0u); }
  let off = vec2f(kept(f32(pixel.x) - lens.centre.x), kept(f32(pixel.y) - lens.centre.y));
  let ray = kept3(vec3f(off * lens.perFocal, 0.0)).xy;
  let turned = vec3f(turnedBy(pose.toBefore[0], ray), turnedBy(pose.toBefore[1], ray), turnedBy(pose.toBefore[2], ray));
  let along = turned.z;
  let shift = kept3(vec3f(pose.toBefore[0].w, pose.toBefore[1].w, pose.toBefore[2].w) * lens.unitsPerMetre);
  let q = kept3(kept3(turned * f32(z)) + shift);
  if (!(q.z > NEAREST)) { return Carried(0u, 0u); }
  let seenAt = kept3(kept3(q * over(1.0, q.z)) * vec3f(lens.focal, 0.0));
  let place = kept3(seenAt + vec3f(lens.centre, 0.0)).xy;
  let size = vec2f(f32(lens.width), f32(HEIGHT));
  if (!all(place > vec2f(-1.0)) || !all(place < size)) { return Carried(0u, 0u); }
  let corner = floor(place);
  let part = place - corner;
  let sigmas = scales[z] * ONE;
  var share = 0.0;
  var sum = 0.0;
  var counts = 0.0;
  var best = 0.0;
  var trend = 0u;
  for (var k = 0u; k < 4u; k++) {
    let step = vec2u(k & 1u, k >> 1u);
    let there = vec2i(corner) + vec2i(step);
    let isInside = all(there >= vec2i()) && all(there < vec2i(vec2u(lens.width, HEIGHT)));
    let word = select(0u, u32(there.y) * ROW + u32(there.x) / 2u, isInside);
    let isRight = (there.x & 1) == 1;
    // All three words are loaded at once, so that the trend does not wait for the decision.
    let all = before[word];
    let seen = select(0u, select(all.left, all.right, isRight), isInside);
    // In two parts, which are exact, so that their sum is rounded once.
    let mean = (f32(seen >> (MEAN_SHIFT + 8u)) * 256.0 + f32((seen >> MEAN_SHIFT) & 255u)) * (1.0 / ONE);
    if (seen == 0u || !(abs(kept(mean - q.z)) * sigmas < JUMP)) { continue; }
    let mix = select(1.0 - part, part, step == vec2u(1u));
    let weight = kept(mix.x * mix.y);
    share = kept(share + weight);
    sum = kept(sum + over(weight, mean));
    counts = kept(counts + kept(weight * f32((seen >> 1u) & MOST)));
    if (weight > best) {
      best = weight;
      trend = select(all.trends & 0xffffu, all.trends >> 16u, isRight);
    }
  }
  if (!(share > LEAST_SHARE)) { return Carried(0u, 0u); }
  let moved = kept(f32(z) - over(kept(q.z - over(share, sum)), max(LEAST_ALONG, along)));
  let mean = floor(moved * ONE + 0.5);
  if (!(mean > 0.0 && mean < 65535.0 * ONE)) { return Carried(0u, 0u); }
  let whole = u32(mean);
  let count = u32(clamp(floor(over(counts, share) + 0.5), 1.0, MOST_MOVED));
  let up = ((whole + u32(ONE) / 2u) >> FRACTION_BITS) - (whole >> FRACTION_BITS);
  return Carried((whole << MEAN_SHIFT) | (count << 1u) | up, trend);
}

// One coordinate of a ray, turned. Rounded at each step, as the twin does.
fn turnedBy(row: vec4f, ray: vec2f) -> f32 { return kept(kept(row.x * ray.x) + kept(kept(row.y * ray.y) + row.z)); }
