// Makes one pixel of each block of FACTOR × FACTOR: the median of its valid pixels (the lower of two), or their mean, rounded.
// A block without a valid pixel is invalid. What is left over at the right and the bottom is left out.
//
// The median is found bit by bit, from the highest: the largest depth that no more of the block's pixels lie below than its rank
// allows. So nothing is sorted, nothing is kept, and any size of block is the same code.
//
// One invocation makes a word: two pixels, or the padding of a row.
override FACTOR: u32;
override MEAN: u32; // 1: the mean
override FROM: u32; // words in a row of what is read
override TO: u32; // words in a row of what is left
override WIDTH: u32;
override HEIGHT: u32;

@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read_write> smaller: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= TO || id.y >= HEIGHT) { return; }
  smaller[id.y * TO + id.x] = pixelOf(2u * id.x, id.y) | (pixelOf(2u * id.x + 1u, id.y) << 16u);
}

fn pixelOf(x: u32, y: u32) -> u32 {
  if (x >= WIDTH) { return 0u; }
  let corner = FACTOR * vec2u(x, y);
  var count = 0u;
  var sum = 0u;
  for (var v = 0u; v < FACTOR; v++) {
    for (var u = 0u; u < FACTOR; u++) {
      let z = at(corner + vec2u(u, v));
      count += select(0u, 1u, z != 0u);
      sum += z;
    }
  }
  if (count == 0u) { return 0u; }
  if (MEAN == 1u) { return (2u * sum + count) / (2u * count); }
  // Invalid pixels lie below all others, and count in the rank.
  let rank = FACTOR * FACTOR - count + (count - 1u) / 2u;
  var median = 0u;
  for (var bit = 0x8000u; bit > 0u; bit >>= 1u) {
    if (below(corner, median | bit) <= rank) { median |= bit; }
  }
  return median;
}

fn below(corner: vec2u, bound: u32) -> u32 {
  var count = 0u;
  for (var v = 0u; v < FACTOR; v++) {
    for (var u = 0u; u < FACTOR; u++) { count += select(0u, 1u, at(corner + vec2u(u, v)) < bound); }
  }
  return count;
}

fn at(place: vec2u) -> u32 {
  return (depth[place.y * FROM + place.x / 2u] >> (16u * (place.x & 1u))) & 0xffffu;
}
