// One invocation takes one point to the picture: where it lands, how far it spreads, which tiles it touches.
//
// A point stands for a patch of surface as large as its sensor pixel: from the next point on the left to the next on the
// right, half of each way. Seen from the sensor's own place that is a square; from elsewhere the way to the neighbours
// grows or shrinks with the surface's slope, which the depth image knows. The picture gets the box around the patch,
// ±b, blurred by the lens to a disc of radius r (the circle of confusion) and by the picture's pixel (a box, ±0.5).
// The splat is the three convolved, nearly:
//
//   r small: a box of ±b smoothed by a box of ±q          r large: a disc of radius q with a soft edge of ±w
//        peak ____                                             peak ___________
//            /    \      reach = b + q                              /         \      reach = q + w
//         __/      \__   one such for each axis                 ___/           \___  turned about the centre
//
// The first adds up to exactly 1 over a grid of patches, the second to within 2%: a surface lets nothing through.
// The disc carries the patch's area, so that blur keeps energy.
// Circle of confusion: Potmesil and Chakravarty 1981. Tiles: Selgrad, Franke, Stamminger 2016.

const TILE = 16u;
// Sixteen octaves of distance, so that a float's bits less those of NEAR, times 32, fill a word and keep the order.
const NEAR = 0.03125;
const FAR = 2047.0;
// Neighbours are one surface if their distances differ by less than this share: no round number, which whole millimetres
// would meet exactly.
const EDGE = 0.0203;
const NO_TILES = 1u; // columns 1 to 0
const PI = 3.14159265;

struct Camera {
  pose: mat4x4f, // sensor to view
  focal: vec2f, // px
  centre: vec2f, // px
  sensorFocal: vec2f, // px of the sensor
  sensorCentre: vec2f,
  pointScale: f32,
  blur: f32, // px · m: the radius is blur · |1/focus − 1/z|
  inverseFocus: f32, // 1/m
  metresPerUnit: f32,
  depthSize: vec2i, // px
  depthStride: i32, // px
}

struct Grid {
  size: vec2u, // of the picture, px
  tiles: vec2u, // columns and rows
  entries: u32, // room in the lists
  maxReach: f32, // px; no splat reaches farther, the room is reckoned by it
}

struct Splat {
  centre: vec2f, // px
  half: vec2f, // px: b, or w twice
  soft: f32, // px: q; negative for a disc
  peak: f32, // share of a pixel that the splat covers at its centre
  tiles: u32, // first and last column and row: x0 | y0 << 8 | x1 << 16 | y1 << 24
  key: u32, // order of distance
}

@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<uniform> grid: Grid;
@group(0) @binding(2) var<storage, read> points: array<vec4f>; // place, colour
@group(0) @binding(3) var<storage, read> args: array<u32>;
@group(0) @binding(4) var<storage, read> depth: array<u32>; // two pixels a word
@group(0) @binding(5) var<storage, read_write> splats: array<Splat>;
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= args[11]) {
    return;
  }
  let point = points[i].xyz;
  let view = (camera.pose * vec4f(point, 1.0)).xyz;
  var splat = shape(point, view);
  splat.centre = camera.focal * view.xy / view.z + camera.centre;
  splat.key = (bitcast<u32>(min(view.z, FAR)) - bitcast<u32>(f32(NEAR))) << 5u;

  let reach = splat.half + abs(splat.soft);
  let first = max(ceil(splat.centre - reach), vec2f(0.0));
  let last = min(floor(splat.centre + reach), vec2f(grid.size) - 1.0);
  // Written so that NaN fails.
  if (!(view.z >= NEAR && first.x <= last.x && first.y <= last.y)) {
    splats[i].tiles = NO_TILES;
    return;
  }
  let a = vec2u(first) / TILE;
  let b = vec2u(last) / TILE;
  splat.tiles = a.x | (a.y << 8u) | (b.x << 16u) | (b.y << 24u);
  splats[i] = splat;
  for (var y = a.y; y <= b.y; y++) {
    for (var x = a.x; x <= b.x; x++) {
      atomicAdd(&counts[y * grid.tiles.x + x], 1u);
    }
  }
}

fn shape(point: vec3f, view: vec3f) -> Splat {
  // In px: one sensor pixel to the right, one down; and one metre deeper, which from the sensor's own place is nothing.
  let right = moved(view, camera.pose[0].xyz) * (point.z / camera.sensorFocal.x);
  let down = moved(view, camera.pose[1].xyz) * (point.z / camera.sensorFocal.y);
  let deeper = moved(view, (camera.pose * vec4f(point / point.z, 0.0)).xyz);
  var toLeft = 0.0;
  var toRight = 0.0;
  var toUp = 0.0;
  var toDown = 0.0;
  if (max(abs(deeper.x), abs(deeper.y)) * point.z * EDGE > 0.02) {
    let pixel = vec2i(round(point.xy / point.z * camera.sensorFocal + camera.sensorCentre));
    toLeft = rise(pixel - vec2i(1, 0), point.z);
    toRight = rise(pixel + vec2i(1, 0), point.z);
    toUp = rise(pixel - vec2i(0, 1), point.z);
    toDown = rise(pixel + vec2i(0, 1), point.z);
  }
  let across = max(abs(right + deeper * toRight), abs(right - deeper * toLeft));
  let along = max(abs(down + deeper * toDown), abs(down - deeper * toUp));
  let b = clamp(0.5 * camera.pointScale * (across + along), vec2f(0.03125), vec2f(0.5 * grid.maxReach));

  var splat: Splat;
  let w = max(max(b.x, b.y), 0.5);
  let r = min(camera.blur * abs(camera.inverseFocus - 1.0 / view.z), grid.maxReach - w - 0.5);
  if (r > 3.0 * w + 0.5) {
    let u = right + deeper * 0.5 * (toRight - toLeft);
    let v = down + deeper * 0.5 * (toDown - toUp);
    let area = camera.pointScale * camera.pointScale * abs(u.x * v.y - u.y * v.x);
    let q = sqrt(r * r + 0.25);
    splat.half = vec2f(w);
    splat.soft = -q;
    splat.peak = min(area / (PI * (q * q + w * w / 3.0)), 1.0);
  } else {
    // A box as wide as a disc spreads: standard deviation q/√3 = r/2.
    let q = 0.5 + 0.8660254 * r;
    splat.half = b;
    splat.soft = q;
    splat.peak = min(b.x / q, 1.0) * min(b.y / q, 1.0);
  }
  return splat;
}

// How many px, for each metre, the picture of a point at `view` moves with it in `direction`.
fn moved(view: vec3f, direction: vec3f) -> vec2f {
  return camera.focal * (direction.xy - view.xy / view.z * direction.z) / view.z;
}

// How many metres deeper than `z` a pixel of the depth image is; 0 if it is not of the same surface.
fn rise(pixel: vec2i, z: f32) -> f32 {
  if (any(pixel < vec2i(0)) || any(pixel >= camera.depthSize)) {
    return 0.0;
  }
  let at = u32(pixel.y * camera.depthStride + pixel.x);
  let difference = f32((depth[at / 2u] >> (16u * (at % 2u))) & 0xffffu) * camera.metresPerUnit - z;
  return select(0.0, difference, abs(difference) < EDGE * z);
}
