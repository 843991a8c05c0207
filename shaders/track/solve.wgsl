// #import "./state.wgsl"
// #import "./motion.wgsl"
// Part of align.wgsl and settle.wgsl: adds up the workgroups' sums of an iteration, solves the equations, and moves the estimate.
// Directions of motion whose eigenvalue is less than a share of the trace are held: the scene does not determine them. Eigenvectors are
// computed only if the inverse matrix does not rule such a direction out, because each of 30 turns ends with a barrier; the twin, which
// waits for nothing, always computes them.
override ROUNDS: u32; // slots for the sums of ROUNDS × PARTS workgroups per guess; slots without a workgroup stay 0
override GATHERED: u32 = 1u; // sets of equations that a workgroup gathers
const SUMS = 9u; // vectors of a workgroup
const PARTS = 14u; // lanes that add up one vector together
const WEAK = 1e-3;
const TILT = 0.05;
const WEAKEST = 0.02;
const FEWEST = 100.0;
const LEAST_RADIUS = 0.01;
const TURNS = 30u; // six sweeps of five

// `pose`: from the frame's camera to the keyframe's. `held`: directions that were held, −1 if there were too few partners.
struct Estimate { pose: array<vec4f, 3>, centre: vec3f, radius: f32, held: i32, partners: f32 }

var<private> now: Estimate; // the estimate that the kernel moves, the same in all lanes
var<workgroup> parts: array<vec4f, GATHERED * SUMS * PARTS>;
var<workgroup> total: array<f32, 36>; // 21 of the matrix, 6 of the right side, partners, place (3), its square, valid pixels, nothing (3)
var<workgroup> matrix: array<f32, 72>; // twice: what a step reads and what it writes
var<workgroup> vectors: array<f32, 72>;
var<workgroup> along: array<f32, 6>; // the solution's parts along the eigenvectors
var<workgroup> solution: array<f32, 6>;
var<workgroup> isWeak: u32;
var<workgroup> hidden: i32;

// The index of the sums of an iteration's first workgroup.
fn slotOf(number: u32, guess: u32) -> u32 {
  return (number * 2u + guess) * ROUNDS * PARTS * SUMS;
}

// The share of the trace below which a direction is held.
fn weakShare() -> f32 {
  let distance = now.centre.z;
  let noise = shape.nearM + shape.nearPerM2 * distance * distance;
  let tilt = TILT * shape.levels[0].fx * noise / distance;
  return min(WEAKEST, max(WEAK, tilt * tilt));
}

// Solves the gathered equations and moves `now`. All lanes have to call this.
fn solve(lane: u32, gathered: u32) {
  if (lane < 36u) {
    var sum = 0.0;
    for (var p = 0u; p < PARTS; p++) { sum += parts[(gathered * PARTS + p) * SUMS + lane / 4u][lane % 4u]; }
    total[lane] = sum;
  }
  workgroupBarrier();
  let place = vec2u(lane / 6u, lane % 6u);
  if (lane < 36u) { matrix[lane] = entryOf(place); }
  workgroupBarrier();
  invert(lane, place);
  if (lane < 6u) {
    var sum = 0.0;
    for (var q = 0u; q < 6u; q++) { sum += matrix[lane * 6u + q] * total[21u + q]; }
    solution[lane] = sum;
  }
  if (lane == 0u) {
    var trace = 0.0;
    var inverse = 0.0;
    for (var p = 0u; p < 6u; p++) {
      trace += entryOf(vec2u(p));
      inverse += matrix[7u * p];
    }
    // The least eigenvalue is no less than the inverse of the inverse's trace.
    isWeak = select(1u, 0u, inverse > 0.0 && inverse * trace * weakShare() < 1.0);
    hidden = 0;
  }
  if (workgroupUniformLoad(&isWeak) == 1u) {
    decompose(lane, place);
    workgroupBarrier();
  }
  improve();
}

fn entryOf(place: vec2u) -> f32 {
  let low = min(place.x, place.y);
  return total[low * 6u - low * (low + 1u) / 2u + max(place.x, place.y)];
}

// Gauss-Jordan elimination, alternating between the two halves of `matrix`. A positive definite matrix needs no pivoting.
fn invert(lane: u32, place: vec2u) {
  for (var k = 0u; k < 6u; k++) {
    let own = 36u * (k & 1u);
    if (lane < 36u) {
      let pivot = 1.0 / matrix[own + 7u * k];
      let row = matrix[own + place.x * 6u + k];
      let column = matrix[own + k * 6u + place.y];
      var entry = matrix[own + lane] - row * column * pivot;
      if (place.x == k) { entry = column * pivot; }
      if (place.y == k) { entry = -row * pivot; }
      if (place.x == k && place.y == k) { entry = pivot; }
      matrix[36u - own + lane] = entry;
    }
    workgroupBarrier();
  }
}

// The solution by eigenvectors, without those of weak eigenvalues.
fn decompose(lane: u32, place: vec2u) {
  if (lane < 36u) {
    matrix[lane] = entryOf(place);
    vectors[lane] = select(0.0, 1.0, place.x == place.y);
  }
  workgroupBarrier();
  // Jacobi's rotations, three at a time: in each of five turns every row has another partner.
  for (var i = 0u; i < TURNS; i++) {
    let own = 36u * (i & 1u);
    if (lane < 36u) {
      let a = mixOf(own, place.x, i % 5u);
      let b = mixOf(own, place.y, i % 5u);
      let across = own + place.x * 6u;
      let other = own + a.other * 6u;
      matrix[36u - own + lane] = a.own * (b.own * matrix[across + place.y] + b.its * matrix[across + b.other]) +
        a.its * (b.own * matrix[other + place.y] + b.its * matrix[other + b.other]);
      vectors[36u - own + lane] = b.own * vectors[across + place.y] + b.its * vectors[across + b.other];
    }
    workgroupBarrier();
  }
  if (lane == 0u) {
    let weak = weakShare();
    var trace = 0.0;
    for (var p = 0u; p < 6u; p++) { trace += matrix[7u * p]; }
    for (var p = 0u; p < 6u; p++) {
      var product = 0.0;
      for (var q = 0u; q < 6u; q++) { product += vectors[6u * q + p] * total[21u + q]; }
      let isShown = matrix[7u * p] > weak * trace;
      along[p] = select(0.0, product / matrix[7u * p], isShown);
      if (!isShown) { hidden++; }
    }
  }
  workgroupBarrier();
  if (lane < 6u) {
    var sum = 0.0;
    for (var p = 0u; p < 6u; p++) { sum += vectors[6u * lane + p] * along[p]; }
    solution[lane] = sum;
  }
}

struct Mix { other: u32, own: f32, its: f32 }

// A row's partner in a round, and the factors of both rows in the rotation that makes the entry between them 0.
fn mixOf(own: u32, row: u32, round: u32) -> Mix {
  var other = (2u * round + 10u - row) % 5u;
  if (row == 5u) { other = round; }
  if (row == round) { other = 5u; }
  let p = min(row, other);
  let q = max(row, other);
  let off = matrix[own + 6u * p + q];
  if (off == 0.0) { return Mix(other, 1.0, 0.0); }
  let half = (matrix[own + 7u * q] - matrix[own + 7u * p]) / (2.0 * off);
  let t = select(1.0, -1.0, half < 0.0) / (abs(half) + sqrt(half * half + 1.0));
  let c = inverseSqrt(t * t + 1.0);
  return Mix(other, c, select(t * c, -t * c, row == p));
}

fn improve() {
  let count = total[27];
  now.partners = count / max(1.0, total[32]);
  if (count < FEWEST) {
    now.held = -1;
    now.partners = 0.0;
    return;
  }
  now.held = hidden;
  // Rodrigues' rotation about the scene's centre, then the translation.
  let turn = vec3f(solution[0], solution[1], solution[2]) / now.radius;
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
    motion[i].w = solution[3u + i] + now.centre[i] - dot(motion[i].xyz, now.centre);
  }
  now.pose = straighten(compose(motion, now.pose));
  let mean = vec3f(total[28], total[29], total[30]) / count;
  now.centre += mean * now.radius;
  now.radius *= sqrt(max(total[31] / count - dot(mean, mean), LEAST_RADIUS * LEAST_RADIUS));
}
