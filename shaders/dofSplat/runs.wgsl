// #import "./camera.wgsl"
// #import "./srgb.wgsl"
// The runs of points that become one splat each: functions of the kernel in project.wgsl.
//
// Far out of focus, runs of 2 or 4 points in a row of the depth image that lie on one surface become one splat with their mean position,
// mean colour and total area: the blur hides the difference, and there are fewer splats to sort and draw.
//
//   row    a b c d e f · h      runs of 4 begin at every fourth column; a hole or an edge ends a run
//          └──┬──┘ └┬┘   │

// Neighbours lie on one surface if their distances differ by less than this share. The odd value keeps whole millimetres off the limit.
const EDGE = 0.0203;
const MOST = 4u; // most points of a run
const RUN_RADIUS = 1.52; // a run needs a disc radius of this many patches per point

// The points that one splat stands for.
struct Run {
  place: vec3f, // mean position
  first: vec3f, // position of its first point
  count: f32, // number of points; 0 if the point belongs to another run
  colour: u32, // mean colour, without alpha
}

fn runAt(i: u32, count: u32) -> Run {
  let place = placeOf(i);
  var run = Run(place, place, 1.0, points[i].w & 0xffffffu);
  let length = lengthAt(place);
  if (length == 1) { return run; }
  let by = ((pixelOf(place).x % length) + length) % length;
  if (by > 0) {
    run.count = select(1.0, 0.0, u32(by) <= i && follows(place, placeOf(max(i, u32(by)) - u32(by)), by, length));
    return run;
  }
  var light = linear(unpack4x8unorm(points[i].w).rgb);
  for (var step = 1u; step < MOST; step++) {
    if (i + step < count && follows(placeOf(i + step), place, i32(step), length)) {
      run.place += placeOf(i + step);
      run.count += 1.0;
      light += linear(unpack4x8unorm(points[i + step].w).rgb);
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

// Whether a point belongs to the run of the point `leader`, which lies `by` columns to the left of the point.
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
