// The deviation from the mean over the mean size of the deviations around, 13 × 13 pixels: the same in bright and in dark places, and for
// any exposure. One invocation is one pixel of one image.
override WIDTH: u32;
override HEIGHT: u32;

const AROUND = 6i;
const PIXELS = 169i;
const FLOOR = 21i;
const MOST_CONTRAST = 511i;

@group(0) @binding(0) var<storage, read> deviations: array<i32>;
@group(0) @binding(1) var<storage, read_write> contrasts: array<i32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= WIDTH || id.y >= HEIGHT) { return; }
  let top = id.z * HEIGHT;
  var sum = 0i;
  for (var i = 0u; i < 169u; i++) {
    let at = vec2i(id.xy) + vec2i(vec2u(i % 13u, i / 13u)) - vec2i(AROUND);
    let inside = vec2u(clamp(at, vec2i(), vec2i(vec2u(WIDTH, HEIGHT)) - 1));
    sum += abs(deviations[(top + inside.y) * WIDTH + inside.x]);
  }
  let at = (top + id.y) * WIDTH + id.x;
  contrasts[at] = clamp(deviations[at] * 128 / (sum / PIXELS + FLOOR), -MOST_CONTRAST, MOST_CONTRAST);
}
