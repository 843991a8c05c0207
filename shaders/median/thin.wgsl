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
// Few pixels are that far off, and they lie together along edges. So a workgroup lists them, and its invocations share them out.
override ROW_VECTORS: u32;
override HEIGHT: u32;
override CORNERS: bool; // whether corners stay, too
override ROWS: u32; // rows of eight pixels that an invocation writes
override WORKGROUP_X: u32 = 32u;
override WORKGROUP_Y: u32 = 4u;
override LANES: u32 = WORKGROUP_X * WORKGROUP_Y;
override PIXELS: u32 = LANES * ROWS * 8u;

const THIN_BITS = 5u;
// The eight neighbours, clockwise: two bits each, 0 for -1, 1 for 0, 2 for 1.
const AROUND_X = 0x06a4u;
const AROUND_Y = 0x6a40u;
const NEARER = 0x100u;
const FARTHER = 0x1000u;
const OTHERS = 4u;
const EVEN_BITS = vec4u(1u, 4u, 16u, 64u);

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> filtered: array<vec4u>;

// The far pixels of the workgroup: the invocation << 4 | the pixel's place among that invocation's.
var<workgroup> listed: atomic<u32>;
var<workgroup> list: array<u32, PIXELS>;
// By invocation: a bit for each pixel that stays.
var<workgroup> staying: array<atomic<u32>, LANES>;

// Eight pixels of a row, or their medians.
struct Eight { even: vec4i, odd: vec4i }

// A bit for each pixel that is more than a step from its median.
fn farOf(medians: Eight, own: Eight) -> u32 {
  let even = abs(medians.even - own.even) > (own.even >> vec4u(THIN_BITS));
  let odd = abs(medians.odd - own.odd) > (own.odd >> vec4u(THIN_BITS));
  return dot(select(vec4u(), EVEN_BITS, even), vec4u(1u)) | dot(select(vec4u(), 2u * EVEN_BITS, odd), vec4u(1u));
}

// Packs the medians of eight pixels, or the pixels' own depth where they stay.
fn packed(medians: Eight, own: Eight, stays: u32) -> vec4u {
  let even = select(medians.even, own.even, (vec4u(stays) & EVEN_BITS) != vec4u());
  let odd = select(medians.odd, own.odd, (vec4u(stays) & (2u * EVEN_BITS)) != vec4u());
  return bitcast<vec4u>(even | (odd << vec4u(16u)));
}

// Which of an invocation's far pixels stay. All invocations of the workgroup have to call this.
fn stayingOf(far: u32, lane: u32, group: vec2u) -> u32 {
  if (far != 0u) {
    var slot = atomicAdd(&listed, countOneBits(far));
    for (var left = far; left != 0u; left &= left - 1u) {
      list[slot] = (lane << 4u) | firstTrailingBit(left);
      slot++;
    }
  }
  workgroupBarrier();
  let count = atomicLoad(&listed);
  for (var i = lane; i < count; i += LANES) {
    let entry = list[i];
    let place = entry & 15u;
    let owner = entry >> 4u;
    let first = vec2u(owner % WORKGROUP_X, owner / WORKGROUP_X) + group * vec2u(WORKGROUP_X, WORKGROUP_Y);
    if (isThin(first.x * 8u + place % 8u, first.y * ROWS + place / 8u)) { atomicOr(&staying[owner], 1u << place); }
  }
  workgroupBarrier();
  return atomicLoad(&staying[lane]);
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
  let above = threeAt(x, y - 1u);
  let own = threeAt(x, y);
  let below = threeAt(x, y + 1u);
  return seenIn(own.y, vec4u(above, own.z), 0u) + seenIn(own.y, vec4u(below.zyx, own.x), 4u);
}

fn seenIn(z: u32, others: vec4u, first: u32) -> u32 {
  let isAlike = max(others, vec4u(z)) - min(others, vec4u(z)) <= vec4u(z >> THIN_BITS);
  let marks = select(select(vec4u(FARTHER), vec4u(NEARER), others < vec4u(z)), vec4u(1u, 2u, 4u, 8u) << vec4u(first), isAlike);
  return dot(select(marks, vec4u(), others == vec4u()), vec4u(1u));
}

// Three pixels side by side. Outside the image all is invalid. Coordinates below 0 wrap around to large numbers, which are outside too.
fn threeAt(x: u32, y: u32) -> vec3u {
  let column = vec3u(x - 1u, x, x + 1u);
  let isInside = (column < vec3u(ROW_VECTORS * 8u)) & vec3<bool>(y < HEIGHT);
  let at = select(vec3u(), y * ROW_VECTORS + (column >> vec3u(3u)), isInside);
  let part = (column >> vec3u(1u)) & vec3u(3u);
  let words = vec3u(depth[at.x][part.x], depth[at.y][part.y], depth[at.z][part.z]);
  return select(vec3u(), (words >> ((column & vec3u(1u)) * 16u)) & vec3u(0xffffu), isInside);
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
