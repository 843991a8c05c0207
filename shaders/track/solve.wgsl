// #import "./state.wgsl"
// #import "../core/exact.wgsl"
// #import "./motion.wgsl"
// Part of align.wgsl and settle.wgsl: adds up the workgroups' sums of an iteration, solves the equations, and moves the estimate.
// Directions of motion whose eigenvalue is less than a share of the trace are held: the scene does not determine them. Eigenvectors are
// computed only if the inverse matrix does not rule such a direction out, because each of 30 turns ends with a barrier. The twin is
// stages/track/solve.ts.
//
// Sums are whole numbers, so that their order does not matter and all devices have the same. The units: a 512th of the weight of a pixel at
// the scene's middle for the matrix, a 16384th for the right side (whose distances are in the noise at the middle), a 16384th of the radius
// for places and a 512th for their squares; all of them coarser by `unit` in large frames. No pixel adds more than 2^20 to any sum, so
// those of nine workgroups fit into 32 bits. Everything else is in f32, rounded at each step (exact.wgsl).
override ROUNDS: u32; // slots for the sums of ROUNDS × PARTS workgroups per guess; slots without a workgroup stay 0
override GATHERED: u32 = 1u; // sets of equations that a workgroup gathers
override ALL_PARTS: u32 = GATHERED * VECTORS * PARTS;
const VECTORS = 9u; // vectors of a workgroup
// The sums by their index: the matrix's upper triangle, row by row, three rows of the turn and three of the shift; then:
const RIGHT = 21u; // the right side (6)
const PARTNERS = 27u; // their number
const PLACES = 28u; // relative to `centre`, in units of `radius` (3)
const SQUARES = 31u; // of the places
const ERRORS = 32u; // squared residuals, weighted, in the noise at the middle
const VALID = 33u; // the number of valid pixels
const PARTS = 14u; // lanes that add up one vector together
const WEAK = 1e-3;
const TILT = 0.05;
const WEAKEST = 0.02;
const FEWEST = 100.0;
const LEAST_RADIUS = 0.01;
const MATRIX_UNITS = 512.0;
const SIDE_UNITS = 16384.0;
const PLACE_UNITS = 16384.0;
const SQUARE_UNITS = 512.0;
const NOISE_M = 0.0015;
const NOISE_PER_M2 = 0.0025;
const CORRELATED = 2.5;
const NEGLIGIBLE = 1e9;
const FIRST = 64u; // the first of the lanes that add up totals; the lanes before it add up the matrix
const TURNS = 30u; // six sweeps of five

// `pose`: from the frame's camera to the keyframe's. `held`: directions that were held, −1 if there were too few partners. `doubt`: the
// standard deviation of where the pose puts the scene, in metres.
struct Estimate { pose: array<vec4f, 3>, centre: vec3f, radius: f32, held: i32, partners: f32, doubt: f32 }

@group(0) @binding(3) var<storage, read_write> sums: array<vec4i>; // by iteration, by guess, by workgroup

var<private> now: Estimate; // the estimate that the kernel moves, the same in all lanes
var<workgroup> parts: array<vec4i, ALL_PARTS>;
var<workgroup> total: array<f32, 36>; // the sums, in units
var<workgroup> matrix: array<f32, 72>; // twice: what a step reads and what it writes
var<workgroup> vectors: array<f32, 72>;
var<workgroup> along: array<f32, 6>; // the solution's parts along the eigenvectors
var<workgroup> solution: array<f32, 6>;
var<workgroup> scatter: f32; // the sum of the inverse eigenvalues of the directions that are not held
var<workgroup> isWeak: u32;
var<workgroup> hidden: i32;

// The index of the sums of an iteration's first workgroup.
fn slotOf(number: u32, guess: u32) -> u32 {
  return (number * 2u + guess) * ROUNDS * PARTS * VECTORS;
}

// Adds up the workgroups' sums of an iteration, to `PARTS` parts.
fn gather(lane: u32, number: u32, guess: u32, place: u32) {
  if (lane >= VECTORS * PARTS) { return; }
  let first = slotOf(number, guess) + lane;
  var sum = vec4i();
  for (var i = 0u; i < ROUNDS; i++) { sum += sums[first + i * VECTORS * PARTS]; }
  parts[place * VECTORS * PARTS + lane] = sum;
}

// The share of the trace below which a direction is held.
fn weakShare() -> f32 {
  let distance = now.centre.z;
  let noise = summed(shape.nearM + times(times(shape.nearPerM2, distance), distance));
  let tilt = over(times(times(TILT, shape.levels[0].fx), noise), distance);
  return min(WEAKEST, max(WEAK, times(tilt, tilt)));
}

// The noise that weights the equations, at a distance.
fn sigmaOf(distance: f32) -> f32 { return summed(NOISE_M + times(times(NOISE_PER_M2, distance), distance)); }

// Solves the gathered equations and moves `now`. All lanes have to call this.
fn solve(lane: u32, gathered: u32) {
  let place = vec2u(lane / 6u, lane % 6u);
  if (lane < 36u) { matrix[lane] = totalOf(gathered, indexOf(place)); }
  if (lane >= FIRST && lane < FIRST + 36u) { total[lane - FIRST] = totalOf(gathered, lane - FIRST); }
  workgroupBarrier();
  invert(lane, place);
  if (lane < 6u) {
    var sum = 0.0;
    for (var q = 0u; q < 6u; q++) { sum = summed(sum + times(matrix[lane * 6u + q], total[RIGHT + q])); }
    solution[lane] = sum;
  }
  if (lane == 0u) {
    var trace = 0.0;
    var inverse = 0.0;
    var isSound = true;
    for (var p = 0u; p < 6u; p++) {
      trace = summed(trace + entryOf(vec2u(p)));
      inverse = summed(inverse + matrix[7u * p]);
      isSound = isSound && matrix[7u * p] > 0.0;
    }
    scatter = inverse;
    // The least eigenvalue is no less than the inverse of the inverse's trace.
    isWeak = select(1u, 0u, isSound && times(times(inverse, trace), weakShare()) < 1.0);
    hidden = 0;
  }
  if (workgroupUniformLoad(&isWeak) == 1u) {
    decompose(lane, place);
    workgroupBarrier();
  }
  improve();
}

fn totalOf(gathered: u32, index: u32) -> f32 {
  var high = 0;
  var low = 0;
  for (var p = 0u; p < PARTS; p++) {
    let part = parts[(gathered * PARTS + p) * VECTORS + index / 4u][index % 4u];
    high += part >> 8u;
    low += part & 255;
  }
  // Both terms are exact, so their sum is rounded once.
  return f32(high >> 8u) * 65536.0 + f32(((high & 255) << 8u) + low);
}

// The index of an entry of the symmetric matrix in `total`.
fn indexOf(place: vec2u) -> u32 {
  let low = min(place.x, place.y);
  return low * 6u - low * (low + 1u) / 2u + max(place.x, place.y);
}

fn entryOf(place: vec2u) -> f32 { return total[indexOf(place)]; }

// Gauss-Jordan elimination, alternating between the two halves of `matrix`. A positive definite matrix needs no pivoting.
fn invert(lane: u32, place: vec2u) {
  for (var k = 0u; k < 6u; k++) {
    let own = 36u * (k & 1u);
    if (lane < 36u) {
      let corner = matrix[own + 7u * k];
      let pivot = select(0.0, reciprocal(corner), corner > 0.0);
      let row = matrix[own + place.x * 6u + k];
      let column = matrix[own + k * 6u + place.y];
      var entry = summed(matrix[own + lane] - times(times(row, column), pivot));
      if (place.x == k) { entry = times(column, pivot); }
      if (place.y == k) { entry = -times(row, pivot); }
      if (place.x == k && place.y == k) { entry = pivot; }
      matrix[36u - own + lane] = entry;
    }
    workgroupBarrier();
  }
}

// The solution by eigenvectors, without those of weak eigenvalues.
fn decompose(lane: u32, place: vec2u) {
  if (lane < 36u) { matrix[lane] = entryOf(place); }
  diagonalise(lane, place);
  if (lane == 0u) {
    let weak = weakShare();
    var trace = 0.0;
    for (var p = 0u; p < 6u; p++) { trace = summed(trace + matrix[7u * p]); }
    scatter = 0.0;
    for (var p = 0u; p < 6u; p++) {
      var product = 0.0;
      for (var q = 0u; q < 6u; q++) { product = summed(product + times(vectors[6u * q + p], total[RIGHT + q])); }
      let isShown = matrix[7u * p] > times(weak, trace);
      along[p] = select(0.0, over(product, matrix[7u * p]), isShown);
      if (isShown) { scatter = summed(scatter + reciprocal(matrix[7u * p])); } else { hidden++; }
    }
  }
  workgroupBarrier();
  if (lane < 6u) {
    var sum = 0.0;
    for (var p = 0u; p < 6u; p++) { sum = summed(sum + times(vectors[6u * lane + p], along[p])); }
    solution[lane] = sum;
  }
  workgroupBarrier();
  if (lane == 0u) {
    let weak = weakShare();
    var trace = 0.0;
    for (var p = 0u; p < 6u; p++) { trace = summed(trace + matrix[7u * p]); }
    for (var p = 0u; p < 6u; p++) {
      if (!(matrix[7u * p] > times(weak, trace))) { hold(p); }
    }
  }
}

// Eigenvalues and eigenvectors: `matrix` becomes diagonal, and the columns of `vectors` are the vectors.
fn diagonalise(lane: u32, place: vec2u) {
  if (lane < 36u) { vectors[lane] = select(0.0, 1.0, place.x == place.y); }
  workgroupBarrier();
  // Jacobi's rotations, three at a time: in each of five turns every row has another partner.
  for (var i = 0u; i < TURNS; i++) {
    let own = 36u * (i & 1u);
    if (lane < 36u) {
      let a = mixOf(own, place.x, i % 5u);
      let b = mixOf(own, place.y, i % 5u);
      let across = own + place.x * 6u;
      let other = own + a.other * 6u;
      let first = mixed(b, matrix[across + place.y], matrix[across + b.other]);
      let second = mixed(b, matrix[other + place.y], matrix[other + b.other]);
      matrix[36u - own + lane] = mixed(a, first, second);
      vectors[36u - own + lane] = mixed(b, vectors[across + place.y], vectors[across + b.other]);
    }
    workgroupBarrier();
  }
}

// Adds so much of a hidden direction to the solution that the camera stays as close as it can to where it is. Without it the scene's centre
// would stay, and a camera that turns on the spot would be taken to go around the scene.
fn hold(p: u32) {
  let arm = times3(now.centre, vec3f(reciprocal(now.radius)));
  let turn = vec3f(vectors[p], vectors[6u + p], vectors[12u + p]);
  let found = vec3f(solution[0], solution[1], solution[2]);
  let part = moves(arm, turn, vec3f(vectors[18u + p], vectors[24u + p], vectors[30u + p]));
  let shifted = dotOf(part, moves(arm, found, vec3f(solution[3], solution[4], solution[5])));
  let turned = dotOf(turn, found);
  let back = over(summed(shifted + turned), summed(dotOf(part, part) + dotOf(turn, turn)));
  for (var q = 0u; q < 6u; q++) { solution[q] = summed(solution[q] - times(vectors[6u * q + p], back)); }
}

// How the camera moves by a turn and a shift; the scene's centre lies at `arm`.
fn moves(arm: vec3f, turn: vec3f, shift: vec3f) -> vec3f {
  return summed3(shift + summed3(times3(arm.yzx, turn.zxy) - times3(arm.zxy, turn.yzx)));
}

fn mixed(mix: Mix, mine: f32, its: f32) -> f32 { return summed(times(mix.own, mine) + times(mix.its, its)); }

struct Mix { other: u32, own: f32, its: f32 }

// A row's partner in a round, and the factors of both rows in the rotation that makes the entry between them 0.
fn mixOf(own: u32, row: u32, round: u32) -> Mix {
  var other = (2u * round + 10u - row) % 5u;
  if (row == 5u) { other = round; }
  if (row == round) { other = 5u; }
  let p = min(row, other);
  let q = max(row, other);
  let off = matrix[own + 6u * p + q];
  let corner = matrix[own + 7u * p];
  let opposite = matrix[own + 7u * q];
  if (abs(off) * NEGLIGIBLE <= summed(abs(corner) + abs(opposite))) { return Mix(other, 1.0, 0.0); }
  let half = over(summed(opposite - corner), 2.0 * off);
  let t = over(select(1.0, -1.0, half < 0.0), summed(abs(half) + root(summed(times(half, half) + 1.0))));
  let c = inverseRoot(summed(times(t, t) + 1.0));
  let s = times(t, c);
  return Mix(other, c, select(s, -s, row == p));
}

fn improve() {
  let count = total[PARTNERS];
  now.partners = over(count, max(1.0, total[VALID]));
  if (count < FEWEST) {
    now.held = -1;
    now.partners = 0.0;
    now.doubt = 0.0;
    return;
  }
  now.held = hidden;
  let scale = sigmaOf(now.centre.z) * (MATRIX_UNITS / SIDE_UNITS);
  let all = times3(vec3f(solution[0], solution[1], solution[2]), vec3f(scale));
  var rows = rotation(times3(all, vec3f(reciprocal(now.radius))));
  // The rotation is about the scene's centre, not the camera.
  var motion: array<vec4f, 3>;
  for (var i = 0u; i < 3u; i++) {
    let shift = summed(times(solution[3u + i], scale) + now.centre[i]);
    motion[i] = vec4f(rows[i], summed(shift - dotOf(rows[i], now.centre)));
  }
  now.pose = compose(motion, now.pose);
  let each = reciprocal(count * shape.unit);
  let error = times(total[ERRORS], each) * (MATRIX_UNITS / SIDE_UNITS);
  let variance = times(times(error, scatter), shape.unit);
  now.doubt = select(0.0, times(times(CORRELATED, sigmaOf(now.centre.z)), root(variance)), variance > 0.0);
  let mean = times3(times3(vec3f(total[PLACES], total[PLACES + 1u], total[PLACES + 2u]), vec3f(each)), vec3f(1.0 / PLACE_UNITS));
  let spread = summed(times(total[SQUARES], each) * (1.0 / SQUARE_UNITS) - dotOf(mean, mean));
  now.centre = summed3(now.centre + times3(mean, vec3f(now.radius)));
  now.radius = times(now.radius, root(max(spread, LEAST_RADIUS * LEAST_RADIUS)));
}

// The rotation by a vector, its length in radians (Rodrigues; sin x / x and (1 − cos x) / x² by their first terms; settle.wgsl straightens
// the last estimate). A turn by more than a radian counts as no turn.
fn rotation(asked: vec3f) -> array<vec3f, 3> {
  let turn = select(vec3f(), asked, dotOf(asked, asked) < 1.0);
  let square = dotOf(turn, turn);
  let a = summed(1.0 - times(square, summed(1.0 / 6.0 - times(square, 1.0 / 120.0))));
  let b = summed(0.5 - times(square, summed(1.0 / 24.0 - times(square, 1.0 / 720.0))));
  let rest = summed(1.0 - times(b, square));
  let bent = times3(vec3f(b), turn);
  let sine = times3(vec3f(a), turn);
  return array<vec3f, 3>(
    summed3(times3(vec3f(bent.x), turn) + vec3f(rest, -sine.z, sine.y)),
    summed3(times3(vec3f(bent.y), turn) + vec3f(sine.z, rest, -sine.x)),
    summed3(times3(vec3f(bent.z), turn) + vec3f(-sine.y, sine.x, rest)),
  );
}
