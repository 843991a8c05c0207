// Depth of disparities in parts of a px. What a thing hides from the right camera gets the depth of what is behind: from where a surface
// ends in a row to where a nearer one begins, the right camera sees nothing of as many px as their disparities differ (Hirschmüller 2008,
// section 2.5). The surface's last pixels are drawn towards the thing, so that the least disparity of BACK of them is taken. One invocation
// is two pixels, a word.
override WIDTH: u32;
override HEIGHT: u32;
override STRIDE: u32;
override SCALE: u32; // the depth of a disparity of one part
override SHIFT: i32; // is added to disparities before, in parts

const PARTS = 256u;
const HIDDEN = 64u;
const STEP = 384u;
const BACK = 8u;

@group(0) @binding(0) var<storage, read> parts: array<u32>;
@group(0) @binding(1) var<storage, read_write> depth: array<u32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (2u * id.x >= STRIDE || id.y >= HEIGHT) { return; }
  depth[id.y * (STRIDE / 2u) + id.x] = depthAt(2u * id.x, id.y * WIDTH) | (depthAt(2u * id.x + 1u, id.y * WIDTH) << 16u);
}

fn depthAt(x: u32, row: u32) -> u32 {
  if (x >= WIDTH) { return 0u; }
  var own = parts[row + x];
  if (own == 0u) { own = behind(x, row); }
  let shifted = i32(own) + SHIFT;
  if (own == 0u || shifted <= 0) { return 0u; }
  let z = (SCALE + u32(shifted) / 2u) / u32(shifted);
  return select(z, 0u, z > 65535u);
}

// The disparity of what is behind the thing right of an invalid pixel, 0 if no thing hides the pixel. `left` is one more than the surface's
// last pixel.
fn behind(x: u32, row: u32) -> u32 {
  var left = x;
  while (left > 0u && x - left < HIDDEN && parts[row + left - 1u] == 0u) { left--; }
  var right = x;
  while (right < WIDTH && right - x < HIDDEN && parts[row + right] == 0u) { right++; }
  if (left == 0u || right >= WIDTH || right - left >= HIDDEN) { return 0u; }
  var least = parts[row + left - 1u];
  var last = least;
  for (var i = 2u; i <= min(BACK, left); i++) {
    let other = parts[row + left - i];
    if (other == 0u || max(other, last) - min(other, last) >= STEP) { break; }
    least = min(least, other);
    last = other;
  }
  let thing = parts[row + right];
  return select(0u, least, thing >= least + STEP && (right - left) * PARTS <= thing - least);
}
