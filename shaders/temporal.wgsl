// A recursive mean over time (a scalar Kalman filter whose gain is bounded from below), which follows the newest frames where an area
// changes.
//
// For each pixel a word is remembered, mean << 7 | count << 1 | up, and half a word, its trend (stages/temporal/layout.ts). A new depth z
// differs from the mean by d = z − mean. If |d| is 4 sigma(z) or more, the pixel has moved and begins anew, as does a pixel that was
// invalid. Otherwise the mean moves towards z by a gain
//
//    K = max(1 / (count + 1), least, g(|m|), g(|trend|))        m: the change of the 9 × 9 pixels around; trend ← 3/4 trend + m
//
// A pixel's own d hardly tells slow motion from noise. m can: it is the sum of d / sigma over the area's pixels that did not move, over the
// sum that noise alone would give (9 √pixels). If a sensor's noise correlates between pixels, m still varies, but independently from frame
// to frame, so the trend tells it from motion. Each workgroup processes a tile of 32 × 16 pixels in three steps; in the last one, an
// invocation has two adjacent pixels:
//
//      ┌ 40 × 24 ┐     1. marks: d in sigmas << 7 | 1, or 0; of an invocation's own word of depth (two pixels), and of one around the tile
//      │ ┌─────┐ │     2. sums of marks along rows, 8 adjacent ones per invocation, each derived from the one before
//      │ │tile │ │     3. sums of these along columns; from them the gain, the mean and the depth shown
//      │ └─────┘ │
//      └─────────┘     A sum of marks adds up d in its high bits and counts pixels in its low ones.
//
// All numbers are integers except for three products, which are rounded down at once, so the twin gets the same bits on every device. The
// depth shown changes only when the mean is 3/4 of a unit away; a limit of 1/2 would make it flicker.
override ROW: u32; // words per row of depth
override HEIGHT: u32;

const MEAN_SHIFT = 7u; // shift of the mean
const MOST = 63u; // the largest count
const FRACTION_BITS = 9u; // bits of the mean below a unit
const HELD = 384; // 3/4 of a unit
const JUMP = 1024.0; // 4 sigma
const FADE_BITS = 2u; // the trend loses a quarter with each frame
const MARK_BITS = 7u; // shift of the sum of changes in a sum of marks
const PIXELS_MASK = 127; // mask of the number of pixels in a sum of marks
const FARTHEST = 0xffffff; // exact in f32

const WORDS = 16u; // of a tile's row
const ROWS = 16u;
const LANES = 256u; // one for each word of the tile
const HALO = 2u; // words
const REACH = 4u; // pixels
const RUN = 8u;
const ACROSS = WORDS + 2u * HALO;
const DOWN = ROWS + 2u * REACH;
const PITCH = 2u * ACROSS + 1u; // odd, so that rows begin in different banks
const RUNS = 2u * WORDS / RUN;
// Words around the tile: those above it, those above and below it, and all.
const ABOVE = REACH * ACROSS;
const BEYOND = 2u * ABOVE;
const AROUND = BEYOND + 2u * HALO * ROWS;

struct Seen { left: u32, right: u32, trends: u32 } // of two adjacent pixels

@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read> before: array<Seen>; // one entry per word of depth
@group(0) @binding(2) var<storage, read_write> after: array<Seen>;
@group(0) @binding(3) var<storage, read_write> filtered: array<u32>;
@group(0) @binding(4) var<storage, read> scales: array<f32, 65536>; // by depth: from 1/512 of a unit to 1/256 of a sigma
@group(0) @binding(5) var<storage, read> weights: array<f32, 82>; // by pixels in an area: 1 / (9 √pixels)
// By |m| or |trend| in 1/256 of a sigma: twice g, and the most frames then counted in the mean.
@group(0) @binding(6) var<storage, read> answers: array<vec2f, 1025>;
@group(0) @binding(7) var<storage, read> gains: array<f32, 64>; // by count: twice max(1 / (count + 1), least)
@group(0) @binding(8) var<uniform> continues: u32; // 0: there is no memory

var<workgroup> marks: array<i32, PITCH * DOWN>;
var<workgroup> sums: array<vec2i, WORDS * DOWN>; // along rows, of two adjacent pixels

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let column = lane % WORDS;
  let row = lane / WORDS;
  let word = vec2u(group.x * WORDS + column, group.y * ROWS + row);
  // The own word is read once and kept until the last step.
  let isInside = word.x < ROW && word.y < HEIGHT;
  let at = select(0u, word.y * ROW + word.x, isInside);
  let two = select(0u, depth[at], isInside);
  let seen = before[at];
  let own = marksOf(two, seen.left, seen.right);
  mark(vec2u(column + HALO, row + REACH), own);
  if (lane < AROUND) { markAround(vec2i(i32(group.x * WORDS), i32(group.y * ROWS)), lane); }
  workgroupBarrier();
  if (lane < RUNS * DOWN) { sumRun(lane / RUNS, lane % RUNS); }
  workgroupBarrier();
  if (!isInside) { return; }
  var total = vec2i();
  for (var i = 0u; i < 9u; i++) { total += sums[(row + i) * WORDS + column]; }
  leave(at, two, seen, total, own);
}

// Marks a word around the tile: of `ACROSS` above it, then below it, then of the two on each side of its rows.
fn markAround(corner: vec2i, i: u32) {
  let side = i % (2u * HALO);
  let beside = vec2u(side + select(0u, WORDS, side >= HALO), REACH + (i - BEYOND) / (2u * HALO));
  let beyond = vec2u(i % ACROSS, i / ACROSS + select(0u, ROWS, i >= ABOVE));
  let place = select(beyond, beside, i >= BEYOND);
  let word = corner + vec2i(place) - vec2i(i32(HALO), i32(REACH));
  let isInside = all(word >= vec2i()) && all(word < vec2i(vec2u(ROW, HEIGHT)));
  let at = select(0u, u32(word.y) * ROW + u32(word.x), isInside);
  // No branch, so that the three loads do not wait for each other.
  let two = select(0u, depth[at], isInside);
  let left = before[at].left;
  let right = before[at].right;
  mark(place, marksOf(two, left, right));
}

fn mark(place: vec2u, two: vec2i) {
  marks[place.y * PITCH + 2u * place.x] = two.x;
  marks[place.y * PITCH + 2u * place.x + 1u] = two.y;
}

// Of two adjacent pixels: a word of depth, and what was seen of both.
fn marksOf(two: u32, left: u32, right: u32) -> vec2i {
  return select(vec2i(), vec2i(markOf(two & 0xffffu, left), markOf(two >> 16u, right)), continues == 1u);
}

// 0 if the pixel has no past: it is or was invalid, or it moved.
fn markOf(z: u32, seen: u32) -> i32 {
  let change = i32(clamp(f32(differenceOf(z, seen)) * scales[z], -JUMP, JUMP));
  let moved = abs(change) >= i32(JUMP);
  return select((change << MARK_BITS) + 1, 0, z == 0u || countOf(seen) == 0u || moved);
}

fn differenceOf(z: u32, seen: u32) -> i32 {
  return clamp(i32(z << FRACTION_BITS) - i32(seen >> MEAN_SHIFT), -FARTHEST, FARTHEST);
}

fn countOf(seen: u32) -> u32 { return (seen >> 1u) & MOST; }

// Writes 8 sums of 9 adjacent marks each.
fn sumRun(row: u32, run: u32) {
  let start = row * PITCH + run * RUN;
  var sum = 0;
  for (var i = 0u; i < 8u; i++) { sum += marks[start + i]; }
  for (var i = 0u; i < RUN / 2u; i++) {
    let first = sum + marks[start + 2u * i + 8u];
    let second = first + marks[start + 2u * i + 9u] - marks[start + 2u * i];
    sums[row * WORDS + run * RUN / 2u + i] = vec2i(first, second);
    sum = second - marks[start + 2u * i + 1u];
  }
}

fn leave(at: u32, two: u32, seen: Seen, totals: vec2i, own: vec2i) {
  let z = vec2u(two & 0xffffu, two >> 16u);
  let left = next(z.x, seen.left, i32(seen.trends << 16u) >> 16u, totals.x, own.x == 0);
  let right = next(z.y, seen.right, i32(seen.trends) >> 16u, totals.y, own.y == 0);
  after[at] = Seen(left.seen, right.seen, (u32(left.trend) & 0xffffu) | (u32(right.trend) << 16u));
  let now = vec2u(left.seen, right.seen);
  let shown = (now >> vec2u(MEAN_SHIFT + FRACTION_BITS)) + (now & vec2u(1u));
  filtered[at] = shown.x | (shown.y << 16u);
}

struct Next { seen: u32, trend: i32 }

// `isNew` ignores what was seen. No branch, so that neither of the two pixels waits for the other.
fn next(z: u32, seen: u32, trend: i32, total: i32, isNew: bool) -> Next {
  let change = i32(f32(total >> MARK_BITS) * weights[total & PIXELS_MASK]);
  let towards = trend - (trend >> FADE_BITS) + change;
  // In floats, since NVIDIA's compiler (580) does not always find the larger magnitude of two integers.
  let felt = max(abs(f32(change)), abs(f32(towards)));
  let answer = answers[u32(min(felt, JUMP))];
  let gain = max(gains[countOf(seen)], answer.x);
  let was = seen >> MEAN_SHIFT;
  let mean = i32(was) + ((i32(floor(f32(differenceOf(z, seen)) * gain)) + 1) >> 1u);
  let count = min(countOf(seen) + 1u, u32(answer.y));
  let held = (was >> FRACTION_BITS) + (seen & 1u);
  let nearest = u32(mean + 256) >> FRACTION_BITS;
  let near = select(nearest, held, abs(mean - i32(held << FRACTION_BITS)) <= HELD);
  let followed = (u32(mean) << MEAN_SHIFT) | (count << 1u) | (near - (u32(mean) >> FRACTION_BITS));
  let begun = select((z << (FRACTION_BITS + MEAN_SHIFT)) | 2u, 0u, z == 0u);
  return Next(select(followed, begun, isNew), select(towards, 0, isNew));
}
