// The median of the valid disparities of 5 × 5 pixels; an invalid pixel stays so. Of an even number it is the higher of the middle two. One
// invocation is one pixel, and counts for each value how many come before it. The median's word gets the pixel's SURE bit, and its contrast
// in the left image for refine.wgsl, in the high half. NOTHING is no disparity.
override WIDTH: u32;
override HEIGHT: u32;

const SURE = 32768u;
const NOTHING = 32767u;

@group(0) @binding(0) var<storage, read> disparities: array<u32>;
@group(0) @binding(1) var<storage, read> contrasts: array<i32>;
@group(0) @binding(2) var<storage, read_write> medians: array<u32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= WIDTH || id.y >= HEIGHT) { return; }
  let at = id.y * WIDTH + id.x;
  let own = disparities[at];
  let contrast = u32(contrasts[at]) << 16u;
  if (own == 0u) {
    medians[at] = contrast | NOTHING;
    return;
  }
  var found: array<u32, 25>;
  var count = 0u;
  for (var i = 0u; i < 25u; i++) {
    // Left of the image and above it, numbers wrap around to large ones, which are outside too.
    let x = id.x + i % 5u - 2u;
    let y = id.y + i / 5u - 2u;
    found[i] = 0u;
    if (x < WIDTH && y < HEIGHT) { found[i] = disparities[y * WIDTH + x] % SURE; }
    count += select(0u, 1u, found[i] > 0u);
  }
  for (var i = 0u; i < 25u; i++) {
    var before = 0u;
    for (var k = 0u; k < 25u; k++) {
      let less = found[k] < found[i] || (found[k] == found[i] && k < i);
      before += select(0u, 1u, found[k] > 0u && less);
    }
    if (found[i] > 0u && before == count / 2u) { medians[at] = found[i] | (own & SURE) | contrast; }
  }
}
