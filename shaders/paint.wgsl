// Kernel 1 (pipeline/README.md). An invocation: one pixel and four beside it. A workgroup: 16 × 16 pixels. It leaves: colours of the depth
// shown.
// Colours the pixels of a depth image by distance; by the surface's direction; as clay under a lamp at the camera, darker when farther;
// lit: the camera's colours (or clay) under a lamp from above and the left; or by what the filters changed, raw depth minus filtered. The
// lamp stands to the side because a raking light shows noise, which light from the camera hides. An invalid pixel gets 0.
//
// A surface's direction comes from the four neighbours `reach` pixels away. A neighbour that is invalid or on another surface (JUMP) is
// replaced by the pixel itself. A pixel whose depth was invented to fill a hole looks farther (FILL_REACH) and at its own surface alone
// (FILL_JUMP), since the fill ends in teeth where it changes from one surface to the next:
//
//                above
//       left     centre   right        normal = (below - above) × (right - left), towards the camera
//                below
//
// Distances are in depth units, since a surface's direction does not depend on the unit. A neighbour's ray is the pixel's own ray plus a
// step to one side, so the normal reduces to sums and differences of the neighbours' distances:
//
//     right - left = (across + ray.x · dx, ray.y · dx, dx)     across = step.x · (right + left), dx = right - left
//     below - above = (ray.x · dy, down + ray.y · dy, dy)      down = step.y · (below + above), dy = below - above
//     normal = (dx · down, dy · across, -(area + ray.x · normal.x + ray.y · normal.y)), area = across · down
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
const CLAY_COLOUR = vec3f(0.96, 0.91, 0.85);
// Clay: ambient light, and light of the lamp at the camera.
const AMBIENT = 0.12;
const LAMP = 0.88;
// Mode LIT: ambient light, light of the lamp from the side, and the unit vector towards that lamp.
const RAKED = 0.25;
const RAKE = 0.75;
const TO_LAMP_X = -0.48;
const TO_LAMP_Y = -0.6;
const TO_LAMP_Z = -0.64;
// Mode DIFFERENCE: where the sensor's own depth is nearer by the whole range or more, where nothing changed, and where it is farther.
const NEARER = vec3f(0.84, 0.15, 0.12);
const SAME = vec3f(0.93);
const FARTHER = vec3f(0.12, 0.35, 0.85);
// Where the filters made an invalid pixel valid, and where they made a valid pixel invalid.
const MADE = vec3f(0.85, 0.0, 0.85);
const TAKEN = vec3f(1.0, 0.85, 0.12);
// Neighbours whose distances differ by more than this share lie on another surface. The odd value keeps whole millimetres off the limit.
const JUMP = 0.0403;
const FILL_REACH = 8;
const FILL_JUMP = 0.0101;

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
  let z = depthAt(pixel);
  // Before any branch, so that no load waits for another.
  var around = aroundAt(pixel, view.reach);
  let after = filteredAt(vec2u(pixel));
  if (z == 0.0) { return 0u; }
  let before = rawAt(vec2u(pixel));
  if (view.mode == DIFFERENCE) { return differenceOf(before, after); }
  let far = farOf(z * view.metresPerUnit);
  if (view.mode == DEPTH) { return distanceColor(far); }
  let isInvented = after == 0u && before != u32(z);
  let reach = select(view.reach, FILL_REACH, isInvented);
  if (isInvented) { around = aroundAt(pixel, FILL_REACH); }
  let limit = select(JUMP, FILL_JUMP, isInvented) * z;
  let same = select(vec4f(), around, abs(around - z) <= vec4f(limit));
  let right = same.x;
  let left = same.y;
  let below = same.z;
  let above = same.w;
  // Without a neighbour on either side, the surface is taken to be perpendicular to the optical axis in this direction.
  let step = f32(reach) / view.focal;
  let across = step.x * orOwn(right + left, z);
  let down = step.y * orOwn(below + above, z);
  let nx = (orOwn(right, z) - orOwn(left, z)) * down;
  let ny = (orOwn(below, z) - orOwn(above, z)) * across;
  let area = across * down;
  let ray = (vec2f(pixel) - view.centre) / view.focal;
  let normal = vec3f(nx, ny, -(area + dot(ray, vec2f(nx, ny))));
  let length2 = dot(normal, normal);
  if (view.mode == NORMAL) { return pack(normal * inverse(length2) * vec3f(0.5, -0.5, -0.5) + 0.5); }
  if (view.mode == LIT) {
    let light = RAKED + RAKE * facing(dot(normal, vec3f(TO_LAMP_X, TO_LAMP_Y, TO_LAMP_Z)), length2);
    let own = select(0u, colors[select(0u, u32(pixel.y) * STRIDE + u32(pixel.x), HAS_COLORS != 0u)], HAS_COLORS != 0u);
    return select(pack(unpack4x8unorm(own).rgb * light), clayIn(light * fadeOf(far)), (own >> 24u) == 0u);
  }
  // The product of ray and normal is -area.
  let ray2 = dot(ray, ray) + 1.0;
  let light = AMBIENT + LAMP * facing(area, length2 * ray2);
  return clayIn(light * fadeOf(far));
}

// The depths `reach` pixels to the right, to the left, below and above.
fn aroundAt(pixel: vec2i, reach: i32) -> vec4f {
  let aside = vec2i(reach, 0);
  return vec4f(depthAt(pixel + aside), depthAt(pixel - aside), depthAt(pixel + aside.yx), depthAt(pixel - aside.yx));
}

fn filteredAt(pixel: vec2u) -> u32 {
  let at = pixel.y * STRIDE + pixel.x;
  return (filtered[at / 2u] >> (16u * (at & 1u))) & 0xffffu;
}

// The sensor's own depth: in a smaller filtered image, that of the raw pixel at the pixel's centre.
fn rawAt(pixel: vec2u) -> u32 {
  let own = (2u * pixel + 1u) * vec2u(RAW_WIDTH, RAW_HEIGHT) / (2u * vec2u(WIDTH, HEIGHT));
  let at = own.y * RAW_STRIDE + own.x;
  return (raw[at / 2u] >> (16u * (at & 1u))) & 0xffffu;
}

fn differenceOf(before: u32, after: u32) -> u32 {
  if (after == 0u) { return pack(TAKEN); }
  if (before == 0u) { return pack(MADE); }
  return differenceColor((f32(before) - f32(after)) * view.metresPerUnit / view.rangeM);
}

fn differenceColor(share: f32) -> u32 {
  return pack(mix(SAME, select(NEARER, FARTHER, share > 0.0), min(1.0, abs(share))));
}

// 0 outside the image.
fn depthAt(pixel: vec2i) -> f32 {
  let isInside = all(pixel >= vec2i()) && all(pixel < vec2i(vec2u(WIDTH, HEIGHT)));
  let at = select(0u, u32(pixel.y) * STRIDE + u32(pixel.x), isInside);
  return f32(select(0u, (depth[at / 2u] >> (16u * (at & 1u))) & 0xffffu, isInside));
}

// A sum or distance of neighbours, or the pixel's own value if no neighbour counts.
fn orOwn(there: f32, z: f32) -> f32 {
  return select(there, z, there == 0.0);
}

fn inverse(length2: f32) -> f32 {
  return select(0.0, inverseSqrt(length2), length2 > 0.0);
}

// How far a surface faces something, from 0 to 1.
fn facing(along: f32, length2: f32) -> f32 {
  return max(0.0, along * inverse(length2));
}

// From 0 at nearM to 1 at farM, in the logarithm of distance.
fn farOf(metres: f32) -> f32 {
  return clamp(log(metres / view.nearM) / max(log(view.farM / view.nearM), 1e-3), 0.0, 1.0);
}

fn fadeOf(far: f32) -> f32 { return 1.0 - 0.55 * far; }

// Near is red.
fn distanceColor(far: f32) -> u32 { return pack(turbo(0.95 - 0.9 * far)); }

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

fn clayIn(light: f32) -> u32 { return pack(CLAY_COLOUR * light); }
