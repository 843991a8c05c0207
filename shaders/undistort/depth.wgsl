// Depth without lens distortion: each pixel takes the depth of the distorted image's pixel in which its ray falls. Depths are not
// interpolated, so that none appears between the two sides of an edge, and invalid pixels stay invalid.
//
//   straight    · · · · ·       each looks up its place      bent    ·  · · ·  ·
//               · · x · ·      ──────────────────────────▶           · ·(x)· · ·
//               · · · · ·       (one table per lens)                 ·  · · ·  ·
//
// One invocation writes one word: two pixels, or a row's padding.
override WIDTH: u32;
override HEIGHT: u32;
override WORDS: u32; // per row

// For each pixel: x, y from the upper left corner, in 1/256 of a pixel.
@group(0) @binding(0) var<storage, read> places: array<vec2u>;
@group(0) @binding(1) var<storage, read> depth: array<u32>;
@group(0) @binding(2) var<storage, read_write> straight: array<u32>;

const OUTSIDE = 0xffffffffu;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= WORDS || id.y >= HEIGHT) { return; }
  straight[id.y * WORDS + id.x] = pixelOf(2u * id.x, id.y) | (pixelOf(2u * id.x + 1u, id.y) << 16u);
}

fn pixelOf(x: u32, y: u32) -> u32 {
  if (x >= WIDTH) { return 0u; }
  let place = places[y * WIDTH + x];
  if (place.x == OUTSIDE) { return 0u; }
  let at = place >> vec2u(8u);
  return (depth[at.y * WORDS + at.x / 2u] >> (16u * (at.x & 1u))) & 0xffffu;
}
