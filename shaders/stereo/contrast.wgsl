// #import "./box.wgsl"
// Kernel 2 (pipeline/README.md). An invocation: one pixel of one image. A workgroup: 16 × 16 pixels. It leaves: contrast, alike at any
// exposure.
// The deviation from the mean over the mean size of the deviations around, 13 × 13 pixels: the same in bright and in dark places, and for
// any exposure.
override WIDTH: u32;
override HEIGHT: u32;

const FLOOR = 21i;
const MOST_CONTRAST = 511i;

@group(0) @binding(0) var<storage, read> deviations: array<i32>;
@group(0) @binding(1) var<storage, read_write> contrasts: array<i32>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let corner = vec2i(id.xy - local.xy) - vec2i(vec2u(AROUND));
  let last = vec2i(vec2u(WIDTH, HEIGHT)) - 1;
  for (var i = local.y * TILE + local.x; i < WIDE * WIDE; i += WORKGROUP) {
    let inside = vec2u(clamp(corner + vec2i(vec2u(i % WIDE, i / WIDE)), vec2i(), last));
    tile[i] = abs(deviations[(id.z * HEIGHT + inside.y) * WIDTH + inside.x]);
  }
  let sum = boxSums(local.xy);
  if (id.x >= WIDTH || id.y >= HEIGHT) { return; }
  let at = (id.z * HEIGHT + id.y) * WIDTH + id.x;
  contrasts[at] = clamp(deviations[at] * 128 / (sum / PIXELS + FLOOR), -MOST_CONTRAST, MOST_CONTRAST);
}
