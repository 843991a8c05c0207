// Colours the pixels of a depth image by distance; by the surface's direction; as clay under a lamp at the camera, darker when farther;
// lit: the camera's colours (or clay) under a lamp from above and the left; or by what the filters changed, raw depth minus filtered. The
// lamp stands to the side because a raking light shows noise, which light from the camera hides. An invalid pixel gets 0.
//
// A surface's direction comes from the four neighbours `reach` pixels away. A neighbour that is invalid or on another surface (JUMP) is
// replaced by the pixel itself:
//
//                up
//       left   centre   right        normal = (down - up) × (right - left), towards the camera
//               down
override WIDTH: u32;
override HEIGHT: u32;
override STRIDE: u32;
override HAS_COLORS: u32 = 0u;
// The size of the raw depth image, which may have more pixels.
override RAW_WIDTH: u32;
override RAW_HEIGHT: u32;
override RAW_STRIDE: u32;

const DEPTH = 0u;
const NORMAL = 1u;
const LIT = 3u;
const DIFFERENCE = 4u;
const CLAY = vec3f(0.96, 0.91, 0.85);
// The unit vector towards the lamp of mode LIT.
const TO_LAMP = vec3f(-0.48, -0.6, -0.64);
// Neighbours whose distances differ by more than this share lie on another surface. The odd value keeps whole millimetres off the limit.
const JUMP = 0.0403;

struct View { focal: vec2f, centre: vec2f, nearM: f32, farM: f32, metresPerUnit: f32, rangeM: f32, mode: u32, reach: i32 }

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> depth: array<u32>;
@group(0) @binding(2) var<storage, read_write> color: array<u32>;
@group(0) @binding(3) var<storage, read> colors: array<u32>;
@group(0) @binding(4) var<storage, read> filtered: array<u32>;
@group(0) @binding(5) var<storage, read> raw: array<u32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= WIDTH || id.y >= HEIGHT) { return; }
  color[id.y * STRIDE + id.x] = paint(vec2i(id.xy));
}

fn paint(pixel: vec2i) -> u32 {
  let z = distanceAt(pixel);
  // Before any branch, so that no load waits for another.
  let around = aroundOf(pixel);
  if (z == 0.0) { return 0u; }
  if (view.mode == DIFFERENCE) { return differenceAt(vec2u(pixel)); }
  let far = clamp(log(z / view.nearM) / max(log(view.farM / view.nearM), 1e-3), 0.0, 1.0);
  if (view.mode == DEPTH) { return pack(turbo(0.95 - 0.9 * far)); }
  let normal = normalAt(pixel, z, around);
  if (view.mode == NORMAL) { return pack(normal * vec3f(0.5, -0.5, -0.5) + 0.5); }
  let clay = CLAY * (1.0 - 0.55 * far);
  if (view.mode == LIT) {
    let own = colors[select(0u, u32(pixel.y) * STRIDE + u32(pixel.x), HAS_COLORS != 0u)];
    let known = HAS_COLORS != 0u && (own >> 24u) != 0u;
    return pack(select(clay, unpack4x8unorm(own).rgb, known) * (0.25 + 0.75 * max(0.0, dot(normal, TO_LAMP))));
  }
  let facing = max(0.0, -dot(normal, normalize(place(pixel, z))));
  return pack(clay * (0.12 + 0.88 * facing));
}

// A colour from light grey to the ends of the scale in stages/paint/difference.ts, or a mark if one of the two depths is invalid.
fn differenceAt(pixel: vec2u) -> u32 {
  let at = pixel.y * STRIDE + pixel.x;
  let after = (filtered[at / 2u] >> (16u * (at & 1u))) & 0xffffu;
  // In a smaller filtered image, a pixel is compared with the raw pixel at its centre.
  let own = (2u * pixel + 1u) * vec2u(RAW_WIDTH, RAW_HEIGHT) / (2u * vec2u(WIDTH, HEIGHT));
  let source = own.y * RAW_STRIDE + own.x;
  let before = (raw[source / 2u] >> (16u * (source & 1u))) & 0xffffu;
  if (after == 0u) { return pack(vec3f(1.0, 0.85, 0.12)); }
  if (before == 0u) { return pack(vec3f(0.85, 0.0, 0.85)); }
  let t = clamp((f32(before) - f32(after)) * view.metresPerUnit / view.rangeM, -1.0, 1.0);
  return pack(mix(vec3f(0.93), select(vec3f(0.84, 0.15, 0.12), vec3f(0.12, 0.35, 0.85), t > 0.0), abs(t)));
}

// 0 outside the image.
fn distanceAt(pixel: vec2i) -> f32 {
  let isInside = all(pixel >= vec2i()) && all(pixel < vec2i(vec2u(WIDTH, HEIGHT)));
  let at = select(0u, u32(pixel.y) * STRIDE + u32(pixel.x), isInside);
  return f32(select(0u, (depth[at / 2u] >> (16u * (at & 1u))) & 0xffffu, isInside)) * view.metresPerUnit;
}

// The distances of the neighbours: left, right, up, down.
fn aroundOf(pixel: vec2i) -> vec4f {
  let across = vec2i(view.reach, 0);
  return vec4f(
    distanceAt(pixel - across), distanceAt(pixel + across),
    distanceAt(pixel - across.yx), distanceAt(pixel + across.yx),
  );
}

fn place(pixel: vec2i, z: f32) -> vec3f {
  return vec3f((vec2f(pixel) - view.centre) / view.focal * z, z);
}

// Whether a neighbour at this distance is valid and on the pixel's own surface.
fn isUsable(there: f32, z: f32) -> bool {
  return there != 0.0 && abs(there - z) <= JUMP * z;
}

// The neighbour's position, or the pixel's own if the neighbour is not usable.
fn beside(pixel: vec2i, offset: vec2i, there: f32, z: f32) -> vec3f {
  let isThere = isUsable(there, z);
  return place(select(pixel, pixel + offset, isThere), select(z, there, isThere));
}

// The vector from the neighbour before to the one after; perpendicular to the optical axis if neither is usable. This is decided from the
// neighbours, not from the difference: a compiler may fuse a product into the difference of two equal positions, which then is not 0.
fn span(pixel: vec2i, offset: vec2i, before: f32, after: f32, z: f32) -> vec3f {
  let way = beside(pixel, offset, after, z) - beside(pixel, -offset, before, z);
  let isNone = !isUsable(before, z) && !isUsable(after, z);
  return select(way, vec3f(vec2f(offset) / view.focal * z, 0.0), isNone);
}

fn normalAt(pixel: vec2i, z: f32, around: vec4f) -> vec3f {
  let reach = view.reach;
  let across = span(pixel, vec2i(reach, 0), around.x, around.y, z);
  let down = span(pixel, vec2i(0, reach), around.z, around.w, z);
  let normal = cross(down, across);
  let length2 = dot(normal, normal);
  return select(vec3f(), normal * inverseSqrt(length2), length2 > 0.0);
}

// The colour map Turbo (A. Mikhailov, "Turbo, an improved rainbow colormap", 2019) by the polynomial that R. Du fitted to it (Copyright
// 2019 Google LLC, Apache-2.0). Its ends are too dark to tell from the background, so the range 0.05 to 0.95 is used.
fn turbo(t: f32) -> vec3f {
  var rgb = vec3f(59.28637943, 2.82956604, 27.34824973);
  rgb = rgb * t + vec3f(-152.94239396, 4.27729857, -89.90310912);
  rgb = rgb * t + vec3f(132.13108234, -14.18503333, 110.36276771);
  rgb = rgb * t + vec3f(-42.66032258, 4.84296658, -60.58204836);
  rgb = rgb * t + vec3f(4.6153926, 2.19418839, 12.64194608);
  return rgb * t + vec3f(0.13572138, 0.09140261, 0.1066733);
}

fn pack(rgb: vec3f) -> u32 {
  let bytes = vec3u(clamp(rgb, vec3f(), vec3f(1.0)) * 255.0 + 0.5);
  return bytes.r | (bytes.g << 8u) | (bytes.b << 16u) | 0xff000000u;
}
