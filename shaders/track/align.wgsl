// One iteration of the alignment of a frame with the keyframe: point-to-plane equations (Chen and Medioni 1992) between each point and the
// plane at the pixel of the keyframe that it falls on (Blais and Levine 1995). Each iteration is one dispatch. A workgroup first solves the
// equations that the iteration before left, each workgroup for itself, so that none waits for another:
//
//     iteration k:   sums of all workgroups of k − 1 ─► 6 × 6 matrix ─► its eigenvectors ─► estimate k ─► sums of this workgroup
//
// Directions of motion whose eigenvalue is less than a thousandth of the trace are held: the scene does not show them. The dispatch after
// the last iteration judges: it counts the pixels that lie on the keyframe's planes, if the camera moved so, and if it stands.
override GROUPS: u32; // the most workgroups of a dispatch

const LANES = 64u;
const SUMS = 34u; // 21 of the matrix, 6 of the right side, partners, cost, place (3), its square, valid pixels
const PITCH = LANES + 1u; // odd, so that neighbouring sums lie in different banks
const NEAREST = 0.1;
const NOISE_M = 0.0015;
const NOISE_PER_M2 = 0.0025;
const HUBER = 1.5;
const SIGMAS = 8.0;
const CAPPED = 3.0;
const WEAK = 1e-3;
const FEWEST = 100.0;
const LEAST_RADIUS = 0.01;
const ROUNDS = 30u; // six sweeps of five

struct Level { fx: f32, fy: f32, cx: f32, cy: f32, width: u32, height: u32, first: u32, every: u32 }
struct Shape { levels: array<Level, 3>, metresPerUnit: f32, nearM: f32, nearPerM2: f32, groups: u32 }
struct Known {
  base: array<vec4f, 3>, // rows of the motion from the keyframe's camera to the world
  world: array<vec4f, 3>, // from the frame's camera to the world
  velocity: array<vec4f, 3>, // from the frame's camera to that of the frame before
  centre: vec3f,
  radius: f32,
  state: u32,
  had: f32,
  calm: u32,
  isKey: u32,
}
// `pose`: from the frame's camera to the keyframe's. `held`: directions that were held, −1 if there were too few partners.
struct Estimate { pose: array<vec4f, 3>, centre: vec3f, radius: f32, held: i32, partners: f32 }
struct Step { number: u32, level: u32, before: u32, judges: u32, gate: f32 } // `before`: workgroups of the iteration before

@group(0) @binding(0) var<storage, read> before: Known;
@group(0) @binding(1) var<storage, read> pyramid: array<f32>;
@group(0) @binding(2) var<storage, read> planes: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>; // by iteration, by workgroup
@group(0) @binding(4) var<storage, read_write> estimates: array<Estimate>; // by iteration
@group(0) @binding(5) var<uniform> shape: Shape;
@group(0) @binding(6) var<uniform> step: Step;

var<workgroup> now: Estimate;
var<workgroup> total: array<f32, SUMS>;
var<workgroup> matrix: array<f32, 36>;
var<workgroup> vectors: array<f32, 36>;
var<workgroup> own: array<f32, SUMS * PITCH>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if (step.number == 0u) {
    if (lane == 0u) { begin(); }
  } else {
    solve(lane);
  }
  workgroupBarrier();
  if (lane == 0u && group.x == 0u) { estimates[step.number] = now; }
  let level = shape.levels[step.level];
  let every = level.every;
  let skip = every / 2u;
  let across = (level.width - min(level.width, skip) + every - 1u) / every;
  let count = across * ((level.height - min(level.height, skip) + every - 1u) / every);
  var mine: array<f32, SUMS>;
  for (var i = 0u; i < SUMS; i++) { mine[i] = 0.0; }
  for (var i = group.x * LANES + lane; i < count; i += groups.x * LANES) {
    let at = vec2u(i % across, i / across) * every + skip;
    let z = pyramid[level.first + at.y * level.width + at.x];
    if (z == 0.0) { continue; }
    let point = vec3f((vec2f(at) - vec2f(level.cx, level.cy)) / vec2f(level.fx, level.fy), 1.0) * z;
    if (step.judges == 1u) { judge(&mine, level, point); } else { add(&mine, level, point); }
  }
  for (var i = 0u; i < SUMS; i++) { own[i * PITCH + lane] = mine[i]; }
  workgroupBarrier();
  if (lane >= SUMS) { return; }
  var sum = 0.0;
  for (var i = 0u; i < LANES; i++) { sum += own[lane * PITCH + i]; }
  sums[(step.number * GROUPS + group.x) * SUMS + lane] = sum;
}

// The start: the frame before, and its motion once more.
fn begin() {
  var back: array<vec4f, 3>;
  for (var i = 0u; i < 3u; i++) {
    let column = vec3f(before.base[0][i], before.base[1][i], before.base[2][i]);
    back[i] = vec4f(column, -dot(column, vec3f(before.base[0].w, before.base[1].w, before.base[2].w)));
  }
  now.pose = compose(compose(back, before.world), before.velocity);
  now.centre = before.centre;
  now.radius = before.radius;
  now.held = 0;
  now.partners = 0.0;
}

fn compose(a: array<vec4f, 3>, b: array<vec4f, 3>) -> array<vec4f, 3> {
  var c: array<vec4f, 3>;
  for (var i = 0u; i < 3u; i++) { c[i] = a[i].x * b[0] + a[i].y * b[1] + a[i].z * b[2] + vec4f(0.0, 0.0, 0.0, a[i].w); }
  return c;
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

fn judge(mine: ptr<function, array<f32, SUMS>>, level: Level, point: vec3f) {
  let a = partnerOf(level, moved(point));
  let b = partnerOf(level, point);
  if (a.isThere) { (*mine)[1] += 1.0; }
  if (b.isThere) { (*mine)[3] += 1.0; }
  if (a.isThere && abs(a.off) < shape.nearM + shape.nearPerM2 * a.z * a.z) { (*mine)[0] += 1.0; }
  if (b.isThere && abs(b.off) < shape.nearM + shape.nearPerM2 * b.z * b.z) { (*mine)[2] += 1.0; }
}

fn add(mine: ptr<function, array<f32, SUMS>>, level: Level, point: vec3f) {
  (*mine)[33] += 1.0;
  let q = moved(point);
  let partner = partnerOf(level, q);
  let sigma = NOISE_M + NOISE_PER_M2 * partner.z * partner.z;
  if (!partner.isThere || abs(q.z - partner.z) > max(step.gate * partner.z, SIGMAS * sigma)) { return; }
  let e = abs(partner.off) / sigma;
  let weight = select(HUBER / e, 1.0, e < HUBER) / (sigma * sigma);
  let place = (q - now.centre) / now.radius;
  let turn = cross(place, partner.normal);
  let n = partner.normal;
  let j = array<f32, 6>(turn.x, turn.y, turn.z, n.x, n.y, n.z);
  var i = 0u;
  for (var p = 0u; p < 6u; p++) {
    let weighted = weight * j[p];
    for (var q = p; q < 6u; q++) {
      (*mine)[i] += weighted * j[q];
      i++;
    }
    (*mine)[21u + p] -= weighted * partner.off;
  }
  (*mine)[27] += 1.0;
  (*mine)[28] += min(CAPPED, e) * min(CAPPED, e);
  (*mine)[29] += place.x;
  (*mine)[30] += place.y;
  (*mine)[31] += place.z;
  (*mine)[32] += dot(place, place);
}

// Solves the equations of the iteration before; all lanes have to come here.
fn solve(lane: u32) {
  if (lane < SUMS) {
    var sum = 0.0;
    for (var i = 0u; i < step.before; i++) { sum += sums[((step.number - 1u) * GROUPS + i) * SUMS + lane]; }
    total[lane] = sum;
  }
  if (lane == 0u) { now = estimates[step.number - 1u]; }
  workgroupBarrier();
  let place = vec2u(lane / 6u, lane % 6u);
  if (lane < 36u) {
    let low = min(place.x, place.y);
    matrix[lane] = total[low * 6u - low * (low + 1u) / 2u + max(place.x, place.y)];
    vectors[lane] = select(0.0, 1.0, place.x == place.y);
  }
  workgroupBarrier();
  // Jacobi's rotations, three at a time: in each round every row has another partner.
  for (var i = 0u; i < ROUNDS; i++) {
    let round = i % 5u;
    var entry = 0.0;
    var vector = 0.0;
    if (lane < 36u) {
      let a = mixOf(place.x, round);
      let b = mixOf(place.y, round);
      let across = place.x * 6u;
      let other = a.other * 6u;
      entry = a.own * (b.own * matrix[across + place.y] + b.its * matrix[across + b.other]) +
        a.its * (b.own * matrix[other + place.y] + b.its * matrix[other + b.other]);
      vector = b.own * vectors[across + place.y] + b.its * vectors[across + b.other];
    }
    workgroupBarrier();
    if (lane < 36u) {
      matrix[lane] = entry;
      vectors[lane] = vector;
    }
    workgroupBarrier();
  }
  if (lane == 0u) { improve(); }
}

struct Mix { other: u32, own: f32, its: f32 }

// How a row is mixed with its partner's in a round, so that the entry between the two becomes 0.
fn mixOf(row: u32, round: u32) -> Mix {
  var other = (2u * round + 10u - row) % 5u;
  if (row == 5u) { other = round; }
  if (row == round) { other = 5u; }
  let p = min(row, other);
  let q = max(row, other);
  let off = matrix[6u * p + q];
  if (off == 0.0) { return Mix(other, 1.0, 0.0); }
  let half = (matrix[7u * q] - matrix[7u * p]) / (2.0 * off);
  let t = select(1.0, -1.0, half < 0.0) / (abs(half) + sqrt(half * half + 1.0));
  let c = inverseSqrt(t * t + 1.0);
  return Mix(other, c, select(t * c, -t * c, row == p));
}

fn improve() {
  let count = total[27];
  now.partners = count / max(1.0, total[33]);
  if (now.held < 0 || count < FEWEST) {
    now.held = -1;
    now.partners = 0.0;
    return;
  }
  var trace = 0.0;
  for (var p = 0u; p < 6u; p++) { trace += matrix[7u * p]; }
  var x = array<f32, 6>(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
  now.held = 0;
  for (var p = 0u; p < 6u; p++) {
    let value = matrix[7u * p];
    if (!(value > WEAK * trace)) {
      now.held++;
      continue;
    }
    var product = 0.0;
    for (var q = 0u; q < 6u; q++) { product += vectors[6u * q + p] * total[21u + q]; }
    for (var q = 0u; q < 6u; q++) { x[q] += vectors[6u * q + p] * product / value; }
  }
  // Rodrigues' turn about the centre, then the shift.
  let turn = vec3f(x[0], x[1], x[2]) / now.radius;
  let square = dot(turn, turn);
  let angle = sqrt(square);
  let a = select(sin(angle) / angle, 1.0 - square / 6.0, angle < 0.02);
  let b = select((1.0 - cos(angle)) / square, 0.5 - square / 24.0, angle < 0.02);
  var motion = array<vec4f, 3>(
    vec4f(b * turn.x * turn + a * vec3f(0.0, -turn.z, turn.y), 0.0),
    vec4f(b * turn.y * turn + a * vec3f(turn.z, 0.0, -turn.x), 0.0),
    vec4f(b * turn.z * turn + a * vec3f(-turn.y, turn.x, 0.0), 0.0));
  for (var i = 0u; i < 3u; i++) {
    motion[i][i] += 1.0 - b * square;
    motion[i].w = x[3u + i] + now.centre[i] - dot(motion[i].xyz, now.centre);
  }
  now.pose = straighten(compose(motion, now.pose));
  let mean = vec3f(total[29], total[30], total[31]) / count;
  now.centre += mean * now.radius;
  now.radius *= sqrt(max(total[32] / count - dot(mean, mean), LEAST_RADIUS * LEAST_RADIUS));
}

// Rows of length 1 at right angles again.
fn straighten(m: array<vec4f, 3>) -> array<vec4f, 3> {
  let x = normalize(m[0].xyz);
  let y = normalize(m[1].xyz - dot(m[1].xyz, x) * x);
  return array<vec4f, 3>(vec4f(x, m[0].w), vec4f(y, m[1].w), vec4f(cross(x, y), m[2].w));
}
