// Kernel 8 (pipeline/README.md). An invocation: one pixel. A workgroup: 16 × 16 pixels. It leaves: each pixel's sub-pixel step, and arms.
// Writes what each pixel adds to the sums over its surface (gather.wgsl). The first word is its weight, the square of its slope of
// brightness. The second is its weight times its disparity after a step, in coarse parts. The third says that the pixel counts, in the
// high half, and whether it is sure, in the low half. The step goes three quarters of the way to where the right image, between its
// pixels, would be like the left one (Lucas and Kanade 1981).
//
// The last word has the pixel's disparity, and in the high half how far its arms reach: right, left, down and up, three bits each. An arm
// ends before a pixel of another surface (Zhang, Lu and Lafruit 2009). Invalid pixels do not end an arm, and have no arms themselves. One
// invocation is one pixel.
override WIDTH: u32;
override HEIGHT: u32;

const PARTS = 256u;
const COARSE = 32u;
const SURE = 32768u;
const NOTHING = 32767u;
const ARM = 5u;
const REACH = 48u;

@group(0) @binding(0) var<storage, read> medians: array<u32>;
@group(0) @binding(1) var<storage, read> contrasts: array<i32>;
@group(0) @binding(2) var<storage, read_write> terms: array<vec4u>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= WIDTH || id.y >= HEIGHT) { return; }
  let at = id.y * WIDTH + id.x;
  let word = medians[at];
  let own = word & NOTHING;
  if (own == NOTHING) {
    terms[at] = vec4u();
    return;
  }
  // Left and up are steps that wrap around.
  let arms = armOf(own, at, 1u, WIDTH - 1u - id.x) | (armOf(own, at, 0u - 1u, id.x) << 3u)
    | (armOf(own, at, WIDTH, HEIGHT - 1u - id.y) << 6u) | (armOf(own, at, 0u - WIDTH, id.y) << 9u);
  let whole = own / COARSE;
  var slope = 0i;
  var away = 0i;
  if (id.x >= whole + 2u && id.x - whole + 1u < WIDTH) {
    let part = i32(own % COARSE * (PARTS / COARSE));
    let k = HEIGHT * WIDTH + at - whole;
    let pixels = vec4i(contrasts[k - 2u], contrasts[k - 1u], contrasts[k], contrasts[k + 1u]);
    let between = pixels.yzw + (((pixels.xyz - pixels.yzw) * part + 128) >> vec3u(8u));
    slope = between.z - between.x;
    away = between.y - (i32(word) >> 16u);
  }
  let weight = u32(slope * slope) >> 4u;
  terms[at] = vec4u(weight, weight * own + u32(3 * slope * away), 65536u + (word & SURE) / SURE, own | (arms << 16u));
}

fn armOf(own: u32, at: u32, step: u32, most: u32) -> u32 {
  var length = 0u;
  for (; length < min(ARM, most); length++) {
    let other = medians[at + (length + 1u) * step] & NOTHING;
    if (other != NOTHING && max(other, own) - min(other, own) >= REACH) { break; }
  }
  return length;
}
