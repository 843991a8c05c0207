// Kernel 2 (pipeline/README.md). An invocation: one pixel. A workgroup: 8 × 8 pixels. It leaves: undistorted colour.
// Colour without lens distortion: each pixel interpolates the four pixels around its place in the distorted image. Pixels without colour
// (alpha 0) have no weight.
override WIDTH: u32;
override HEIGHT: u32;
override WORDS: u32; // per row, one per pixel

// For each pixel and a row's padding: x, y from the upper left corner, in 1/256 of a pixel.
@group(0) @binding(0) var<storage, read> places: array<vec2u>;
@group(0) @binding(1) var<storage, read> color: array<u32>;
@group(0) @binding(2) var<storage, read_write> straight: array<u32>;

const OUTSIDE = 0xffffffffu; // in a row's padding as well
const PARTS_BITS = 8u;
const PARTS = 256u;
const HALF = 128;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= WORDS || id.y >= HEIGHT) { return; }
  straight[id.y * WORDS + id.x] = pixelOf(id.xy);
}

fn pixelOf(pixel: vec2u) -> u32 {
  let place = places[pixel.y * WORDS + pixel.x];
  if (place.x == OUTSIDE) { return 0u; }
  // The place lies between the centres of four pixels; `corner` is the upper left one.
  let corner = vec2i(place) - HALF;
  let part = vec2u(corner) & vec2u(PARTS - 1u);
  var sum = vec4u();
  var total = 0u;
  for (var i = 0u; i < 4u; i++) {
    let step = vec2u(i & 1u, i >> 1u);
    let at = vec2u(clamp((corner >> vec2u(PARTS_BITS)) + vec2i(step), vec2i(0), vec2i(i32(WIDTH) - 1, i32(HEIGHT) - 1)));
    let texel = (vec4u(color[at.y * WORDS + at.x]) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(0xffu);
    let near = select(PARTS - part, part, step == vec2u(1u));
    let weight = select(near.x * near.y, 0u, texel.w == 0u);
    sum += weight * texel;
    total += weight;
  }
  if (total == 0u) { return 0u; }
  let mean = (2u * sum + vec4u(total)) / vec4u(2u * total);
  return mean.x | (mean.y << 8u) | (mean.z << 16u) | (mean.w << 24u);
}
