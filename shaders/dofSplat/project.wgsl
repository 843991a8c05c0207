// One invocation projects one point: it finds where the point lands in the picture, how far it spreads, and which tiles it touches.
//
// A point stands for a patch of surface as large as its sensor pixel, which reaches half of the way to the next point on either side. Seen
// from another place, the patch grows, shrinks and turns with the surface's slope. It is drawn as a rectangle: its axis is the shorter of
// the patch's two sides, and across that it is as high as the rows are apart, so that rows add up to 1, however they are shifted. The lens
// blurs the patch to a disc of radius r (the circle of confusion), and a filter blurs it further: the picture's pixel (±0.5), or the patch
// itself where that is larger. The splat approximates the convolution of the three:
//
//   r small: a box of ±b smoothed by a box of ±q          r large: a disc of radius q with a soft edge of ±w
//        peak ____                                             peak ___________
//            /    \      reach = b + q                              /         \      reach = q + w
//         __/      \__   along and across                      ___/           \___  turned about the centre
//
// Far out of focus, runs of 2 or 4 points in a row of the depth image that lie on one surface become one splat with their mean position,
// mean colour and total area: the blur hides the difference, and there are fewer splats to sort and draw.
//
//   row    a b c d e f · h      runs of 4 begin at every fourth column; a hole or an edge ends a run
//          └──┬──┘ └┬┘   │
//
// Splats of the first kind add up to exactly 1 over a grid of patches, those of the second to within 2 %, so light does not pass through a
// surface. A disc carries its patch's area, so blur keeps energy.
// Circle of confusion: Potmesil and Chakravarty 1981. Tiles: Selgrad, Franke, Stamminger 2016.

const TILE = 16u;
// Sixteen octaves of distance: a float's bits minus those of NEAR, times 32, fill a word and keep the order.
const NEAR = 0.03125;
const FAR = 2047.0;
// Neighbours lie on one surface if their distances differ by less than this share. The odd value keeps whole millimetres off the limit.
const EDGE = 0.0203;
const LEAST = 0.0625; // px: the smallest size of a patch
const UNDER = 4; // px of the depth image: how far a patch may extend across a hole
const NO_TILES = 1u; // columns 1 to 0, an empty range
const ROOM = 1024u; // tiles that a workgroup counts in workgroup memory
const MOST = 4u; // most points of a run
const RUN_RADIUS = 1.52; // a run needs a disc radius of this many patches per point
// The alphas of a disc's colour, chosen so that its bits are those of an ordinary float.
const NEARER = 0x3e000000u;
const FARTHER = 0x3f000000u;

struct Camera {
  pose: mat4x4f, // from the sensor's frame to the camera's
  focal: vec2f, // px
  centre: vec2f, // px
  sensorFocal: vec2f, // px of the sensor
  sensorCentre: vec2f,
  pointScale: f32,
  blur: f32, // px · m: the radius is blur · |1/focus − 1/z|
  inverseFocus: f32, // 1/m
  metresPerUnit: f32,
  longestRun: f32, // most points of a run; 1: no runs
  thinning: i32, // every so-many-th row and column of points is drawn: a power of two
  apertureArea: f32, // area of an aperture of radius 1: π if it is round
  depthSize: vec2i, // px
  depthStride: i32, // px
}

struct Grid {
  size: vec2u, // of the picture, px
  tiles: vec2u, // columns and rows
  entries: u32, // capacity of the lists
  maxReach: f32, // px; no splat reaches farther; the lists' capacity relies on this
}

struct Splat {
  centre: vec2f, // px
  along: vec2f, // per px to the right and down: patches along. For a disc: w in px, and its colour as bits
  across: f32, // height of the patch, px. For a disc: the share of a pixel that it covers at its centre
  soft: f32, // px: q; negative for a disc
  tiles: u32, // first and last column and row: x0 | y0 << 8 | x1 << 16 | y1 << 24
  key: u32, // order of distance
}

@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<uniform> grid: Grid;
@group(0) @binding(2) var<storage, read> points: array<vec4u>; // position, colour
@group(0) @binding(3) var<storage, read> args: array<u32>;
@group(0) @binding(4) var<storage, read> depth: array<u32>; // two pixels per word
@group(0) @binding(5) var<storage, read_write> splats: array<Splat>;
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> fromLast: atomic<u32>; // 256 minus the first row of tiles that the workgroup touches
var<workgroup> rows: atomic<u32>; // the last row plus 1
var<workgroup> found: array<atomic<u32>, ROOM>; // the number of the workgroup's splats on each tile of those rows

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  var tiles = NO_TILES;
  if (id.x < args[11]) {
    tiles = project(id.x);
    if (tiles == NO_TILES) { splats[id.x].tiles = tiles; }
  }
  let first = vec2u(tiles & 255u, (tiles >> 8u) & 255u);
  let last = vec2u((tiles >> 16u) & 255u, tiles >> 24u);
  if (tiles != NO_TILES) {
    atomicMax(&fromLast, 256u - first.y);
    atomicMax(&rows, last.y + 1u);
  }
  workgroupBarrier();
  let top = 256u - atomicLoad(&fromLast);
  let size = (max(atomicLoad(&rows), top) - top) * grid.tiles.x;
  let own = size <= ROOM;
  for (var y = first.y; y <= last.y; y++) {
    for (var x = first.x; x <= last.x; x++) {
      if (own) { atomicAdd(&found[(y - top) * grid.tiles.x + x], 1u); } else { atomicAdd(&counts[y * grid.tiles.x + x], 1u); }
    }
  }
  workgroupBarrier();
  for (var i = lane; own && i < size; i += 256u) {
    let count = atomicLoad(&found[i]);
    if (count > 0u) { atomicAdd(&counts[top * grid.tiles.x + i], count); }
  }
}

// Writes the splat of a point if it touches any tiles. Returns those tiles.
fn project(i: u32) -> u32 {
  let run = runAt(i, args[11]);
  if (run.count == 0.0) { return NO_TILES; }
  let view = toView(run.place);
  var reach: vec2f;
  var splat = shape(run, view, &reach);
  splat.key = (bitcast<u32>(min(view.z, FAR)) - bitcast<u32>(f32(NEAR))) << 5u;

  let first = max(ceil(splat.centre - reach), vec2f(0.0));
  let last = min(floor(splat.centre + reach), vec2f(grid.size) - 1.0);
  // Written so that NaN fails.
  if (!(view.z >= NEAR && first.x <= last.x && first.y <= last.y)) { return NO_TILES; }
  let a = vec2u(first) / TILE;
  let b = vec2u(last) / TILE;
  splat.tiles = a.x | (a.y << 8u) | (b.x << 16u) | (b.y << 24u);
  splats[i] = splat;
  return splat.tiles;
}

// The points that one splat stands for.
struct Run {
  place: vec3f, // mean position
  first: vec3f, // position of its first point
  count: f32, // number of points; 0 if the point belongs to another run
  colour: u32, // mean colour, without alpha
}

fn runAt(i: u32, count: u32) -> Run {
  let place = placeOf(i);
  let drawn = camera.thinning == 1 || all((pixelOf(place) & vec2i(camera.thinning - 1)) == vec2i(0));
  var run = Run(place, place, f32(drawn), points[i].w & 0xffffffu);
  let length = lengthAt(place);
  if (!drawn || length == 1) { return run; }
  let by = ((pixelOf(place).x % length) + length) % length;
  if (by > 0) {
    run.count = select(1.0, 0.0, u32(by) <= i && follows(place, placeOf(max(i, u32(by)) - u32(by)), by, length));
    return run;
  }
  var light = linear(points[i].w);
  for (var step = 1u; step < MOST; step++) {
    if (i + step < count && follows(placeOf(i + step), place, i32(step), length)) {
      run.place += placeOf(i + step);
      run.count += 1.0;
      light += linear(points[i + step].w);
    }
  }
  if (run.count > 1.0) {
    run.place /= run.count;
    run.colour = pack4x8unorm(vec4f(encoded(light / run.count), 0.0));
  }
  return run;
}

fn placeOf(i: u32) -> vec3f {
  return bitcast<vec3f>(points[i].xyz);
}

// Whether a point belongs to the run of the point `leader`, `by` columns to its left.
fn follows(point: vec3f, leader: vec3f, by: i32, length: i32) -> bool {
  return by < length && all(pixelOf(point) == pixelOf(leader) + vec2i(by, 0)) && lengthAt(point) == length &&
    lengthAt(leader) == length && abs(point.z - leader.z) < EDGE * leader.z;
}

// How many points a run may have at this point. Written so that NaN gives 1.
fn lengthAt(point: vec3f) -> i32 {
  let distance = toView(point).z;
  let size = max(camera.focal.x / camera.sensorFocal.x * point.z / distance, 1.0);
  let r = min(radiusAt(distance), grid.maxReach) / size;
  let most = select(1.0, select(2.0, 4.0, r >= 4.0 * RUN_RADIUS), r >= 2.0 * RUN_RADIUS);
  return i32(min(most, camera.longestRun));
}

fn radiusAt(distance: f32) -> f32 {
  return camera.blur * abs(camera.inverseFocus - 1.0 / distance);
}

fn toView(point: vec3f) -> vec3f {
  return (camera.pose * vec4f(point, 1.0)).xyz;
}

// The pixel of the depth image that a point comes from.
fn pixelOf(point: vec3f) -> vec2i {
  return vec2i(round(point.xy / point.z * camera.sensorFocal + camera.sensorCentre));
}

// Makes the splat of a run. `reach` receives how far the splat reaches, in px.
fn shape(run: Run, view: vec3f, reach: ptr<function, vec2f>) -> Splat {
  // Displacements in the picture, px: one sensor pixel to the right, one down; one metre deeper, which is 0 seen from the sensor itself.
  let z = run.place.z;
  let right = moved(view, camera.pose[0].xyz) * (z / camera.sensorFocal.x);
  let down = moved(view, camera.pose[1].xyz) * (z / camera.sensorFocal.y);
  var deeper = moved(view, (camera.pose * vec4f(run.place / z, 0.0)).xyz);
  if (max(abs(deeper.x), abs(deeper.y)) * z * EDGE <= 0.02) { deeper = vec2f(0.0); }
  // x is across, y is down. `before`, `after`: the neighbours' distances. `to`: the direction of a hole beside the surface. `under`: by how
  // many pixels the patch extends into that hole.
  let pixel = pixelOf(run.first);
  let firstZ = vec2f(run.first.z);
  let before = vec2f(depthAt(pixel - vec2i(1, 0)), depthAt(pixel - vec2i(0, 1)));
  let after = vec2f(depthAt(pixel + vec2i(1, 0)), depthAt(pixel + vec2i(0, 1)));
  let sameBefore = abs(before - firstZ) < EDGE * firstZ;
  let sameAfter = abs(after - firstZ) < EDGE * firstZ;
  let alone = vec2<bool>(run.count == 1.0);
  let to = vec2i(alone & sameBefore & (after == vec2f(0.0))) - vec2i(alone & sameAfter & (before == vec2f(0.0)));
  let under = vec2f(to) * vec2f(goesOn(pixel, vec2i(to.x, 0), z), goesOn(pixel, vec2i(0, to.y), z));
  var back = select(vec2f(0.0), before - firstZ, sameBefore);
  let on = select(select(vec2f(0.0), after - firstZ, sameAfter), -back, under > vec2f(0.0));
  back = select(back, -on, under < vec2f(0.0));
  // A run is as long as its points. Along its shorter side a patch takes that side's longer half, across it the other's higher half.
  let extent = vec2f(run.count, 1.0) + abs(under);
  let right1 = camera.pointScale * extent.x * (right + deeper * on.x);
  let right2 = camera.pointScale * extent.x * (right - deeper * back.x);
  let down1 = camera.pointScale * extent.y * (down + deeper * on.y);
  let down2 = camera.pointScale * extent.y * (down - deeper * back.y);
  let wide = max(dot(down1, down1), dot(down2, down2)) < max(dot(right1, right1), dot(right2, right2));
  let own1 = select(right1, down1, wide);
  let own2 = select(right2, down2, wide);
  let own = select(own1, own2, dot(own1, own1) < dot(own2, own2));
  let along = max(length(own), LEAST);
  // Turned to the right: accumulate.wgsl takes a splat with a negative x for a disc.
  let axis = select(own / along * select(1.0, -1.0, own.x < 0.0), vec2f(1.0, 0.0), length(own) < LEAST);
  let height = max(abs(cross2(axis, select(down1, right1, wide))), abs(cross2(axis, select(down2, right2, wide))));
  // Noise bends the patch's own axis; the added height makes differently turned patches still meet.
  let across = max(height + abs(cross2(axis, own1 - own2)), LEAST);

  var splat: Splat;
  let middle = 0.5 * under / extent;
  splat.centre = camera.focal * view.xy / view.z + camera.centre + right1 * middle.x + down1 * middle.y;
  let w = clamp(sqrt(0.125 * (along * along + across * across)), 0.5, 0.5 * grid.maxReach);
  let r = min(radiusAt(view.z), grid.maxReach - w - 0.5);
  if (run.count > 1.0 || r > 3.0 * w + 0.5) {
    let area = 0.25 * abs(cross2(right1 + right2, down1 + down2));
    let q = sqrt(r * r + 0.25);
    let farther = camera.inverseFocus > 1.0 / view.z;
    splat.along = vec2f(w, bitcast<f32>(run.colour | select(NEARER, FARTHER, farther)));
    splat.soft = -q;
    splat.across = min(area / (camera.apertureArea * (q * q + w * w / 3.0)), 1.0);
    *reach = vec2f(w + q);
  } else {
    // The box has the standard deviation of a disc: q/√3 = r/2.
    let q = 0.5 + 0.8660254 * r;
    let far = 0.5 * vec2f(along, across) + max(vec2f(q), 0.5 * vec2f(along, across));
    let box = abs(axis) * far.x + abs(axis.yx) * far.y;
    // A splat that would reach too far is drawn smaller.
    let fit = min(grid.maxReach / max(box.x, box.y), 1.0);
    splat.along = axis / (along * fit);
    splat.across = across * fit;
    splat.soft = q * fit;
    *reach = box * fit;
  }
  return splat;
}

fn cross2(a: vec2f, b: vec2f) -> f32 {
  return a.x * b.y - a.y * b.x;
}

// How many px the image of a point at `view` moves per metre that the point moves in `direction`.
fn moved(view: vec3f, direction: vec3f) -> vec2f {
  return camera.focal * (direction.xy - view.xy / view.z * direction.z) / view.z;
}

// By how many pixels a patch extends into a hole before a nearer surface: a narrow hole is filled, one wider than UNDER less.
fn goesOn(pixel: vec2i, way: vec2i, z: f32) -> f32 {
  for (var step = 2; step <= 2 * UNDER; step++) {
    let there = depthAt(pixel + step * way);
    if (there > 0.0) { return select(0.0, f32(UNDER - abs(UNDER + 1 - step)), z - there >= EDGE * z); }
  }
  return 0.0;
}

// The distance of a pixel of the depth image; 0 if it is invalid.
fn depthAt(pixel: vec2i) -> f32 {
  if (any(pixel < vec2i(0)) || any(pixel >= camera.depthSize)) { return 0.0; }
  let at = u32(pixel.y * camera.depthStride + pixel.x);
  return f32((depth[at / 2u] >> (16u * (at % 2u))) & 0xffffu) * camera.metresPerUnit;
}

// sRGB, IEC 61966-2-1.
fn linear(colour: u32) -> vec3f {
  let c = unpack4x8unorm(colour).rgb;
  return select(pow((c + 0.055) / 1.055, vec3f(2.4)), c / 12.92, c <= vec3f(0.04045));
}

fn encoded(c: vec3f) -> vec3f {
  return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, c * 12.92, c <= vec3f(0.0031308));
}
