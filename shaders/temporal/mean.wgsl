// Kernel 2 (pipeline/README.md). An invocation: one word of depth: 2 pixels. A workgroup: a tile of 32 × 16 pixels, and 4 around it. It
// leaves: filtered depth, and its memory.
// A recursive mean over time (a scalar Kalman filter whose gain is bounded from below), which follows the newest frames where an area
// changes.
//
// For each pixel a word is remembered, mean << 7 | count << 1 | up, and for each tile of 8 × 8 pixels a trend (stages/temporal/layout.ts).
// A new depth z differs from the mean by d = z − mean. If |d| is 4 sigma(z) or more, the pixel has moved and begins anew. An invalid pixel
// shows nothing, but its memory waits for its next depth, until a gain around it is so large that one frame alone counts. Otherwise the
// mean moves towards z by a gain
//
//    K = max(1 / (count + 1), least, g)        g: mixed from those of the four tiles around, max(g(|m|), g(|trend|))
//
// A pixel's own d hardly tells slow motion from noise. The change m of the 3 × 3 tiles around a tile tells it: m is the sum of d / sigma
// over the area's pixels that did not move (the tiles weighted 1 2 1 both ways), divided by the sum that noise alone would give. If a
// sensor's noise correlates between pixels, m still varies, but independently from frame to frame, so the trend, 3/4 trend + m, tells it
// from motion. g is as steep as a switch. If each pixel decided for itself, outlines would show on smooth surfaces, where new depth stands
// beside a mean. So each tile has a gain, and a pixel's gain is mixed from the gains at the centres of the tiles around.
//
// A single frame's depth that stands beside means is a cliff, too. So a pixel without a past begins as far from its depth as the means
// around are from their depths: by −(1 − max(g, least)) m sigma, mixed like the gain. m is less than the pixels' mean where few have a
// past.
//
// shaders/temporal/warp.wgsl has made the sums of d by tile. Here a workgroup has 32 × 16 pixels, an invocation two adjacent ones:
//
//      ┌──┬──┬──┬──┬──┬──┐     1. gains of the 4 × 2 tiles inside and of those around, by one invocation each
//      │  ├──┼──┼──┼──┤  │     2. from the mixed gain the mean and the depth shown
//      ├──┤  │  │  │  ├──┤
//      ├──┤──┼──┼──┼──┼──┤
//      │  ├──┴──┴──┴──┤  │
//      └──┴──┴──┴──┴──┴──┘
//
// All numbers are integers except for three products, which are rounded down at once, so the twin gets the same bits on every device;
// floats that mix gains hold whole numbers. The depth shown changes only when the mean is 3/4 of a unit away; a limit of 1/2 would make it
// flicker.
override ROW: u32; // words per row of depth
override HEIGHT: u32;

const MEAN_SHIFT = 7u; // shift of the mean
const MOST = 63u; // the largest count
const FRACTION_BITS = 9u; // bits of the mean below a unit
const HELD = 384; // 3/4 of a unit
const JUMP = 1024.0; // 4 sigma
const FADE_BITS = 2u; // the trend loses a quarter with each frame
const MARK_BITS = 11u; // shift of the sum of changes in a sum of marks
const PIXELS_MASK = 2047; // mask of the number of pixels in a sum of marks
const PIXELS_BITS = 4u;
const WHOLE = 16384.0; // a tile's gain of 1
const WHOLE_BITS = 14u;
const MOST_MEAN = 33553920; // of the depth 65535
const FARTHEST = 0xffffff; // exact in f32
const TWICE = 2.0 / 4194304.0; // from a mixed gain to twice the gain
const TILE = 8u; // px
const ONE = 512.0; // a depth unit of a mean
const FRAMES_BITS = 14u; // shift of a mixed gain to an index from 0 to 256

const WORDS = 16u; // of a workgroup's row
const ROWS = 16u;
const ACROSS = 6u; // tiles, those around included
const DOWN = 4u;
const STEPS = 16u; // from a tile's centre to the next, two for a pixel
const FROM_CENTRE = 9u; // from the centre of the tile above and left of the workgroup to its first pixel

struct Tables {
  weights: array<f32, 65>, // by 1/16 of the pixels in an area: 1 / √(1024 pixels)
  answers: array<f32, 1025>, // by |m| or |trend| in 1/256 of a sigma: g, a whole number of 1/16384
  frames: array<f32, 257>, // by 256 g: the most frames then counted in the mean
  gains: array<f32, 64>, // by count: twice max(1 / (count + 1), least)
  spans: array<f32, 65536>, // by depth: from a mixed offset to 1/512 of a unit
}

@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read> carried: array<vec2u>; // one entry per word of depth: what was seen of its two pixels
@group(0) @binding(2) var<storage, read_write> after: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> filtered: array<u32>;
@group(0) @binding(4) var<storage, read> sums: array<i32>; // of each tile's marks
@group(0) @binding(5) var<storage, read> trends: array<i32>;
@group(0) @binding(6) var<storage, read_write> trended: array<i32>;
@group(0) @binding(7) var<storage, read> tables: Tables;
@group(0) @binding(8) var<uniform> continues: u32; // 0: there is no memory

var<workgroup> tiles: array<vec2f, ACROSS * DOWN>; // of each tile its gain and its offset, whole numbers

@compute @workgroup_size(WORDS, ROWS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  let word = vec2u(group.x * WORDS + id.x, group.y * ROWS + id.y);
  let isInside = word.x < ROW && word.y < HEIGHT;
  let at = select(0u, word.y * ROW + word.x, isInside);
  let two = depth[at];
  let seen = carried[at];
  if (lane < ACROSS * DOWN) { tiles[lane] = answer(vec2i(group.xy * vec2u(ACROSS - 2u, DOWN - 2u)), vec2u(lane % ACROSS, lane / ACROSS)); }
  workgroupBarrier();
  if (!isInside) { return; }
  let y = 2u * id.y + FROM_CENTRE;
  let x = 4u * id.x + FROM_CENTRE;
  let left = next(two & 0xffffu, seen.x, mixedAt(x, y));
  let right = next(two >> 16u, seen.y, mixedAt(x + 2u, y));
  let now = vec2u(left, right);
  after[at] = now;
  let shown = (now >> vec2u(MEAN_SHIFT + FRACTION_BITS)) + (now & vec2u(1u));
  let isValid = vec2u(two & 0xffffu, two >> 16u) != vec2u();
  filtered[at] = dot(select(vec2u(), shown, isValid), vec2u(1u, 0x10000u));
}

// The gain and the offset of a tile, `place` counted from the one above and left of the workgroup's first. Outermost gains are repeated
// outside the frame.
fn answer(first: vec2i, place: vec2u) -> vec2f {
  let size = vec2i(i32(ROW / 4u), i32((HEIGHT + TILE - 1u) / TILE));
  let wanted = first + vec2i(place) - vec2i(1);
  let tile = clamp(wanted, vec2i(), size - vec2i(1));
  var total = 0;
  for (var i = 0u; i < 9u; i++) {
    let step = vec2i(i32(i % 3u), i32(i / 3u)) - vec2i(1);
    let there = tile + step;
    let isInside = all(there >= vec2i()) && all(there < size);
    let weight = (2 - abs(step.x)) * (2 - abs(step.y));
    total += select(0, weight * sums[select(0, there.y * size.x + there.x, isInside)], isInside);
  }
  let at = tile.y * size.x + tile.x;
  let change = i32(f32(total >> MARK_BITS) * tables.weights[(total & PIXELS_MASK) >> PIXELS_BITS]);
  let was = select(0, trends[at], continues == 1u);
  let trend = was - (was >> FADE_BITS) + change;
  let isOwn = place.x > 0u && place.x < ACROSS - 1u && place.y > 0u && place.y < DOWN - 1u;
  if (isOwn && all(tile == wanted)) { trended[at] = trend; }
  // In floats, since NVIDIA's compiler (580) does not always find the larger magnitude of two integers.
  let felt = max(abs(f32(change)), abs(f32(trend)));
  let gain = tables.answers[u32(min(felt, JUMP))];
  let least = trunc(WHOLE / 2.0 * tables.gains[MOST]);
  return vec2f(gain, f32((change * i32(WHOLE - max(gain, least))) >> WHOLE_BITS));
}

// Gain and offset at a place, 256 times as large, from those of the four tiles around.
fn mixedAt(x: u32, y: u32) -> vec2f {
  let at = (y / STEPS) * ACROSS + x / STEPS;
  let part = vec2f(f32(x % STEPS), f32(y % STEPS));
  let rest = f32(STEPS) - part;
  let above = rest.x * tiles[at] + part.x * tiles[at + 1u];
  let below = rest.x * tiles[at + ACROSS] + part.x * tiles[at + ACROSS + 1u];
  return rest.y * above + part.y * below;
}

// No branch, so that neither of two pixels waits for the other.
fn next(z: u32, seen: u32, mixed: vec2f) -> u32 {
  return select(followed(z, seen, mixed.x), begun(z, mixed.y), seen == 0u);
}

// The memory of a pixel with a past.
fn followed(z: u32, seen: u32, mixed: f32) -> u32 {
  let isHole = z == 0u;
  let counted = (seen >> 1u) & MOST;
  let gain = max(tables.gains[counted], mixed * TWICE);
  let was = seen >> MEAN_SHIFT;
  let difference = select(clamp(i32(z << FRACTION_BITS) - i32(was), -FARTHEST, FARTHEST), 0, isHole);
  let mean = i32(was) + ((i32(floor(f32(difference) * gain)) + 1) >> 1u);
  let most = u32(tables.frames[u32(mixed) >> FRAMES_BITS]);
  let count = min(counted + select(1u, 0u, isHole), most);
  let held = (was >> FRACTION_BITS) + (seen & 1u);
  let nearest = u32(mean + i32(ONE) / 2) >> FRACTION_BITS;
  let near = select(nearest, held, abs(mean - i32(held << FRACTION_BITS)) <= HELD);
  let word = (u32(mean) << MEAN_SHIFT) | (count << 1u) | (near - (u32(mean) >> FRACTION_BITS));
  return select(word, 0u, isHole && most == 1u);
}

// The memory of a pixel without a past.
fn begun(z: u32, mixed: f32) -> u32 {
  let first = u32(min(i32(z << FRACTION_BITS) - i32(floor(mixed * tables.spans[z])), MOST_MEAN));
  let up = ((first + u32(ONE) / 2u) >> FRACTION_BITS) - (first >> FRACTION_BITS);
  return select((first << MEAN_SHIFT) | 2u | up, 0u, z == 0u);
}
