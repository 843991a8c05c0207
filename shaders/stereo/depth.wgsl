// Kernel 11 (pipeline/README.md). An invocation: one word of depth: 2 pixels. A workgroup: 256 pixels of a row, and 72 more on each side.
// It leaves: depth, also where a thing hides what is behind from the right camera. Depth of disparities in parts of a px. A pixel that a
// thing hides from the right camera gets the depth of the surface behind. Where a surface ends in a row and a nearer one begins, the right
// camera misses as many px as their disparities differ (Hirschmüller 2008, section 2.5). Matching draws a surface's last pixels towards the
// thing, so the least disparity of the last BACK pixels is taken.
override WIDTH: u32;
override STRIDE: u32;
override SCALE: u32; // the depth of a disparity of one part
override SHIFT: i32; // is added to disparities before, in parts

const PARTS = 256u;
const HIDDEN = 64u;
const STEP = 384u;
const BACK = 8u;
const MARGIN = HIDDEN + BACK;
const WORKGROUP = 128u;
const KEPT = 2u * (WORKGROUP + MARGIN);

@group(0) @binding(0) var<storage, read> parts: array<u32>;
@group(0) @binding(1) var<storage, read_write> depth: array<u32>;

var<workgroup> row: array<u32, KEPT>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let first = group.x * 2u * WORKGROUP;
  for (var i = lane; i < KEPT; i += WORKGROUP) {
    // Left of the image, numbers wrap around to large ones, which are outside too.
    let x = first + i - MARGIN;
    row[i] = 0u;
    if (x < WIDTH) { row[i] = parts[group.y * WIDTH + x]; }
  }
  workgroupBarrier();
  let word = first / 2u + lane;
  if (2u * word >= STRIDE) { return; }
  let at = MARGIN + 2u * lane;
  depth[group.y * (STRIDE / 2u) + word] = depthAt(at) | (depthAt(at + 1u) << 16u);
}

fn depthAt(at: u32) -> u32 {
  var own = row[at];
  if (own == 0u) { own = behind(at); }
  let shifted = i32(own) + SHIFT;
  if (own == 0u || shifted <= 0) { return 0u; }
  let z = (SCALE + u32(shifted) / 2u) / u32(shifted);
  return select(z, 0u, z > 65535u);
}

// The disparity of what is behind the thing right of an invalid pixel, 0 if no thing hides the pixel.
fn behind(at: u32) -> u32 {
  var left = at;
  while (row[left] == 0u && at - left < HIDDEN) { left--; }
  if (row[left] == 0u) { return 0u; }
  var right = at;
  while (row[right] == 0u && right - at < HIDDEN) { right++; }
  if (row[right] == 0u || right - left > HIDDEN) { return 0u; }
  var least = row[left];
  var last = least;
  for (var i = 1u; i < BACK; i++) {
    let other = row[left - i];
    if (other == 0u || max(other, last) - min(other, last) >= STEP) { break; }
    least = min(least, other);
    last = other;
  }
  return select(0u, least, row[right] >= least + STEP && (right - left - 1u) * PARTS <= row[right] - least);
}
