// #import "./grey.wgsl"
// #import "./box.wgsl"
// Kernel 1 (pipeline/README.md). An invocation: one pixel of one image. A workgroup: 16 × 16 pixels. It leaves: 62 comparisons, deviation
// from the mean.
// The census of both images (Zabih and Woodfill 1994): for each of the 62 pixels around a pixel, 9 × 7, whether it is darker than the pixel
// in the middle; two words of 31 bits, by rows. Comparisons do not change with exposure. Pixels outside the image are the nearest inside.
//
// The kernel also writes each pixel's brightness less the mean of 13 × 13 pixels, from which contrast.wgsl goes on. One invocation is one
// pixel of one image; the right image's results lie behind the left one's.

@group(0) @binding(2) var<storage, read_write> codes: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> deviations: array<i32>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let corner = vec2i(id.xy - local.xy) - vec2i(vec2u(AROUND));
  for (var i = local.y * TILE + local.x; i < WIDE * WIDE; i += WORKGROUP) {
    tile[i] = i32(greyAt(corner + vec2i(vec2u(i % WIDE, i / WIDE)), id.z));
  }
  let sum = boxSums(local.xy);
  if (id.x >= WIDTH || id.y >= HEIGHT) { return; }
  let middle = (local.y + AROUND) * WIDE + local.x + AROUND;
  let own = tile[middle];
  let at = (id.z * HEIGHT + id.y) * WIDTH + id.x;
  codes[at] = census(middle, own);
  deviations[at] = (own * PIXELS - sum) >> 3u;
}

fn census(middle: u32, own: i32) -> vec2u {
  var words = vec2u();
  // The 31 pixels before the pixel itself, and the 31 behind it.
  for (var bit = 0u; bit < 31u; bit++) {
    let before = middle - 3u * WIDE - 4u + bit / 9u * WIDE + bit % 9u;
    let behind = middle - 3u * WIDE - 4u + (bit + 32u) / 9u * WIDE + (bit + 32u) % 9u;
    words.x |= select(0u, 1u, tile[before] < own) << bit;
    words.y |= select(0u, 1u, tile[behind] < own) << bit;
  }
  return words;
}
