// #import "../core/exact.wgsl"
// #import "./state.wgsl"
// #import "./solve.wgsl"
// #import "./motion.wgsl"
// Kernel 2 (pipeline/README.md). An invocation: one pixel; of a large frame several. A workgroup: 128 invocations, after solving the last
// iteration itself. It leaves: sums of equations, or counts.
// One iteration of the alignment of a frame with the keyframe: point-to-plane equations (Chen and Medioni 1992) between each point and the
// plane at the keyframe's pixel onto which the point projects (Blais and Levine 1995). Each iteration is one dispatch. Each workgroup first
// solves the equations of the iteration before by itself, so that no workgroup waits for another:
//
//     iteration k:   sums of all workgroups of k − 1 ─► 6 × 6 matrix ─► its inverse ─► estimate k ─► sums of this workgroup
//
// The workgroup's y chooses one of two guesses about the scene, which are aligned side by side: calm (0) and crowded (1), see
// stages/track/constants.ts. In the last iteration further workgroups judge: they count the pixels that lie on the keyframe's planes, by
// the estimated motion and by the identity. settle.wgsl solves the last equations.

const LANES = 128u;
const HALF = 64u;
const PITCH = HALF + 1u; // odd, so that neighbouring sums lie in different banks
const NEAREST = 0.1;
const HUBER = 1.5;
const FIT_M = 0.0025;
const FIT_PER_M2 = 0.0025;
const CROWDED_GUESS = 1u;
const SIGMAS = 8.0;
const MOST_WEIGHT = 256.0;
const MOST_PULL = 2048.0;
const AREA_UNITS = 1024.0;

// The pixels of a level that take part: `across` per row, `count` in all, processed by `groups` workgroups.
struct Pixels { level: Level, across: u32, count: u32, groups: u32, unused: u32 }
struct Step { aligned: Pixels, judged: Pixels, number: u32, gate: f32 }

@group(0) @binding(0) var<storage, read> before: Known;
@group(0) @binding(1) var<storage, read> pyramid: array<f32>;
@group(0) @binding(2) var<storage, read> planes: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> estimates: array<Estimate>; // by iteration, by guess
@group(0) @binding(6) var<uniform> step: Step;

var<workgroup> own: array<vec4i, VECTORS * PITCH>;

// The same for all pixels: the noise at the scene's centre, its inverse, and the inverses of the radius and of the squared distance.
var<private> middle: f32;
var<private> perMiddle: f32;
var<private> perRadius: f32;
var<private> seen: f32;

// An invocation's own sums, in the order of `total`. Rows of the matrix are named as in `add`: t is the turn, n the shift.
struct Mine {
  a: vec4i, // tx·tx, tx·ty, tx·tz, tx·nx
  b: vec4i, // tx·ny, tx·nz, ty·ty, ty·tz
  c: vec4i, // ty·nx, ty·ny, ty·nz, tz·tz
  d: vec4i, // tz·nx, tz·ny, tz·nz, nx·nx
  e: vec4i, // nx·ny, nx·nz, ny·ny, ny·nz
  f: vec4i, // nz·nz, RIGHT: tx, ty, tz
  g: vec4i, // nx, ny, nz, PARTNERS
  h: vec4i, // PLACES: x, y, z, SQUARES
  i: vec4i, // ERRORS, VALID
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  hideConstants(shape.zero);
  let guess = group.y;
  var pixels = step.aligned;
  var slot = group.x;
  var row = step.number;
  let judges = slot >= pixels.groups;
  if (judges) {
    slot -= pixels.groups;
    row++;
    pixels = step.judged;
  }
  // The load of the first pixel overlaps with solving the equations.
  let first = slot * LANES + lane;
  var z = depthAt(pixels, first);
  if (step.number == 0u) {
    begin();
  } else {
    now = estimates[(step.number - 1u) * 2u + guess];
    gather(lane, step.number - 1u, guess, 0u);
    workgroupBarrier();
    solve(lane, 0u);
  }
  if (lane == 0u && group.x == 0u) { estimates[step.number * 2u + guess] = now; }
  let distance = select(now.centre.z, before.centre.z, judges);
  seen = reciprocal(times(distance, distance));
  middle = sigmaOf(distance);
  perMiddle = reciprocal(middle);
  perRadius = reciprocal(now.radius);
  var mine: Mine;
  for (var i = first; i < pixels.count; i += pixels.groups * LANES) {
    // The load of the next pixel overlaps with the equations of this one.
    let next = depthAt(pixels, i + pixels.groups * LANES);
    if (z != 0.0) {
      let level = pixels.level;
      let point = times3(rayOf(level, vec2f(placeOf(pixels, i))), vec3f(z));
      if (judges) { judge(&mine, level, point); } else { add(&mine, level, point, guess); }
    }
    z = next;
  }
  // The first half of the lanes stores its sums, the second half adds its own; then `PARTS` lanes add up each vector together.
  if (lane < HALF) { put(mine, lane); }
  workgroupBarrier();
  if (lane >= HALF) { addTo(mine, lane - HALF); }
  workgroupBarrier();
  if (lane < VECTORS * PARTS) {
    let i = lane / PARTS;
    var sum = vec4i();
    for (var k = lane % PARTS; k < HALF; k += PARTS) { sum += own[i * PITCH + k]; }
    parts[(lane % PARTS) * VECTORS + i] = sum;
  }
  workgroupBarrier();
  if (lane >= VECTORS) { return; }
  var sum = vec4i();
  for (var p = 0u; p < PARTS; p++) { sum += parts[p * VECTORS + lane]; }
  sums[slotOf(row, guess) + slot * VECTORS + lane] = sum;
}

fn placeOf(pixels: Pixels, i: u32) -> vec2u {
  return vec2u(i % pixels.across, i / pixels.across) * pixels.level.every + pixels.level.every / 2u;
}

fn depthAt(pixels: Pixels, i: u32) -> f32 {
  if (i >= pixels.count) { return 0.0; }
  let at = placeOf(pixels, i);
  return pyramid[pixels.level.first + at.y * pixels.level.width + at.x];
}

fn put(m: Mine, at: u32) {
  let q = PITCH;
  own[at] = m.a; own[at + q] = m.b; own[at + 2u * q] = m.c; own[at + 3u * q] = m.d; own[at + 4u * q] = m.e;
  own[at + 5u * q] = m.f; own[at + 6u * q] = m.g; own[at + 7u * q] = m.h; own[at + 8u * q] = m.i;
}

fn addTo(m: Mine, at: u32) {
  let q = PITCH;
  own[at] += m.a; own[at + q] += m.b; own[at + 2u * q] += m.c; own[at + 3u * q] += m.d; own[at + 4u * q] += m.e;
  own[at + 5u * q] += m.f; own[at + 6u * q] += m.g; own[at + 7u * q] += m.h; own[at + 8u * q] += m.i;
}

// The first estimate: the pose of the frame before, moved by its velocity.
fn begin() {
  now.pose = compose(compose(inverse(before.base), before.world), before.velocity);
  now.centre = before.centre;
  now.radius = before.radius;
  now.held = 0;
  now.partners = 0.0;
  now.doubt = 0.0;
}

fn rayOf(level: Level, pixel: vec2f) -> vec3f {
  let off = summed3(vec3f(pixel, 0.0) - vec3f(level.cx, level.cy, 0.0));
  return vec3f(times(off.x, level.ix), times(off.y, level.iy), 1.0);
}

fn moved(p: vec3f) -> vec3f {
  return summed3(vec3f(dotOf(now.pose[0].xyz, p), dotOf(now.pose[1].xyz, p), dotOf(now.pose[2].xyz, p)) +
    vec3f(now.pose[0].w, now.pose[1].w, now.pose[2].w));
}

struct Partner { normal: vec3f, off: f32, z: f32, isThere: bool }

// The keyframe's plane onto which the point projects, and the point's distance from that plane.
fn partnerOf(level: Level, q: vec3f) -> Partner {
  if (!(q.z > NEAREST)) { return Partner(vec3f(), 0.0, 0.0, false); }
  let part = times3(times3(q, vec3f(reciprocal(q.z))), vec3f(level.fx, level.fy, 0.0));
  let pixel = floor(summed3(part + vec3f(level.cx, level.cy, 0.0)).xy + 0.5);
  let size = vec2f(vec2u(level.width, level.height));
  if (!all(pixel >= vec2f()) || !all(pixel < size)) { return Partner(vec3f(), 0.0, 0.0, false); }
  let plane = planes[level.first + u32(pixel.y) * level.width + u32(pixel.x)];
  let there = times3(rayOf(level, pixel), vec3f(plane.w));
  return Partner(plane.xyz, dotOf(plane.xyz, summed3(q - there)), plane.w, plane.w > 0.0);
}

// The area in space that a pixel covers, relative to a pixel at the scene's centre; at most 1. `square` is the squared distance.
fn areaOf(square: f32) -> f32 { return min(1.0, times(square, seen)); }

// Huber's weight: a residual of more than HUBER sigmas pulls like one of HUBER sigmas. A pixel of noise `middle` has weight 1.
fn calmWeight(off: f32, sigma: f32) -> f32 {
  let far = abs(off);
  let isNear = far <= HUBER * sigma;
  return over(times(times(middle, middle), select(HUBER, 1.0, isNear)), times(select(far, sigma, isNear), sigma));
}

// Geman and McClure's weight (1987), times the pixel's area in space: large residuals hardly pull at all.
fn crowdedWeight(off: f32, sigma: f32, square: f32) -> f32 {
  let fit = summed(FIT_M + times(FIT_PER_M2, square));
  let near = times(fit, fit);
  let share = over(times(near, middle), times(summed(near + times(off, off)), sigma));
  return times(times(areaOf(square), share), share);
}

// Counts the pixel by the estimated motion (a) and by the identity (b): on a plane of the keyframe, projected onto any plane; and the areas
// of both.
fn judge(mine: ptr<function, Mine>, level: Level, point: vec3f) {
  (*mine).a += countsOf(partnerOf(level, moved(point)), point.z);
  (*mine).b += countsOf(partnerOf(level, point), point.z);
}

fn countsOf(partner: Partner, z: f32) -> vec4i {
  let isNear = abs(partner.off) < summed(shape.nearM + times(times(shape.nearPerM2, partner.z), partner.z));
  let counts = vec2i(select(0, 1, isNear), 1);
  let area = i32(round(areaOf(times(z, z)) * AREA_UNITS));
  return select(vec4i(), vec4i(counts, counts * area), partner.isThere);
}

fn add(mine: ptr<function, Mine>, level: Level, point: vec3f, guess: u32) {
  (*mine).i += vec4i(0, 1, 0, 0);
  let q = moved(point);
  let partner = partnerOf(level, q);
  let sigma = sigmaOf(partner.z);
  if (!partner.isThere || abs(summed(q.z - partner.z)) > max(times(step.gate, partner.z), times(SIGMAS, sigma))) { return; }
  var weight = 0.0;
  if (guess == CROWDED_GUESS) {
    weight = crowdedWeight(partner.off, max(sigma, middle), times(partner.z, partner.z));
  } else {
    weight = min(MOST_WEIGHT, calmWeight(partner.off, sigma));
  }
  let place = times3(summed3(q - now.centre), vec3f(perRadius));
  let square = dotOf(place, place);
  // So that no sum overflows (see solve.wgsl).
  if (max(weight, 1.0) * max(square, 1.0) > MOST_PULL) { return; }
  let n = partner.normal;
  let t = crossOf(place, n);
  let scaled = vec3f(times(weight, MATRIX_UNITS * shape.unit));
  let wt = times3(scaled, t);
  let wn = times3(scaled, n);
  let residual = times(partner.off, perMiddle);
  let pulled = times(weight, residual);
  let pull = -times(pulled, SIDE_UNITS * shape.unit);
  // The pull of a residual is bounded, and so is its square.
  let error = min(HUBER * HUBER, times(pulled, residual)) * (SIDE_UNITS * shape.unit);
  let rt = times3(vec3f(pull), t);
  let rn = times3(vec3f(pull), n);
  (*mine).a += vec4i(round(wt.x * vec4f(t, n.x)));
  (*mine).b += vec4i(round(vec4f(wt.xx, wt.yy) * vec4f(n.yz, t.yz)));
  (*mine).c += vec4i(round(vec4f(wt.yyy, wt.z) * vec4f(n, t.z)));
  (*mine).d += vec4i(round(vec4f(wt.zzz, wn.x) * vec4f(n, n.x)));
  (*mine).e += vec4i(round(wn.xxyy * n.yzyz));
  (*mine).f += vec4i(round(vec4f(wn.z * n.z, rt)));
  (*mine).g += vec4i(vec3i(round(rn)), 1);
  (*mine).i += vec4i(i32(round(error)), 0, 0, 0);
  (*mine).h += vec4i(round(vec4f(place * PLACE_UNITS, square * SQUARE_UNITS) * shape.unit));
}
