// #import "../core/exact.wgsl"
// #import "../core/pose.wgsl"
// #import "./state.wgsl"
// #import "./solve.wgsl"
// #import "./motion.wgsl"
// Kernel 3 (pipeline/README.md). An invocation: some of the counts; the first decides. A workgroup: all. It leaves: the camera's pose.
// Decides from the alignment of a frame whether the camera stands at the keyframe, moved, or is lost. Writes the pose, and the state for
// the next frame. One workgroup: each half of its lanes adds up the sums of one guess, all lanes solve the last equations of the better
// guess, and the first lane decides. stages/track/constants.ts says what each threshold means.
override LAST: u32; // the number of the last iteration

const THREADS = 256u;
const HALF = 128u;
const LOST = 0u;
const STILL = 1u;
const MOVED = 2u;
const LOST_PARTNERS = 0.3;
const VAGUE_PARTNERS = 0.8;
const LOST_EXPLAINED = 0.35;
const SPARSE = 0.25;
const PATIENCE = 0.95;
const SEARCH = 5u;
const SHOWN = 1.0;
const UNSURE = 0.01;
const STANDS = 0.97;
const WAITS = 3.0;
const JUDGES = 0.5;
const CALM_M = 0.0015;
const CALM_TURN = 0.0006;
const CALM_FRAMES = 5u;
const LEFT_OVER = 0.7;
const CROWDED = 1.05;
const STOPPED = 0.95;
const CALMED = 1.1;
const CROWDED_FRAMES = 8u;
const FAR_M = 0.15;
const FAR_TURN = 0.17;

const FIRST_DISTANCE = 2.0;
const IDENTITY = array<vec4f, 3>(vec4f(1.0, 0.0, 0.0, 0.0), vec4f(0.0, 1.0, 0.0, 0.0), vec4f(0.0, 0.0, 1.0, 0.0));

// The recording's own pose, and the motion since the frame before (`state` LOST: that frame has no pose). `follows`: 0 after a jump or a
// gap, where nothing was aligned.
struct Given { toWorld: array<vec4f, 3>, toBefore: array<vec4f, 3>, isThere: u32, state: u32, follows: u32 }

@group(0) @binding(0) var<storage, read> before: Known;
@group(0) @binding(1) var<storage, read_write> after: Known;
@group(0) @binding(2) var<storage, read> estimates: array<Estimate>;
@group(0) @binding(4) var<storage, read_write> pose: Pose;
@group(0) @binding(6) var<uniform> given: Given;

// Pixels that project onto a plane of the keyframe: how many lie on the plane, how many there are, and the areas of both.
struct Explained { calm: vec4i, standing: vec4i, crowded: vec4i }

var<workgroup> guess: u32;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) lane: u32) {
  hideConstants(shape.zero);
  if (given.follows == 0u) {
    if (lane == 0u) { leap(); }
    return;
  }
  let half = lane / HALF;
  gather(lane % HALF, LAST, half, half);
  gather(lane % HALF, LAST + 1u, half, 2u + half);
  now = estimates[LAST * 2u];
  let crowded = estimates[LAST * 2u + 1u];
  workgroupBarrier();
  var counts: Explained;
  if (lane == 0u) {
    counts = counted();
    guess = choose(counts, crowded);
  }
  if (workgroupUniformLoad(&guess) == 1u) { now = crowded; }
  solve(lane, guess);
  if (lane != 0u) { return; }
  if (guess == 1u) {
    settle(now, shareOf(counts.crowded.zw), shareOf(counts.standing.zw), f32(counts.standing.y) < shape.fewest);
  } else {
    settle(now, shareOf(counts.calm.xy), shareOf(counts.standing.xy), f32(counts.standing.y) < shape.fewest);
  }
  record();
}

// The recording's pose replaces the one that was found.
fn record() {
  pose.recorded = given.isThere;
  if (given.isThere == 0u) { return; }
  pose.toWorld = given.toWorld;
  pose.anew = 0u;
  if (pose.state != LOST || given.state == LOST) { return; }
  pose.toBefore = given.toBefore;
  pose.state = given.state;
}

// Begins to track at the last pose of the frames before the jump.
fn leap() {
  leave(before.world, before.world, IDENTITY, LOST);
  pose.anew = 1u;
  pose.held = 0u;
  pose.partners = 0.0;
  pose.uncertaintyM = 0.0;
  after.centre = vec3f(0.0, 0.0, FIRST_DISTANCE);
  after.radius = 1.0;
  after.velocity = IDENTITY;
  after.had = 0.0;
  after.filled = 0.0;
  after.calm = 0u;
  after.crowded = 0u;
  after.isKey = 1u;
  after.sought = 0u;
  record();
}

fn counted() -> Explained {
  var counts: Explained;
  for (var p = 0u; p < PARTS; p++) {
    let calm = (2u * PARTS + p) * VECTORS;
    counts.calm += parts[calm];
    counts.standing += parts[calm + 1u];
    counts.crowded += parts[calm + PARTS * VECTORS];
  }
  return counts;
}

fn shareOf(counts: vec2i) -> f32 {
  return over(f32(counts.x), max(1.0, f32(counts.y)));
}

// Chooses the guess that explains more area. If the camera moved and suddenly stands by the calm guess alone, somebody may hold a hand
// still before it: then the crowded guess may explain somewhat less.
fn choose(counts: Explained, crowded: Estimate) -> u32 {
  let a = select(shareOf(counts.calm.zw), 0.0, now.held < 0);
  let b = select(shareOf(counts.crowded.zw), 0.0, crowded.held < 0);
  let isOpposed = crowded.held >= 0 && stops(now) && !stops(crowded);
  let frames = select(max(before.crowded, 1u) - 1u, CROWDED_FRAMES, b > select(CROWDED, STOPPED, isOpposed) * a);
  after.crowded = frames;
  return select(0u, 1u, crowded.held >= 0 && (now.held < 0 || (frames > 0u && a < CALMED * b)));
}

// Whether the camera moved by more than noise in the last frame, and by this guess no longer does.
fn stops(found: Estimate) -> bool {
  if (found.held < 0 || before.state != MOVED || isWithin(before.velocity, CALM_M, CALM_TURN)) { return false; }
  return isWithin(compose(inverse(before.world), compose(before.base, found.pose)), CALM_M, CALM_TURN);
}

fn settle(found: Estimate, explained: f32, standing: f32, isUnsure: bool) {
  let valid = total[VALID];
  // Whether the frame is full enough to be the keyframe.
  let mayBeKey = valid >= FEWEST && valid >= SPARSE * before.filled;
  let had = select(before.had, 1.0, before.had == 0.0);
  pose.partners = found.partners;
  pose.held = u32(max(0, found.held));
  pose.uncertaintyM = found.doubt;
  after.centre = found.centre;
  after.radius = found.radius;
  let hasGone = isAstray();
  let isVague = explained < select(LOST_EXPLAINED, JUDGES, hasGone);
  let least = select(select(LOST_PARTNERS, LEFT_OVER, hasGone), VAGUE_PARTNERS, isVague);
  if (found.held < 0 || found.partners < least * had) {
    lose(valid, mayBeKey, found);
    return;
  }
  let world = straighten(compose(before.base, found.pose));
  let motion = compose(inverse(before.world), world);
  let isCalm = isWithin(motion, CALM_M, CALM_TURN) || !isShown(motion, SHOWN, found);
  let stood = before.state == STILL;
  let isExplained = explained >= JUDGES && standing >= STANDS * explained;
  let isAtKey = isUnsure || isExplained || !isShown(found.pose, SHOWN, found);
  let isSure = found.doubt <= UNSURE * found.centre.z;
  let waits = stood && isSure && explained >= JUDGES && before.calm == 0u && !isShown(found.pose, WAITS, found);
  let stands = select(waits, isCalm || stood, isAtKey);
  let isFar = !stands && (isVague || !isWithin(found.pose, FAR_M, FAR_TURN));
  let partners = select(before.had, found.partners, before.had == 0.0);
  after.calm = select(0u, before.calm + 1u, !isAtKey && (isCalm || waits));
  let isLeft = isFar || found.partners < LEFT_OVER * partners || after.calm >= CALM_FRAMES;
  let isKey = isLeft && mayBeKey;
  if (!stands && !isSure) {
    lose(valid, mayBeKey, found);
    return;
  }
  after.isKey = select(0u, 1u, isKey);
  after.had = select(partners, 0.0, isKey);
  after.filled = select(before.filled, valid, isKey || before.had == 0.0);
  after.sought = 0u;
  pose.anew = 0u;
  if (stands) {
    leave(before.base, before.base, IDENTITY, STILL);
    after.velocity = IDENTITY;
  } else {
    if (isKey) { leave(world, world, motion, MOVED); } else { leave(before.base, world, motion, MOVED); }
    after.velocity = motion;
    // The scene does not show motion in a held direction: a velocity there would never be corrected, so it is dropped. So is a way of many
    // frames.
    if (found.held > 0 || hasGone) { after.velocity = IDENTITY; }
  }
  if (before.sought == 0u) { return; }
  // A camera that was sought is at its place again, but nobody can tell from where it came in the last frame.
  after.state = LOST;
  pose.state = LOST;
  pose.toBefore = IDENTITY;
}

// Whether the frame before lost the camera and did not become the keyframe: it was too empty, or the camera is being sought in it.
fn isAstray() -> bool { return before.state == LOST && before.isKey == 0u; }

// Loses the camera at its last pose. The frame becomes the next keyframe, unless it is so empty that the keyframe is kept; after such
// frames the camera is sought for `SEARCH` frames, each from the estimate `found` of the one before.
fn lose(valid: f32, mayBeKey: bool, found: Estimate) {
  let isSought = mayBeKey && isAstray() && before.sought < SEARCH;
  let isKey = mayBeKey && !isSought;
  pose.anew = select(0u, 1u, isKey);
  if (isKey) {
    leave(before.world, before.world, IDENTITY, LOST);
  } else {
    leave(before.base, before.world, IDENTITY, LOST);
    // A frame that is empty or out of place says nothing of the scene.
    after.centre = before.centre;
    after.radius = before.radius;
    after.crowded = before.crowded;
  }
  after.velocity = IDENTITY;
  if (isSought && found.held >= 0) { after.velocity = compose(inverse(before.world), compose(before.base, found.pose)); }
  after.calm = 0u;
  after.sought = select(0u, before.sought + 1u, isSought);
  after.isKey = select(0u, 1u, isKey);
  after.had = select(before.had, 0.0, isKey);
  after.filled = select(PATIENCE * before.filled, valid, isKey);
}

fn leave(base: array<vec4f, 3>, world: array<vec4f, 3>, toBefore: array<vec4f, 3>, state: u32) {
  after.base = base;
  after.world = world;
  after.state = state;
  pose.toWorld = world;
  pose.toBefore = toBefore;
  pose.state = state;
}

// Whether a motion moves the scene, at its centre and at its radius from there, by so many times the pose's uncertainty.
fn isShown(m: array<vec4f, 3>, sigmas: f32, found: Estimate) -> bool {
  let c = found.centre;
  let to = summed3(vec3f(dotOf(m[0].xyz, c), dotOf(m[1].xyz, c), dotOf(m[2].xyz, c)) + vec3f(m[0].w, m[1].w, m[2].w));
  let shift = summed3(to - c);
  let sines = sinesOf(m);
  let turn = times(dotOf(sines, sines), times(found.radius, found.radius) * 0.25);
  let least = sigmas * found.doubt;
  return summed(dotOf(shift, shift) + turn) >= least * least;
}

// Twice the sine of a turn's angle, along its axis.
fn sinesOf(m: array<vec4f, 3>) -> vec3f { return summed3(vec3f(m[2].y, m[0].z, m[1].x) - vec3f(m[1].z, m[2].x, m[0].y)); }

fn isWithin(m: array<vec4f, 3>, metres: f32, turn: f32) -> bool {
  let sines = sinesOf(m);
  let shift = vec3f(m[0].w, m[1].w, m[2].w);
  let isNear = dotOf(shift, shift) < times(metres, metres);
  return isNear && dotOf(sines, sines) < 4.0 * times(turn, turn) && summed(summed(m[0].x + m[1].y) + m[2].z) > 1.0;
}
