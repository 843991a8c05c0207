// Kernel 1 (pipeline/README.md). An invocation: one word of the output: 2 pixels. A workgroup: 16 × 8 pixels. It leaves: fewer pixels.
// Replaces each block of FACTOR × FACTOR pixels by the median of its valid pixels (the lower of two), or by their mean, rounded. A block
// without valid pixels becomes invalid. Pixels at the right and the bottom that fill no block are dropped.
//
// The median is the largest value that has at most `rank` pixels of the block below it. The search halves the span between the block's
// smallest and largest valid depth, which is short on a surface. The search needs no sorting and no memory, and serves all block sizes.
override FACTOR: u32;
override MEAN: u32; // 1: write the mean
override FROM: u32; // words per row of the input
override TO: u32; // words per row of the output
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
  var low = 0xffffu;
  var high = 0u;
  for (var v = 0u; v < FACTOR; v++) {
    for (var u = 0u; u < FACTOR; u++) {
      let z = at(corner + vec2u(u, v));
      if (z == 0u) { continue; }
      count++;
      sum += z;
      low = min(low, z);
      high = max(high, z);
    }
  }
  if (count == 0u) { return 0u; }
  if (MEAN == 1u) { return (2u * sum + count) / (2u * count); }
  // Invalid pixels (0) lie below all others and count in the rank.
  let rank = FACTOR * FACTOR - count + (count - 1u) / 2u;
  while (low < high) {
    let middle = (low + high + 1u) / 2u;
    if (below(corner, middle) <= rank) { low = middle; } else { high = middle - 1u; }
  }
  return low;
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
