// project.wgsl for a CPU that plays a GPU: an invocation goes along a stretch of 64 points and loads each of them once.
// What a splat is, and which points become one, is told there.
//
// Such a CPU charges for a word loaded as much as for thirty operations, so that a point's neighbours wait in registers:
//
//   points   … l m n o p q r …       p comes in: is it in the run of m, n or o?
//                  └──┬──┘           m goes out: with those of n, o, p that are in its run, as a splat
//
// The camera is read once, for a word of it costs as much. `&` and not `&&`, which would be a branch, and both sides of a branch
// run; whole numbers' min and max in place of floats', of whose bits the order is the same where they are not negative.
//
// Colours go out as square roots of light, 11, 11 and 10 bits: finer everywhere than a picture's 8 bits, and cheap to undo.


// 0: the camera is where the sensor is, and a surface's slant does not show.
override ASIDE: u32 = 1u;

const TILE = vec2f(8.0, 4.0); // px
const STRETCH = 64u;
const NEAR = 0.03125;
const FAR = 2047.0;
const EDGE = 0.0203;
const MOST = 3u; // points of a run behind the first
const RUN_RADIUS = 1.52;
const MOST_TILES = 0x10000u;

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
  longestRun: f32, // points; 1: no runs
  apertureArea: f32, // of radius 1: π if it is round
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
  half: vec2f, // px: b; of a disc w, and w or −w where the aperture is upside down
  soft: f32, // px: q; negative for a disc
  peak: f32, // share of a pixel that the splat covers at its centre
  colour: u32,
  distance: f32,
}

@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<uniform> grid: Grid;
@group(0) @binding(2) var<storage, read> points: array<vec4u>; // place, colour
@group(0) @binding(3) var<storage, read> args: array<u32>;
@group(0) @binding(4) var<storage, read> depth: array<u32>; // two pixels a word
@group(0) @binding(5) var<storage, read_write> splats: array<vec4u>; // two for each `Splat`
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;
// First column and row, columns and rows: x | y << 9 | width << 19 | height << 25; 0: no tile.
@group(0) @binding(7) var<storage, read_write> touched: array<u32>;

struct Point {
  place: vec3f,
  light: vec3f, // linear
  pixel: vec2f, // of the depth image that it came from
  length: f32, // how many points a run may have where it is; 0: there is no point
  begins: bool, // a run of more than one may begin with it
  joins: vec3f, // 1 if it is in the run of the point before it, of the one before that, or of the third
}

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let c = camera;
  let g = grid;
  let count = args[11];
  let first = id.x * STRETCH;
  var m = Point();
  var n = Point();
  var o = Point();
  for (var step = 0u; step < STRETCH + 2u * MOST; step++) {
    // Three before the stretch, and three behind it.
    let at = first + step;
    let here = (at >= MOST) & (at < count + MOST);
    let p = pointAt(points[select(0u, at - MOST, here)], here, m, n, o, c, g);
    emit(at - 2u * MOST, (step >= 2u * MOST) & (m.length > 0.0), m, n, o, p, c, g);
    m = n;
    n = o;
    o = p;
  }
}

fn pointAt(words: vec4u, here: bool, m: Point, n: Point, o: Point, c: Camera, g: Grid) -> Point {
  var p: Point;
  p.place = bitcast<vec3f>(words.xyz);
  p.light = linear(words.w);
  p.pixel = round(p.place.xy / p.place.z * c.sensorFocal + c.sensorCentre);
  p.length = select(0.0, lengthAt(p.place, c, g), here);
  p.begins = (p.length > 1.0) & (floor(p.pixel.x / p.length) * p.length == p.pixel.x);
  p.joins = select(vec3f(), vec3f(1.0), vec3<bool>(isRun(o, p, 1.0), isRun(n, p, 2.0), isRun(m, p, 3.0)));
  return p;
}

// Whether a point is in the run of the point `first`, `by` columns to its left.
fn isRun(first: Point, p: Point, by: f32) -> bool {
  return first.begins & (by < first.length) & (p.length == first.length) & (p.pixel.x == first.pixel.x + by) &
    (p.pixel.y == first.pixel.y) & (abs(p.place.z - first.place.z) < EDGE * first.place.z);
}

// How many points a run may have where this one is.
fn lengthAt(place: vec3f, c: Camera, g: Grid) -> f32 {
  let near = 1.0 / (c.pose[0].z * place.x + c.pose[1].z * place.y + c.pose[2].z * place.z + c.pose[3].z);
  let size = larger2(vec2f(c.focal.x / c.sensorFocal.x * place.z * near), vec2f(1.0)).x;
  let r = smaller2(vec2f(c.blur * abs(c.inverseFocus - near)), vec2f(g.maxReach)).x;
  let most = select(1.0, select(2.0, 4.0, r >= 4.0 * RUN_RADIUS * size), r >= 2.0 * RUN_RADIUS * size);
  return select(most, c.longestRun, most > c.longestRun);
}

// Of numbers that are not negative; a negative one is smaller than 0.
fn larger2(x: vec2f, y: vec2f) -> vec2f {
  return bitcast<vec2f>(max(bitcast<vec2i>(x), bitcast<vec2i>(y)));
}

fn smaller2(x: vec2f, y: vec2f) -> vec2f {
  return bitcast<vec2f>(min(bitcast<vec2i>(x), bitcast<vec2i>(y)));
}

// From 0 to 2²³ − 1.
fn whole2(x: vec2f) -> vec2u {
  return bitcast<vec2u>(x + 8388608.0) & vec2u(0x7fffffu);
}

// Writes the splat of the run that begins with `m`, point i, and counts it in its tiles.
fn emit(i: u32, there: bool, m: Point, n: Point, o: Point, p: Point, c: Camera, g: Grid) {
  let with1 = n.joins.x > 0.0;
  let with2 = o.joins.y > 0.0;
  let with3 = p.joins.z > 0.0;
  let count = 1.0 + n.joins.x + o.joins.y + p.joins.z;
  let share = 1.0 / count;
  // What is nowhere may be NaN, even times nothing.
  let others = select(vec3f(), n.place, with1) + select(vec3f(), o.place, with2) + select(vec3f(), p.place, with3);
  let light = m.light + n.joins.x * n.light + o.joins.y * o.light + p.joins.z * p.light;
  let place = select(m.place, (m.place + others) / count, count > 1.0);

  let view = (c.pose * vec4f(place, 1.0)).xyz;
  let splat = shape(place, m, count, view, c, g);
  let reach = abs(splat.half) + abs(splat.soft);
  let low = larger2(ceil(splat.centre - reach), vec2f(0.0));
  let high = smaller2(floor(splat.centre + reach), vec2f(vec2i(g.size)) - 1.0);
  // Written so that NaN fails.
  let shows = there & (m.joins.x + m.joins.y + m.joins.z == 0.0) & (view.z >= NEAR) & (low.x <= high.x) & (low.y <= high.y);
  let a = whole2(floor(low * (1.0 / TILE)));
  let size = select(vec2u(0u), whole2(floor(high * (1.0 / TILE))) - a + 1u, shows);
  if (shows) {
    splats[2u * i] = bitcast<vec4u>(vec4f(splat.centre, splat.half));
    splats[2u * i + 1u] =
      vec4u(bitcast<vec2u>(vec2f(splat.soft, splat.peak)), packed(sqrt(light * share)), bitcast<u32>(splat.distance));
  }
  if (there) {
    touched[i] = a.x + a.y * 512u + size.x * 524288u + size.y * 33554432u;
  }
  var tile = a.y * g.tiles.x + a.x;
  var column = 0u;
  let tiles = size.x * size.y;
  for (var k = 0u; k < MOST_TILES; k++) {
    if (k >= tiles) {
      break;
    }
    atomicAdd(&counts[tile], 1u);
    column++;
    let wraps = column == size.x;
    tile += select(1u, g.tiles.x + 1u - size.x, wraps);
    column = select(column, 0u, wraps);
  }
}

fn shape(place: vec3f, first: Point, count: f32, view: vec3f, c: Camera, g: Grid) -> Splat {
  let near = 1.0 / view.z;
  let at = view.xy * near;
  let scale = c.focal * near;
  // In px: one sensor pixel to the right, one down; and one metre deeper, which from the sensor's own place is nothing.
  let right = scale * (c.pose[0].xy - at * c.pose[0].z) * (place.z / c.sensorFocal.x);
  let down = scale * (c.pose[1].xy - at * c.pose[1].z) * (place.z / c.sensorFocal.y);
  var across = abs(right);
  var along = abs(down);
  var u = right;
  var v = down;
  if (ASIDE > 0u) {
    let ray = view - c.pose[3].xyz;
    let deeper = scale * (ray.xy - at * ray.z) / place.z;
    let slanted = larger2(abs(deeper), abs(deeper.yx)).x * place.z * EDGE > 0.02;
    let pixel = bitcast<vec2i>(first.pixel + 12582912.0) - 0x4b400000;
    let toLeft = rise(slanted, pixel + vec2i(-1, 0), first.place.z, c);
    let toRight = rise(slanted, pixel + vec2i(1, 0), first.place.z, c);
    let toUp = rise(slanted, pixel + vec2i(0, -1), first.place.z, c);
    let toDown = rise(slanted, pixel + vec2i(0, 1), first.place.z, c);
    across = larger2(abs(right + deeper * toRight), abs(right - deeper * toLeft));
    along = larger2(abs(down + deeper * toDown), abs(down - deeper * toUp));
    u += deeper * 0.5 * (toRight - toLeft);
    v += deeper * 0.5 * (toDown - toUp);
  }
  let b = larger2(
    smaller2(0.5 * c.pointScale * (count * across + along), vec2f(0.5 * g.maxReach)), vec2f(0.03125),
  );
  let w = larger2(sqrt(vec2f(0.5 * dot(b, b))), vec2f(0.5)).x;
  let r = smaller2(vec2f(c.blur * abs(c.inverseFocus - near)), vec2f(g.maxReach - w - 0.5)).x;
  let isDisc = (count > 1.0) | (r > 3.0 * w + 0.5);
  // A box as wide as a disc spreads: standard deviation q/√3 = r/2.
  let q = select(0.5 + 0.8660254 * r, sqrt(r * r + 0.25), isDisc);
  let area = count * c.pointScale * c.pointScale * abs(u.x * v.y - u.y * v.x);
  let part = smaller2(b / q, vec2f(1.0));
  let ofDisc = smaller2(vec2f(area / (c.apertureArea * (q * q + w * w * (1.0 / 3.0)))), vec2f(1.0)).x;

  var splat: Splat;
  splat.centre = c.focal * at + c.centre;
  splat.half = select(b, vec2f(w, select(-w, w, c.inverseFocus > near)), isDisc);
  splat.soft = select(q, -q, isDisc);
  splat.peak = select(part.x * part.y, ofDisc, isDisc);
  splat.distance = smaller2(view.zz, vec2f(FAR)).x;
  return splat;
}

// How many metres deeper than `z` a pixel of the depth image is; 0 if it is not of the same surface.
fn rise(asked: bool, pixel: vec2i, z: f32, c: Camera) -> f32 {
  let inside = asked & all(vec2u(pixel) < vec2u(c.depthSize));
  let at = select(0u, u32(pixel.y * c.depthStride + pixel.x), inside);
  let word = depth[at / 2u];
  let units = select(word & 0xffffu, word >> 16u, (at & 1u) == 1u);
  let difference = f32(i32(units)) * c.metresPerUnit - z;
  return select(0.0, difference, inside & (abs(difference) < EDGE * z));
}

// Whole numbers of 11, 11 and 10 bits from 0 to 1.
fn packed(light: vec3f) -> u32 {
  let whole = bitcast<vec3u>(light * vec3f(2047.0, 2047.0, 1023.0) + 8388608.0) & vec3u(0x7fffffu);
  return whole.x + whole.y * 2048u + whole.z * 4194304u;
}

// sRGB, IEC 61966-2-1, to linear light. With u = √((c + 0.055)/1.055) that is u⁴ · u^0.8; the polynomial is off by 0.03 steps of 255.
fn linear(colour: u32) -> vec3f {
  let bytes = vec3f(vec3i(vec3u(colour) & vec3u(0xffu, 0xff00u, 0xff0000u)));
  let c = bytes * vec3f(1.0 / 255.0, 1.0 / 65280.0, 1.0 / 16711680.0);
  let v = c * (1.0 / 1.055) + (0.055 / 1.055);
  let u = sqrt(v);
  let curved = v * v * (((0.10575298 * u - 0.3497618) * u + 1.19124743) * u + 0.05303954);
  return select(curved, c * (1.0 / 12.92), c <= vec3f(0.04045));
}
