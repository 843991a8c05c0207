// Decides what the alignment of a frame is worth: the camera stands where the keyframe was taken, moved, or is lost. Leaves what is known
// for the next frame, and the pose. One workgroup; its lanes add up what the judging dispatch counted, the first one decides.
override GROUPS: u32; // the most workgroups of a dispatch
override LAST: u32; // the number of the judging dispatch

const LANES = 64u;
const SUMS = 34u;
const LOST = 0u;
const STILL = 1u;
const MOVED = 2u;
const LOST_PARTNERS = 0.3;
const LOST_EXPLAINED = 0.35;
const STANDS = 0.97;
const FEWEST_JUDGED = 500.0;
const CALM_M = 0.0015;
const CALM_TURN = 0.0006;
const CALM_FRAMES = 5u;
const LEFT_OVER = 0.7;
const FAR_M = 0.15;
const FAR_TURN = 0.17;

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
struct Estimate { pose: array<vec4f, 3>, centre: vec3f, radius: f32, held: i32, partners: f32 }
struct Pose { toWorld: array<vec4f, 3>, toBefore: array<vec4f, 3>, state: u32, held: u32, partners: f32, recorded: u32 }

// The recording's own pose, and the motion since the frame before (`state` LOST: that frame has no pose).
struct Given { toWorld: array<vec4f, 3>, toBefore: array<vec4f, 3>, isThere: u32, state: u32 }

@group(0) @binding(0) var<storage, read> before: Known;
@group(0) @binding(1) var<storage, read_write> after: Known;
@group(0) @binding(2) var<storage, read> sums: array<f32>;
@group(0) @binding(3) var<storage, read> estimates: array<Estimate>;
@group(0) @binding(4) var<storage, read_write> pose: Pose;
@group(0) @binding(5) var<uniform> shape: Shape;
@group(0) @binding(6) var<uniform> given: Given;

var<workgroup> counts: array<vec4f, LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  var mine = vec4f();
  for (var i = lane; i < shape.groups; i += LANES) {
    let at = (LAST * GROUPS + i) * SUMS;
    mine += vec4f(sums[at], sums[at + 1u], sums[at + 2u], sums[at + 3u]);
  }
  counts[lane] = mine;
  workgroupBarrier();
  if (lane != 0u) { return; }
  for (var i = 1u; i < LANES; i++) { mine += counts[i]; }
  settle(estimates[LAST], mine.x / max(1.0, mine.y), mine.z / max(1.0, mine.w), mine.w < FEWEST_JUDGED);
  pose.recorded = given.isThere;
  if (given.isThere == 0u) { return; }
  pose.toWorld = given.toWorld;
  if (pose.state != LOST || given.state == LOST) { return; }
  pose.toBefore = given.toBefore;
  pose.state = given.state;
}

fn settle(found: Estimate, explained: f32, standing: f32, isUnsure: bool) {
  let identity = array<vec4f, 3>(vec4f(1.0, 0.0, 0.0, 0.0), vec4f(0.0, 1.0, 0.0, 0.0), vec4f(0.0, 0.0, 1.0, 0.0));
  let had = select(before.had, 1.0, before.had == 0.0);
  pose.partners = found.partners;
  pose.held = u32(max(0, found.held));
  after.centre = found.centre;
  after.radius = found.radius;
  if (found.held < 0 || found.partners < LOST_PARTNERS * had || explained < LOST_EXPLAINED) {
    leave(before.world, before.world, identity, LOST);
    after.velocity = identity;
    after.had = 0.0;
    after.calm = 0u;
    after.isKey = 1u;
    return;
  }
  let world = straighten(compose(before.base, found.pose));
  let motion = compose(inverse(before.world), world);
  let isCalm = isWithin(motion, CALM_M, CALM_TURN);
  let stands = (isCalm || before.state == STILL) && (isUnsure || standing >= STANDS * explained);
  let isFar = !stands && !isWithin(found.pose, FAR_M, FAR_TURN);
  let partners = select(before.had, found.partners, before.had == 0.0);
  after.calm = select(0u, before.calm + 1u, isCalm && !stands);
  let isKey = isFar || found.partners < LEFT_OVER * partners || after.calm >= CALM_FRAMES;
  after.isKey = select(0u, 1u, isKey);
  after.had = select(partners, 0.0, isKey);
  if (stands) {
    leave(before.base, before.base, identity, STILL);
    after.velocity = identity;
    return;
  }
  if (isKey) { leave(world, world, motion, MOVED); } else { leave(before.base, world, motion, MOVED); }
  after.velocity = motion;
  // In a direction that the scene does not show, the last motion would go on for ever.
  if (found.held > 0) { after.velocity = identity; }
}

fn leave(base: array<vec4f, 3>, world: array<vec4f, 3>, toBefore: array<vec4f, 3>, state: u32) {
  after.base = base;
  after.world = world;
  after.state = state;
  pose.toWorld = world;
  pose.toBefore = toBefore;
  pose.state = state;
}

fn compose(a: array<vec4f, 3>, b: array<vec4f, 3>) -> array<vec4f, 3> {
  var c: array<vec4f, 3>;
  for (var i = 0u; i < 3u; i++) { c[i] = a[i].x * b[0] + a[i].y * b[1] + a[i].z * b[2] + vec4f(0.0, 0.0, 0.0, a[i].w); }
  return c;
}

fn inverse(m: array<vec4f, 3>) -> array<vec4f, 3> {
  var back: array<vec4f, 3>;
  for (var i = 0u; i < 3u; i++) {
    let column = vec3f(m[0][i], m[1][i], m[2][i]);
    back[i] = vec4f(column, -dot(column, vec3f(m[0].w, m[1].w, m[2].w)));
  }
  return back;
}

fn isWithin(m: array<vec4f, 3>, metres: f32, turn: f32) -> bool {
  let sine = length(vec3f(m[2].y - m[1].z, m[0].z - m[2].x, m[1].x - m[0].y)) / 2.0;
  return length(vec3f(m[0].w, m[1].w, m[2].w)) < metres && sine < turn && m[0].x + m[1].y + m[2].z > 1.0;
}

fn straighten(m: array<vec4f, 3>) -> array<vec4f, 3> {
  let x = normalize(m[0].xyz);
  let y = normalize(m[1].xyz - dot(m[1].xyz, x) * x);
  return array<vec4f, 3>(vec4f(x, m[0].w), vec4f(y, m[1].w), vec4f(cross(x, y), m[2].w));
}
