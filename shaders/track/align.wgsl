// One iteration of the alignment of a frame with the keyframe: point-to-plane equations (Chen and Medioni 1992) between each point and the
// plane at the pixel of the keyframe that it falls on (Blais and Levine 1995). Each iteration is one dispatch. A workgroup first solves the
// equations that the iteration before left, each workgroup for itself, so that none waits for another:
//
//     iteration k:   sums of all workgroups of k − 1 ─► 6 × 6 matrix ─► its inverse ─► estimate k ─► sums of this workgroup
//
// Two guesses of what the scene is are aligned side by side, by the workgroup's y: calm (0) and crowded (1); stages/track/layout.ts
// explains them. Directions of motion whose eigenvalue is less than a thousandth of the trace are held: the scene does not show them.
// Eigenvectors are computed only where the inverse does not rule such a direction out. The dispatch after the last iteration judges: it
// counts the pixels that lie on the keyframe's planes, if the camera moved as each guess says, and if it stands.
override GROUPS: u32; // the most workgroups of a guess in a dispatch

const LANES = 128u;
const SUMS = 33u; // 21 of the matrix, 6 of the right side, partners, place (3), its square, valid pixels
const PARTS = 3u; // lanes that share in adding up one sum
const HALF = 64u;
const PITCH = HALF + 1u; // odd, so that neighbouring sums lie in different banks
const NEAREST = 0.1;
const NOISE_M = 0.0015;
const NOISE_PER_M2 = 0.0025;
const HUBER = 1.5;
const FIT_M = 0.0025;
const FIT_PER_M2 = 0.0025;
const CROWDED = 1u;
const SIGMAS = 8.0;
const WEAK = 1e-3;
const FEWEST = 100.0;
const LEAST_RADIUS = 0.01;
const ROUNDS = 30u; // six sweeps of five

struct Level { fx: f32, fy: f32, cx: f32, cy: f32, width: u32, height: u32, first: u32, every: u32 }
struct Shape { levels: array<Level, 3>, metresPerUnit: f32, nearM: f32, nearPerM2: f32, groups: u32, fewest: f32 }
struct Known {
  base: array<vec4f, 3>, // rows of the motion from the keyframe's camera to the world
  world: array<vec4f, 3>, // from the frame's camera to the world
  velocity: array<vec4f, 3>, // from the frame's camera to that of the frame before
  centre: vec3f,
  radius: f32,
  state: u32,
  had: f32,
  calm: u32,
  crowded: u32,
  isKey: u32,
}
// `pose`: from the frame's camera to the keyframe's. `held`: directions that were held, −1 if there were too few partners.
struct Estimate { pose: array<vec4f, 3>, centre: vec3f, radius: f32, held: i32, partners: f32 }
struct Step { number: u32, level: u32, before: u32, judges: u32, gate: f32 } // `before`: workgroups of the iteration before

@group(0) @binding(0) var<storage, read> before: Known;
@group(0) @binding(1) var<storage, read> pyramid: array<f32>;
@group(0) @binding(2) var<storage, read> planes: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>; // by iteration, by guess, by workgroup
@group(0) @binding(4) var<storage, read_write> estimates: array<Estimate>; // by iteration, by guess
@group(0) @binding(5) var<uniform> shape: Shape;
@group(0) @binding(6) var<uniform> step: Step;

var<workgroup> now: Estimate;
var<workgroup> parts: array<f32, SUMS * PARTS>;
var<workgroup> total: array<f32, SUMS>;
var<workgroup> matrix: array<f32, 36>;
var<workgroup> vectors: array<f32, 36>;
var<workgroup> along: array<f32, 6>; // the solution's parts along the eigenvectors
var<workgroup> solution: array<f32, 6>;
var<workgroup> isWeak: u32;
var<workgroup> own: array<f32, SUMS * PITCH>;

// What an invocation has added up of its points; t and n are turn and normal.
struct Mine {
  t0t: vec3f, t1t: vec2f, t2t: f32,
  t0n: vec3f, t1n: vec3f, t2n: vec3f,
  n0n: vec3f, n1n: vec2f, n2n: f32,
  right: array<vec3f, 2>,
  count: f32, place: vec3f, square: f32, valid: f32,
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let guess = group.y;
  if (step.number == 0u) {
    if (lane == 0u) { begin(); }
  } else {
    solve(lane, guess);
  }
  workgroupBarrier();
  if (lane == 0u && group.x == 0u) { estimates[step.number * 2u + guess] = now; }
  let level = shape.levels[step.level];
  let every = level.every;
  let skip = every / 2u;
  let across = (level.width - min(level.width, skip) + every - 1u) / every;
  let count = across * ((level.height - min(level.height, skip) + every - 1u) / every);
  var mine: Mine;
  for (var i = group.x * LANES + lane; i < count; i += groups.x * LANES) {
    let at = vec2u(i % across, i / across) * every + skip;
    let z = pyramid[level.first + at.y * level.width + at.x];
    if (z == 0.0) { continue; }
    let point = vec3f((vec2f(at) - vec2f(level.cx, level.cy)) / vec2f(level.fx, level.fy), 1.0) * z;
    if (step.judges == 1u) { judge(&mine, level, point); } else { add(&mine, level, point, guess); }
  }
  // Half of the lanes, then the other half, leave their sums; then three lanes add up a third of each.
  if (lane < HALF) { put(mine, lane); }
  workgroupBarrier();
  if (lane >= HALF) { addTo(mine, lane - HALF); }
  workgroupBarrier();
  if (lane < SUMS * PARTS) {
    let i = lane % SUMS;
    var sum = 0.0;
    for (var k = lane / SUMS; k < HALF; k += PARTS) { sum += own[i * PITCH + k]; }
    parts[lane] = sum;
  }
  workgroupBarrier();
  if (lane >= SUMS) { return; }
  let place = (step.number * 2u + guess) * GROUPS + group.x;
  sums[place * SUMS + lane] = parts[lane] + parts[lane + SUMS] + parts[lane + 2u * SUMS];
}

// The sums in the order of `SUMS`.
fn inOrder(m: Mine) -> array<f32, SUMS> {
  return array<f32, SUMS>(
    m.t0t.x, m.t0t.y, m.t0t.z, m.t0n.x, m.t0n.y, m.t0n.z,
    m.t1t.x, m.t1t.y, m.t1n.x, m.t1n.y, m.t1n.z,
    m.t2t, m.t2n.x, m.t2n.y, m.t2n.z,
    m.n0n.x, m.n0n.y, m.n0n.z, m.n1n.x, m.n1n.y, m.n2n,
    m.right[0].x, m.right[0].y, m.right[0].z, m.right[1].x, m.right[1].y, m.right[1].z,
    m.count, m.place.x, m.place.y, m.place.z, m.square, m.valid);
}

fn put(mine: Mine, at: u32) {
  var all = inOrder(mine);
  for (var i = 0u; i < SUMS; i++) { own[i * PITCH + at] = all[i]; }
}

fn addTo(mine: Mine, at: u32) {
  var all = inOrder(mine);
  for (var i = 0u; i < SUMS; i++) { own[i * PITCH + at] += all[i]; }
}

// The start: the frame before, and its motion once more.
fn begin() {
  now.pose = compose(compose(inverse(before.base), before.world), before.velocity);
  now.centre = before.centre;
  now.radius = before.radius;
  now.held = 0;
  now.partners = 0.0;
}

fn moved(point: vec3f) -> vec3f {
  let p = vec4f(point, 1.0);
  return vec3f(dot(now.pose[0], p), dot(now.pose[1], p), dot(now.pose[2], p));
}

struct Partner { normal: vec3f, off: f32, z: f32, isThere: bool }

// The plane of the keyframe that the point falls on, and how far it is off that plane.
fn partnerOf(level: Level, q: vec3f) -> Partner {
  let lens = vec4f(level.fx, level.fy, level.cx, level.cy);
  let pixel = floor(q.xy / q.z * lens.xy + lens.zw + 0.5);
  let size = vec2f(vec2u(level.width, level.height));
  if (!(q.z > NEAREST) || !all(pixel >= vec2f()) || !all(pixel < size)) { return Partner(vec3f(), 0.0, 0.0, false); }
  let plane = planes[level.first + u32(pixel.y) * level.width + u32(pixel.x)];
  let there = vec3f((pixel - lens.zw) / lens.xy, 1.0) * plane.w;
  return Partner(plane.xyz, dot(plane.xyz, q - there), plane.w, plane.w > 0.0);
}

// The area in space that a pixel sees, over that of one at the middle of the scene. What is farther away counts no more.
fn areaOf(z: f32, middle: f32) -> f32 {
  return min(1.0, (z / middle) * (z / middle));
}

// Counts the pixel if it lies on a plane of the keyframe, and if there is one: by pixels, by area; as the camera moved (the first four
// sums), if it stands (the next four).
fn judge(mine: ptr<function, Mine>, level: Level, point: vec3f) {
  let a = countsOf(partnerOf(level, moved(point)), point.z);
  let b = countsOf(partnerOf(level, point), point.z);
  (*mine).t0t += a.xyz;
  (*mine).t0n += vec3f(a.w, b.xy);
  (*mine).t1t += b.zw;
}

fn countsOf(partner: Partner, z: f32) -> vec4f {
  let isNear = abs(partner.off) < shape.nearM + shape.nearPerM2 * partner.z * partner.z;
  let counts = vec2f(select(0.0, 1.0, isNear), 1.0);
  return select(vec4f(), vec4f(counts, counts * areaOf(z, before.centre.z)), partner.isThere);
}

fn add(mine: ptr<function, Mine>, level: Level, point: vec3f, guess: u32) {
  (*mine).valid += 1.0;
  let q = moved(point);
  let partner = partnerOf(level, q);
  let sigma = NOISE_M + NOISE_PER_M2 * partner.z * partner.z;
  if (!partner.isThere || abs(q.z - partner.z) > max(step.gate * partner.z, SIGMAS * sigma)) { return; }
  var weight = 1.0;
  if (guess == CROWDED) {
    // Geman and McClure's (1987), by area.
    let middle = max(sigma, NOISE_M + NOISE_PER_M2 * now.centre.z * now.centre.z);
    let e = partner.off / (FIT_M + FIT_PER_M2 * partner.z * partner.z);
    weight = areaOf(partner.z, now.centre.z) / ((1.0 + e * e) * (1.0 + e * e) * middle * middle);
  } else {
    let e = abs(partner.off) / sigma;
    weight = select(HUBER / e, 1.0, e < HUBER) / (sigma * sigma);
  }
  let place = (q - now.centre) / now.radius;
  let n = partner.normal;
  let t = cross(place, n);
  let wt = weight * t;
  let wn = weight * n;
  (*mine).t0t += wt.x * t;
  (*mine).t1t += wt.y * t.yz;
  (*mine).t2t += wt.z * t.z;
  (*mine).t0n += wt.x * n;
  (*mine).t1n += wt.y * n;
  (*mine).t2n += wt.z * n;
  (*mine).n0n += wn.x * n;
  (*mine).n1n += wn.y * n.yz;
  (*mine).n2n += wn.z * n.z;
  (*mine).right[0] -= partner.off * wt;
  (*mine).right[1] -= partner.off * wn;
  (*mine).count += 1.0;
  (*mine).place += place;
  (*mine).square += dot(place, place);
}
