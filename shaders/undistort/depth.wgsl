// Depth without lens distortion: each pixel takes the depth of the distorted image's pixel in which its ray falls. Depths are not
// interpolated, so that none appears between the two sides of an edge, and invalid pixels stay invalid.
//
//   straight    · · · · ·       each looks up its place      bent    ·  · · ·  ·
//               · · x · ·      ──────────────────────────▶           · ·(x)· · ·
//               · · · · ·       (one table per lens)                 ·  · · ·  ·
//
// One invocation writes one word, two pixels, whose places it reads at once.
override HEIGHT: u32;
override WORDS: u32; // per row

// For each pixel: x, y from the upper left corner, in 1/256 of a pixel. A vector has those of a word's two pixels.
@group(0) @binding(0) var<storage, read> places: array<vec4u>;
@group(0) @binding(1) var<storage, read> depth: array<u32>;
@group(0) @binding(2) var<storage, read_write> straight: array<u32>;

const OUTSIDE = 0xffffffffu; // in a row's padding as well

@compute @workgroup_size(32, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= WORDS || id.y >= HEIGHT) { return; }
  let at = id.y * WORDS + id.x;
  let two = places[at];
  straight[at] = pixelAt(two.xy) | (pixelAt(two.zw) << 16u);
}

// No branch, so that the two pixels' loads do not wait for each other.
fn pixelAt(place: vec2u) -> u32 {
  let isOutside = place.x == OUTSIDE;
  let own = select(place >> vec2u(8u), vec2u(), isOutside);
  return select((depth[own.y * WORDS + own.x / 2u] >> (16u * (own.x & 1u))) & 0xffffu, 0u, isOutside);
}
