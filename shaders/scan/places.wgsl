// Part of the kernels of shaders/scan/: the places of a volume's bricks (scan/volume/bricks.ts is the twin).
//
// A brick's place, in bricks along each axis, is packed into one word, its key. A place whose coordinates exceed MOST_X, MOST_Y or
// MOST_Z in size has no key; keyOf then gives 0, which is no place's key. Bricks are found by their keys through a hash table with
// linear probing and 2^LOG2_SLOTS entries of two words: the key, and the brick's number plus 1. A brick that is numbered `counts.count`
// or more had no room: it does not exist.
override LOG2_SLOTS: u32 = 12u;
// Words of a brick in the pool: 256 of distances (i16, two to a word), 256 of weights (u16), and 512 of colours where the volume has any.
override BRICK_WORDS: u32 = 512u;

const EDGE = 8;
const MOST_X = 1023;
const MOST_Y = 511;
const MOST_Z = 1023;
// Longer probing is given up. Less than half of the entries are in use, but for the frame that fills the pool.
const PROBES = 1024u;

// What the kernels count: bricks; entries of the frame's list; whether some brick of this frame had no room, and whether some brick ever
// had none; the bricks before this frame; whether some place ever had no key; the workgroups for the list, one for each entry, in rows of
// GROUPS.
struct Counts { count: u32, listed: u32, isOver: u32, isFull: u32, before: u32, isBeyond: u32, groups: vec3u }
// The same for the kernels that count.
struct Counters {
  count: atomic<u32>, listed: atomic<u32>, isOver: atomic<u32>, isFull: u32, before: u32, isBeyond: atomic<u32>, groups: vec3u,
}
const GROUPS = 32768u;

fn keyOf(place: vec3i) -> u32 {
  let most = vec3i(MOST_X, MOST_Y, MOST_Z);
  if (any((place < -most) | (place > most))) { return 0u; }
  let steps = vec3u(place + most + 1);
  return steps.x | (steps.y << 11u) | (steps.z << 21u);
}

fn placeOf(key: u32) -> vec3i {
  return vec3i(vec3u(key & 2047u, (key >> 11u) & 1023u, key >> 21u)) - vec3i(MOST_X, MOST_Y, MOST_Z) - 1;
}

// The first entry in which a key may be (Knuth's multiplicative hash).
fn slotOf(key: u32) -> u32 { return (key * 2654435769u) >> (32u - LOG2_SLOTS); }

fn slotAfter(slot: u32) -> u32 { return (slot + 1u) & ((1u << LOG2_SLOTS) - 1u); }
