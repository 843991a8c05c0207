// #import "../core/exact.wgsl"
// #import "./state.wgsl"
// Part of shrink.wgsl: the keyframe. For each pixel of the levels the plane through it, as its unit normal (away from the camera) and its
// depth, which is 0 where there is no plane. In the image a plane's inverse depth is linear, a·x + b·y + c; a and b are the mean slopes of
// pairs of pixels at both sides, in the pixel's own row (column) and the two beside it.
const SURFACE = 0.03; // pixels whose depths (inverse depths, per pixel of distance) differ by a larger share lie on two surfaces
const STEEPEST = 0.15;
const NO_SLOPE = 1e30;

@group(0) @binding(3) var<storage, read> earlier: array<f32>; // the pyramid of the frame before, which is the keyframe
@group(0) @binding(4) var<storage, read_write> planes: array<vec4f>;

// Writes the planes of the pixels at the places of the pixels that the invocation at `at` makes: 2 × 2 of level 0, one of level 1, and, by
// one of every 2 × 2 invocations, one of level 2.
fn leavePlanes(at: vec2u) {
  for (var i = 0u; i < 6u; i++) {
    let number = max(i, 3u) - 3u;
    let level = shape.levels[number];
    var place = at >> vec2u(number / 2u);
    if (number == 0u) { place = 2u * at + vec2u(i & 1u, i >> 1u); }
    if (number == 2u && any((at & vec2u(1u)) != vec2u())) { continue; }
    if (any(place >= vec2u(level.width, level.height))) { continue; }
    let own = level.first + place.y * level.width + place.x;
    planes[own] = planeAt(level, vec2i(place), earlier[own], select(2, 3, number == 0u));
  }
}

fn planeAt(level: Level, at: vec2i, z: f32, reach: i32) -> vec4f {
  let w = reciprocal(select(z, 1.0, z == 0.0));
  let a = slope(level, at, vec2i(1, 0), w, reach);
  let b = slope(level, at, vec2i(0, 1), w, reach);
  if (z == 0.0 || a == NO_SLOPE || b == NO_SLOPE) { return vec4f(); }
  let u = times(summed(f32(at.x) - level.cx), level.ix);
  let v = times(summed(f32(at.y) - level.cy), level.iy);
  let x = times(a, level.fx);
  let y = times(b, level.fy);
  let normal = vec3f(x, y, summed(summed(w - times(x, u)) - times(y, v)));
  let square = dotOf(normal, normal);
  let perSize = inverseRoot(square);
  let ray = vec3f(u, v, 1.0);
  let isSeen = w > times(STEEPEST, times(square, perSize)) * root(dotOf(ray, ray));
  return select(vec4f(), vec4f(normal * perSize, z), isSeen);
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
      let after = earlier[i + k * step];
      let under = earlier[i - k * step];
      if (after == 0.0 || under == 0.0) { continue; }
      let p = reciprocal(after);
      let q = reciprocal(under);
      let near = times(times(SURFACE, f32(k)), w);
      if (abs(summed(p - w)) >= near || abs(summed(q - w)) >= near) { continue; }
      sum = summed(sum + times(summed(p - q), f32(k)));
      count += 2.0 * f32(k * k);
    }
  }
  return select(NO_SLOPE, over(sum, max(count, 1.0)), count > 0.0);
}
