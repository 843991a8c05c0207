// One invocation does one word of depth: two neighbouring pixels, the left one in the low half.

override WIDTH: i32;
override HEIGHT: i32;
/// Words in a row.
override STRIDE: u32;

struct Area {
  margin: i32,
  circle: u32,
}

@group(0) @binding(0) var<uniform> area: Area;
@group(0) @binding(1) var<storage, read> depth: array<u32>;
@group(0) @binding(2) var<storage, read_write> cropped: array<u32>;

fn isInside(x: i32, y: i32) -> bool {
  let size = vec2i(WIDTH, HEIGHT);
  let at = vec2i(x, y);
  if (area.circle == 0u) {
    return all(at >= vec2i(area.margin)) && all(at < size - area.margin);
  }
  // Twice the distance to the centre, which lies between pixels, is a whole number.
  let off = 2 * at + 1 - size;
  let diameter = min(WIDTH, HEIGHT) - 2 * area.margin;
  return diameter > 0 && dot(off, off) <= diameter * diameter;
}

@compute @workgroup_size(16, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= STRIDE || id.y >= u32(HEIGHT)) {
    return;
  }
  let i = id.y * STRIDE + id.x;
  let x = 2 * i32(id.x);
  let y = i32(id.y);
  let left = select(0u, 0x0000ffffu, isInside(x, y));
  let right = select(0u, 0xffff0000u, isInside(x + 1, y));
  cropped[i] = depth[i] & (left | right);
}
