// Kernel 1 (pipeline/README.md). An invocation: one word of depth: 2 pixels. A workgroup: 32 × 8 pixels. It leaves: depth without flying
// pixels, and what was answered.
// Finds flying pixels, which hang in the air between two surfaces, and small islands. Both become 0; with SNAP a flying pixel takes the
// depth of the nearer surface instead. Both tests read the unfiltered image.
//
// One invocation writes a word, two pixels of a row. The pixels that it compares with are whole words too: one and two words away in the
// same row, and in the rows two and four away:
//
//      a2 . . . a2 . . . a2     z hangs between a and b if it is more than `step` from both, if a and b are more than 3 steps apart, and
//       .               .       more than twice as far as the depths change beside them, |a2 - a| + |b - b2|: noise and steep slopes
//       .   a . a . a   .       change as much beside as between, an edge does not. If a2 or b2 is invalid, the other counts twice; if
//       .               .       both are, z does not hang.
//      a2   a   z   b   b2
//       .               .       step = max(stepMm, share × z, noise × z²)
//       .   b . b . b   .
//       .               .       In the 5 × 5 window of a pixel: 9 pixels within half a step of its depth make it the corner of a
//      b2 . . . b2 . . . b2     surface, which does not hang; fewer than `island` pixels within a step make it an island.
//
// Most pixels lie on a surface. For these the invocation skips loads: a2 and b2 if nothing lies between a and b, and the adjacent rows if
// the pixel's own row has enough pixels of its depth.
override ROW: u32; // words per row
override HEIGHT: u32;

const SNAP = 1u;
// stages/despeckle/layout.ts says what these mean.
const DEPTH = 0xfffc;
const REMOVED = 1;
const WAITS = 2;
const MIDDLE = 2;
const KEPT_BITS = 1u;
const REMOVED_BITS = 2u;
const CORNER = 9;
// `count` adds 1 for each pixel within a step, and NEAR more for each within half a step.
const NEAR = 32;

// In depth units; `noise` is per squared unit.
struct Steps { least: f32, share: f32, noise: f32, island: u32, action: u32 }

@group(0) @binding(0) var<uniform> steps: Steps;
@group(0) @binding(1) var<storage, read> depth: array<u32>;
@group(0) @binding(2) var<storage, read_write> cleaned: array<u32>;
@group(0) @binding(3) var<storage, read> judged: array<u32>; // two pixels a word: depth, WAITS and REMOVED; 0: invalid
@group(0) @binding(4) var<storage, read_write> judgement: array<u32>;
@group(0) @binding(5) var<uniform> continues: u32; // 0: there is no memory

@compute @workgroup_size(16, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= ROW || id.y >= HEIGHT) { return; }
  let x = id.x;
  let y = id.y;
  let before = wordAt(x - 1u, y);
  let own = wordAt(x, y);
  let after = wordAt(x + 1u, y);
  let upBefore = wordAt(x - 1u, y - 2u);
  let up = wordAt(x, y - 2u);
  let upAfter = wordAt(x + 1u, y - 2u);
  let downBefore = wordAt(x - 1u, y + 2u);
  let down = wordAt(x, y + 2u);
  let downAfter = wordAt(x + 1u, y + 2u);
  let z = pixels(own);
  let was = pixels(select(0u, judged[y * ROW + x], continues == 1u));
  let wasGone = (was & vec2i(REMOVED)) != vec2i();
  let plain = stepAt(z);
  let step = held(plain, z, was, wasGone);
  var surface = vec2i();
  if (any(isBetween(z, step, before, after) | isBetween(z, step, up, down)
    | isBetween(z, step, upBefore, downAfter) | isBetween(z, step, upAfter, downBefore))) {
    surface = pair(surface, z, step, wordAt(x - 2u, y), before, after, wordAt(x + 2u, y));
    surface = pair(surface, z, step, wordAt(x, y - 4u), up, down, wordAt(x, y + 4u));
    surface = pair(surface, z, step, wordAt(x - 2u, y - 4u), upBefore, downAfter, wordAt(x + 2u, y + 4u));
    surface = pair(surface, z, step, wordAt(x + 2u, y - 4u), upAfter, downBefore, wordAt(x - 2u, y + 4u));
  }
  var count = alike(z, step, before, own, after);
  if (any((surface != vec2i()) | (isIsland(count) & (z != vec2i())))) {
    count += alike(z, step, upBefore, up, upAfter) + alike(z, step, downBefore, down, downAfter)
      + alike(z, step, wordAt(x - 1u, y - 1u), wordAt(x, y - 1u), wordAt(x + 1u, y - 1u))
      + alike(z, step, wordAt(x - 1u, y + 1u), wordAt(x, y + 1u), wordAt(x + 1u, y + 1u));
  }
  let moved = select(vec2i(), surface, steps.action == SNAP);
  let hangs = (surface != vec2i()) & (count < vec2i(CORNER * NEAR));
  let answer = select(select(z, vec2i(), isIsland(count)), moved, hangs);
  // While a pixel's depth stays, an answer that differs from the last one must come twice before it counts, so that noise does not decide.
  let gone = answer != z;
  let waits = (gone != wasGone) & ((was & vec2i(WAITS)) == vec2i()) & isAt(was, z, plain - shifted(plain, REMOVED_BITS));
  let left = select(answer, select(z, vec2i(), wasGone & vec2<bool>(steps.action != SNAP)), waits);
  cleaned[y * ROW + x] = u32(left.x) | (u32(left.y) << 16u);
  let flags = select(vec2i(), vec2i(REMOVED), gone != waits) | select(vec2i(), vec2i(WAITS), waits);
  let remembered = select((z & vec2i(DEPTH)) | flags, vec2i(), z == vec2i());
  judgement[y * ROW + x] = u32(remembered.x) | (u32(remembered.y) << 16u);
}

// Outside the image all is invalid. Coordinates below 0 wrap around to large numbers, which are outside too.
fn wordAt(x: u32, y: u32) -> u32 {
  let isInside = x < ROW && y < HEIGHT;
  return select(0u, depth[select(0u, y * ROW + x, isInside)], isInside);
}

fn pixels(word: u32) -> vec2i { return vec2i(i32(word & 0xffffu), i32(word >> 16u)); }

// Only products, each rounded once, so that the twin gets the same bits.
fn stepAt(z: vec2i) -> vec2i {
  let f = vec2f(z);
  return vec2i(min(max(max(vec2f(steps.least), steps.share * f), steps.noise * (f * f)), vec2f(65535.0)));
}

// A pixel that was judged before is judged by another step, so that noise alone does not change the answer: by a shorter step if it was
// removed, by a longer one if it stayed and still has the same depth.
fn held(step: vec2i, z: vec2i, was: vec2i, wasGone: vec2<bool>) -> vec2i {
  let part = shifted(step, KEPT_BITS);
  let kept = select(step, min(step + part, vec2i(65535)), isAt(was, z, part));
  return select(kept, step - shifted(step, REMOVED_BITS), wasGone);
}

fn shifted(v: vec2i, bits: u32) -> vec2i { return vec2i(vec2u(v) >> vec2u(bits)); }

// Whether pixels of depth z were as deep before, give or take `reach`.
fn isAt(was: vec2i, z: vec2i, reach: vec2i) -> vec2<bool> {
  let depth = was & vec2i(DEPTH);
  return (depth != vec2i()) & (abs(depth + MIDDLE - z) <= reach);
}

fn isBetween(z: vec2i, step: vec2i, one: u32, other: u32) -> vec2<bool> {
  let a = pixels(one);
  let b = pixels(other);
  let low = min(a, b);
  let high = max(a, b);
  return (low != vec2i()) & (z - low > step) & (high - z > step) & (high - low > 3 * step);
}

// The nearest (in depth) of the surfaces between which z hangs: `best` of the pairs before, or this pair's; the smaller depth if both are
// equally near. 0 if z hangs nowhere.
fn pair(best: vec2i, z: vec2i, step: vec2i, far0: u32, near0: u32, near1: u32, far1: u32) -> vec2i {
  let a = pixels(near0);
  let b = pixels(near1);
  let a2 = pixels(far0);
  let b2 = pixels(far1);
  let no = vec2i();
  let onA = select(abs(a2 - a), no, a2 == no);
  let onB = select(abs(b2 - b), no, b2 == no);
  let beside = select(onA, onB, a2 == no) + select(onB, onA, b2 == no);
  let hangs = isBetween(z, step, near0, near1) & ((a2 | b2) != no) & (abs(a - b) > 2 * beside);
  let low = min(a, b);
  let high = max(a, b);
  let surface = select(low, high, high - z < z - low);
  let isBetter = (best == no) | (abs(surface - z) < abs(best - z)) | ((abs(surface - z) == abs(best - z)) & (surface < best));
  return select(best, surface, hangs & isBetter);
}

// For each of the two pixels of `z`: how many of the five pixels around it in this row differ from it by at most `step`.
fn alike(z: vec2i, step: vec2i, before: u32, own: u32, after: u32) -> vec2i {
  let b = pixels(before);
  let o = pixels(own);
  let a = pixels(after);
  return isAlike(z, step, vec2i(b.x, a.y)) + isAlike(z, step, vec2i(b.y)) + isAlike(z, step, vec2i(o.x))
    + isAlike(z, step, vec2i(o.y)) + isAlike(z, step, vec2i(a.x));
}

fn isAlike(z: vec2i, step: vec2i, v: vec2i) -> vec2i {
  let off = abs(v - z);
  return select(vec2i(), select(vec2i(1), vec2i(1 + NEAR), 2 * off <= step), (v != vec2i()) & (off <= step));
}

fn isIsland(count: vec2i) -> vec2<bool> { return (count & vec2i(NEAR - 1)) < vec2i(i32(steps.island)); }
