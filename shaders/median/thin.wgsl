// Part of size3 and size5: what both read and write, and the lines one pixel wide and the corners that the median must not take away.
//
// A line is a minority in each of its windows, so its median is what lies behind it. Where the median is more than a step (1/32 of the
// depth) away, a pixel keeps its own depth if it belongs to a line or is a corner:
//
//     · z ·    · z ·    z · ·      of its eight neighbours two or three are within a step, and two of these lie opposite each other, or
//     · z ·    · z ·    · z ·      next to opposite; of the others at least four are valid, and all of them are nearer, or all farther
//     · z ·    · · z    · · z      (between two surfaces hang lines of mixed pixels). A line's end has one neighbour, which has two.
//
//     · · ·      The corner of a thing or hole that is a few pixels wide is a minority, too: three such neighbours lie in a row round it.
//     · z z      It stays where the window is 3 × 3: the 5 × 5 window takes the sides of such things as well, and would leave lone dots.
//     · z z
//
// Few pixels are that far off, so these are looked at one by one.
override ROW_VECTORS: u32;
override HEIGHT: u32;
override CORNERS: bool; // whether corners stay, too

const THIN_BITS = 5u;
// The eight neighbours, clockwise: two bits each, 0 for -1, 1 for 0, 2 for 1.
const AROUND_X = 0x06a4u;
const AROUND_Y = 0x6a40u;
const NEARER = 0x100u;
const FARTHER = 0x1000u;
const OTHERS = 4u;

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> filtered: array<vec4u>;

// Packs eight medians. `at` is their place, in vectors and rows.
fn keepThin(evens: vec4i, odds: vec4i, ownEvens: vec4i, ownOdds: vec4i, at: vec2u) -> vec4u {
  var words = bitcast<vec4u>(evens | (odds << vec4u(16u)));
  let farEvens = abs(evens - ownEvens) > (ownEvens >> vec4u(THIN_BITS));
  let farOdds = abs(odds - ownOdds) > (ownOdds >> vec4u(THIN_BITS));
  if (!any(farEvens | farOdds)) { return words; }
  let bits = vec4u(1u, 4u, 16u, 64u);
  let far = dot(select(vec4u(), bits, farEvens), vec4u(1u)) | dot(select(vec4u(), bits, farOdds), vec4u(2u));
  // The loop goes over far pixels, not over places, so that the invocations of a subgroup look at their far pixels together.
  for (var left = far; left != 0u; left &= left - 1u) {
    let i = firstTrailingBit(left);
    if (!isThin(at.x * 8u + i, at.y)) { continue; }
    let mask = select(vec4u(), vec4u(0xffffu << ((i & 1u) * 16u)), vec4u(0u, 1u, 2u, 3u) == vec4u(i >> 1u));
    words = (words & ~mask) | (depth[at.y * ROW_VECTORS + at.x] & mask);
  }
  return words;
}

fn isThin(x: u32, y: u32) -> bool {
  let seen = around(x, y);
  if (countOneBits(seen & 255u) != 1u) { return isLine(seen, CORNERS); }
  // The end of a line has one neighbour, which is part of it.
  let to = firstTrailingBit(seen & 255u);
  let next = around(x + offset(AROUND_X, to), y + offset(AROUND_Y, to));
  return countOneBits(next & 255u) == 2u && isLine(next, false);
}

// A bit for each neighbour with the depth of pixel (x, y), clockwise, and how many of the others are nearer and farther.
fn around(x: u32, y: u32) -> u32 {
  let z = pixelAt(x, y);
  let step = z >> THIN_BITS;
  var seen = 0u;
  for (var i = 0u; i < 8u; i++) {
    let other = pixelAt(x + offset(AROUND_X, i), y + offset(AROUND_Y, i));
    let isAlike = max(other, z) - min(other, z) <= step;
    let mark = select(select(FARTHER, NEARER, other < z), 1u << i, isAlike);
    seen += select(mark, 0u, other == 0u);
  }
  return seen;
}

// Outside the image all is invalid. Coordinates below 0 wrap around to large numbers, which are outside too.
fn pixelAt(x: u32, y: u32) -> u32 {
  let isInside = x < ROW_VECTORS * 8u && y < HEIGHT;
  let word = depth[select(0u, y * ROW_VECTORS + (x >> 3u), isInside)][(x >> 1u) & 3u];
  return select(0u, (word >> ((x & 1u) * 16u)) & 0xffffu, isInside);
}

// Two bits of a table, as -1, 0 or 1.
fn offset(table: u32, i: u32) -> u32 { return ((table >> (2u * i)) & 3u) - 1u; }

fn isLine(seen: u32, corners: bool) -> bool {
  let alike = seen & 255u;
  let turned = alike | (alike << 8u);
  let isOpposite = (alike & ((turned >> 3u) | (turned >> 4u) | (turned >> 5u))) != 0u;
  let isCorner = corners && (alike & (turned >> 1u) & (turned >> 2u)) != 0u;
  let nearer = (seen >> 8u) & 15u;
  let farther = seen >> 12u;
  return (isOpposite || isCorner) && countOneBits(alike) <= 3u && min(nearer, farther) == 0u && max(nearer, farther) >= OTHERS;
}
