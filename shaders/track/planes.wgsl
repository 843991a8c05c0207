// The keyframe: for each pixel of all levels the plane through it, as unit normal (away from the camera) and depth (0: no plane). Does
// nothing unless the frame before is the new keyframe. In the image a plane's inverse depth is linear, a·x + b·y + c; a and b are mean
// slopes over pairs of pixels on opposite sides, in the pixel's own row (column) and the two beside it. An invocation has one pixel.
override PIXELS: u32; // of all levels

const LANES = 256u;
const SURFACE = 0.03;
const STEEPEST = 0.15;
const NO_SLOPE = 1e30;


@group(0) @binding(0) var<storage, read> before: Known;
@group(0) @binding(1) var<storage, read> pyramid: array<f32>; // of the frame before
@group(0) @binding(2) var<storage, read_write> planes: array<vec4f>;
@group(0) @binding(3) var<uniform> shape: Shape;

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (before.isKey == 0u || i >= PIXELS) { return; }
  var number = 0u;
  if (i >= shape.levels[1].first) { number = 1u; }
  if (i >= shape.levels[2].first) { number = 2u; }
  let level = shape.levels[number];
  let reach = select(2, 3, number == 0u);
  let at = vec2i(vec2u((i - level.first) % level.width, (i - level.first) / level.width));
  planes[i] = planeAt(level, at, pyramid[i], reach);
}

fn planeAt(level: Level, at: vec2i, z: f32, reach: i32) -> vec4f {
  let w = 1.0 / select(z, 1.0, z == 0.0);
  let a = slope(level, at, vec2i(1, 0), w, reach);
  let b = slope(level, at, vec2i(0, 1), w, reach);
  if (z == 0.0 || a == NO_SLOPE || b == NO_SLOPE) { return vec4f(); }
  let ray = (vec2f(at) - vec2f(level.cx, level.cy)) / vec2f(level.fx, level.fy);
  let across = vec2f(a, b) * vec2f(level.fx, level.fy);
  let normal = vec3f(across, w - dot(across, ray));
  let size = length(normal);
  let isSeen = w > STEEPEST * size * length(vec3f(ray, 1.0));
  return select(vec4f(), vec4f(normal / size, z), isSeen);
}

fn slope(level: Level, at: vec2i, along: vec2i, w: f32, reach: i32) -> f32 {
  let size = vec2i(vec2u(level.width, level.height));
  let across = along.yx;
  let step = along.y * size.x + along.x;
  var sum = 0.0;
  var count = 0.0;
  for (var beside = 0u; beside < 3u; beside++) {
    if (beside == 1u && count == 0.0) { return NO_SLOPE; }
    let centre = at + across * (i32(beside) - select(0, 3, beside == 2u));
    if (any(centre < vec2i()) || any(centre >= size)) { continue; }
    let i = i32(level.first) + centre.y * size.x + centre.x;
    for (var k = 1; k <= reach; k++) {
      if (any(centre - k * along < vec2i()) || any(centre + k * along >= size)) { break; }
      let after = pyramid[i + k * step];
      let under = pyramid[i - k * step];
      if (after == 0.0 || under == 0.0) { continue; }
      let pair = vec2f(1.0 / after, 1.0 / under);
      if (any(abs(pair - w) >= vec2f(SURFACE * f32(k) * w))) { continue; }
      sum += (pair.x - pair.y) * f32(k);
      count += 2.0 * f32(k * k);
    }
  }
  return select(NO_SLOPE, sum / max(count, 1.0), count > 0.0);
}
