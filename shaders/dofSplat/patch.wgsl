// #import "./camera.wgsl"
// #import "./runs.wgsl"
// The splat of a run: functions of the kernel in project.wgsl.
//
// A point stands for a patch of surface as large as its sensor pixel, which reaches half of the way to the next point on either side. Seen
// from another place, the patch grows, shrinks and turns with the surface's slope. The patch is drawn as a rectangle: its axis is the
// shorter of the patch's two sides, and across that it is as high as the rows are apart, so that rows add up to 1, however they are
// shifted. The lens blurs the patch to a disc of radius r (the circle of confusion), and a filter blurs it further: the picture's pixel
// (±0.5), or the patch itself where that is larger. The splat approximates the convolution of the three:
//
//   r small: a box of ±b smoothed by a box of ±q          r large: a disc of radius q with a soft edge of ±w
//        peak ____                                             peak ___________
//            /    \      reach = b + q                              /         \      reach = q + w
//         __/      \__   along and across                      ___/           \___  turned about the centre
//
// Splats of the first kind add up to exactly 1 over a grid of patches, those of the second to within 2 %, so light does not pass through a
// surface. A disc carries its patch's area, so blur keeps energy.
// Circle of confusion: Potmesil and Chakravarty 1981.

const LEAST = 0.0625; // px: the smallest size of a patch
const STILL = 0.02; // px: an edge that moves less than this looks as it does from the sensor itself
const BOX = 0.8660254; // √3 / 2
const UNDER = 4; // px of the depth image: how far a patch may extend across a hole
// The alphas of a disc's colour, chosen so that its bits are those of an ordinary float.
const NEARER = 0x3e000000u;
const FARTHER = 0x3f000000u;

// Makes the splat of a run. `view` is the run's mean position as the camera sees it; `reach` receives how far the splat reaches, in px.
fn shape(run: Run, view: vec3f, reach: ptr<function, vec2f>) -> Splat {
  return splatOf(run, view, patchOf(run, view, movesOf(run, view), neighboursOf(run)), reach);
}

// How far a point moves in the picture, px: a sensor pixel to the right, a sensor pixel down, and a metre deeper (0 from the sensor).
struct Moves {
  right: vec2f,
  down: vec2f,
  deeper: vec2f,
}

fn movesOf(run: Run, view: vec3f) -> Moves {
  let z = run.place.z;
  let right = moved(view, camera.pose[0].xyz) * (z / camera.sensorFocal.x);
  let down = moved(view, camera.pose[1].xyz) * (z / camera.sensorFocal.y);
  var deeper = moved(view, (camera.pose * vec4f(run.place / z, 0.0)).xyz);
  if (max(abs(deeper.x), abs(deeper.y)) * z * EDGE <= STILL) { deeper = vec2f(0.0); }
  return Moves(right, down, deeper);
}

// The surface beside a run's first point: x is across, y is down.
struct Neighbours {
  on: vec2f, // how much deeper the next pixel is, m
  back: vec2f, // how much deeper the pixel before is, m
  under: vec2f, // by how many pixels the patch extends into a hole; negative backwards
}

fn neighboursOf(run: Run) -> Neighbours {
  let pixel = pixelOf(run.first);
  let before = vec2f(depthAt(pixel - vec2i(1, 0)), depthAt(pixel - vec2i(0, 1)));
  let after = vec2f(depthAt(pixel + vec2i(1, 0)), depthAt(pixel + vec2i(0, 1)));
  let way = select(vec2i(0), wayOf(before, after, run.first.z), run.count == 1.0);
  let far = vec2f(goesOn(pixel, vec2i(way.x, 0), run.first.z), goesOn(pixel, vec2i(0, way.y), run.first.z));
  let under = vec2f(way) * far;
  let on = select(rise(after, run.first.z), -rise(before, run.first.z), under > vec2f(0.0));
  let back = select(rise(before, run.first.z), -on, under < vec2f(0.0));
  return Neighbours(on, back, under);
}

// The patch of surface that a run stands for, as the picture shows it.
struct Patch {
  centre: vec2f, // px
  axis: vec2f, // of length 1
  along: f32, // px
  across: f32, // px
  area: f32, // px²
}

fn patchOf(run: Run, view: vec3f, moves: Moves, beside: Neighbours) -> Patch {
  // A run's length is that of its points together. A patch lies along the shorter side of the run: the longer half of that side is the
  // patch's length; the other side gives its height.
  let extent = vec2f(run.count, 1.0) + abs(beside.under);
  let scale = camera.pointScale * extent;
  let right1 = scale.x * (moves.right + moves.deeper * beside.on.x);
  let right2 = scale.x * (moves.right - moves.deeper * beside.back.x);
  let down1 = scale.y * (moves.down + moves.deeper * beside.on.y);
  let down2 = scale.y * (moves.down - moves.deeper * beside.back.y);
  let wide = max(dot(down1, down1), dot(down2, down2)) < max(dot(right1, right1), dot(right2, right2));
  let own1 = select(right1, down1, wide);
  let own2 = select(right2, down2, wide);
  let own = select(own1, own2, dot(own1, own1) < dot(own2, own2));
  let along = max(length(own), LEAST);
  let axis = select(own / along, vec2f(1.0, 0.0), length(own) < LEAST);
  let height = max(abs(cross2(axis, select(down1, right1, wide))), abs(cross2(axis, select(down2, right2, wide))));
  // Noise bends the patch's own axis; the added height makes differently turned patches still meet.
  let across = max(height + abs(cross2(axis, own1 - own2)), LEAST);
  let area = 0.25 * abs(cross2(right1 + right2, down1 + down2));
  let middle = 0.5 * beside.under / extent;
  let centre = camera.focal * view.xy / view.z + camera.centre + right1 * middle.x + down1 * middle.y;
  return Patch(centre, axis, along, across, area);
}

// The patch, blurred by the lens and by a filter: a box, or a disc where the blur is far larger.
fn splatOf(run: Run, view: vec3f, surface: Patch, reach: ptr<function, vec2f>) -> Splat {
  let axis = surface.axis;
  let along = surface.along;
  let across = surface.across;
  var splat: Splat;
  splat.centre = surface.centre;
  let w = clamp(sqrt(0.125 * (along * along + across * across)), 0.5, 0.5 * grid.maxReach);
  let r = min(radiusAt(view.z), grid.maxReach - w - 0.5);
  if (run.count > 1.0 || r > 3.0 * w + 0.5) {
    let q = sqrt(r * r + 0.25);
    let farther = camera.inverseFocus > 1.0 / view.z;
    splat.along = vec2f(w, bitcast<f32>(run.colour | select(NEARER, FARTHER, farther)));
    splat.soft = -q;
    splat.across = min(surface.area / (camera.apertureArea * (q * q + w * w / 3.0)), 1.0);
    *reach = vec2f(w + q);
  } else {
    // The box has the standard deviation of a disc: q/√3 = r/2.
    let q = 0.5 + BOX * r;
    let far = 0.5 * vec2f(along, across) + max(vec2f(q), 0.5 * vec2f(along, across));
    let box = abs(axis) * far.x + abs(axis.yx) * far.y;
    // A splat that would reach too far is drawn smaller.
    let fit = min(grid.maxReach / max(box.x, box.y), 1.0);
    // The axis is turned so that it points to the right: accumulate.wgsl takes a negative x for a disc.
    splat.along = axis * select(1.0, -1.0, axis.x < 0.0) / (along * fit);
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

// Whether two distances belong to one surface.
fn isSame(there: vec2f, z: f32) -> vec2<bool> {
  return abs(there - z) < vec2f(EDGE * z);
}

// How much deeper than `z` the neighbours are that belong to the same surface; else 0.
fn rise(there: vec2f, z: f32) -> vec2f {
  return select(vec2f(0.0), there - z, isSame(there, z));
}

// The direction from a surface to a hole beside it: 1 onwards, -1 back, 0 if there is none.
fn wayOf(before: vec2f, after: vec2f, z: f32) -> vec2i {
  return vec2i(isSame(before, z) & (after == vec2f(0.0))) - vec2i(isSame(after, z) & (before == vec2f(0.0)));
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
