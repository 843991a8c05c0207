// The census of both images (Zabih and Woodfill 1994): for each of the 62 pixels around a pixel, 9 × 7, whether that is darker; two words
// of 31 bits, by rows. Comparisons do not change with exposure. Pixels outside the image are the nearest inside.
//
// Beside it each pixel's brightness less the mean of 13 × 13 pixels, from which contrast.wgsl goes on. One invocation is one pixel of one
// image; the right image's results lie behind the left one's.
// #import "./grey.wgsl"

const AROUND = 6i;
const PIXELS = 169i;

@group(0) @binding(2) var<storage, read_write> codes: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> deviations: array<i32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= WIDTH || id.y >= HEIGHT) { return; }
  let own = grey(vec2i(id.xy), id.z);
  let at = (id.z * HEIGHT + id.y) * WIDTH + id.x;
  codes[at] = census(vec2i(id.xy), id.z, own);
  var sum = 0u;
  for (var i = 0u; i < 169u; i++) {
    sum += grey(vec2i(id.xy) + vec2i(vec2u(i % 13u, i / 13u)) - vec2i(AROUND), id.z);
  }
  deviations[at] = (i32(own) * PIXELS - i32(sum)) >> 3u;
}

fn census(at: vec2i, side: u32, own: u32) -> vec2u {
  var words = vec2u();
  // The 31 pixels before the own one, and those behind it.
  for (var bit = 0u; bit < 31u; bit++) {
    let before = vec2i(vec2u(bit % 9u, bit / 9u)) - vec2i(4, 3);
    let behind = vec2i(vec2u((bit + 32u) % 9u, (bit + 32u) / 9u)) - vec2i(4, 3);
    words.x |= select(0u, 1u, grey(at + before, side) < own) << bit;
    words.y |= select(0u, 1u, grey(at + behind, side) < own) << bit;
  }
  return words;
}
