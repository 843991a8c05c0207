// Kernel 1 (pipeline/README.md). An invocation: two words of depth: 4 pixels. A workgroup: 128 × 4 pixels. It leaves: undistorted depth.
// Depth without lens distortion: each pixel takes the depth of the distorted image's pixel in which its ray falls. Depths are not
// interpolated, so that none appears between the two sides of an edge, and invalid pixels stay invalid.
//
//   straight    · · · · ·       each looks up its place      bent    ·  · · ·  ·
//               · · x · ·      ──────────────────────────▶           · ·(x)· · ·
//               · · · · ·       (one table per lens)                 ·  · · ·  ·
//
// One invocation writes two words, two pixels each, that lie a tile's width apart: places of neighbours lie side by side, and half as many
// workgroups have to start.
override HEIGHT: u32;
override WORDS: u32; // per row

// For each pixel: x, y from the upper left corner, in 1/256 of a pixel. A vector has those of a word's two pixels.
@group(0) @binding(0) var<storage, read> places: array<vec4u>;
@group(0) @binding(1) var<storage, read> depth: array<u32>;
@group(0) @binding(2) var<storage, read_write> straight: array<u32>;

const OUTSIDE = 0xffffffffu; // in a row's padding as well
const ACROSS = 32u;
const DOWN = 4u;

@compute @workgroup_size(ACROSS, DOWN)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) own: vec3u) {
  let word = vec2u(2u * ACROSS, DOWN) * group.xy + own.xy;
  if (word.x >= WORDS || word.y >= HEIGHT) { return; }
  let first = word.y * WORDS + word.x;
  // Where the row ends before the second word, the first one is written again.
  let second = first + select(0u, ACROSS, word.x + ACROSS < WORDS);
  let two = array(places[first], places[second]);
  let left = wordOf(two[0]);
  let right = wordOf(two[1]);
  straight[first] = left;
  straight[second] = right;
}

fn wordOf(two: vec4u) -> u32 {
  return pixelAt(two.xy) | (pixelAt(two.zw) << 16u);
}

// No branch, so that the pixels' loads do not wait for each other.
fn pixelAt(place: vec2u) -> u32 {
  let isOutside = place.x == OUTSIDE;
  let own = select(place >> vec2u(8u), vec2u(), isOutside);
  return select((depth[own.y * WORDS + own.x / 2u] >> (16u * (own.x & 1u))) & 0xffffu, 0u, isOutside);
}
