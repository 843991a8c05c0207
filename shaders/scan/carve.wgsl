// #import "./places.wgsl"
// #import "./sight.wgsl"
// #import "./take.wgsl"
// This kernel puts bricks that lie wholly between the camera and the surface behind them on the frame's list. `carve` in
// scan/volume/touch.ts is the twin. An invocation has one brick.
override MOST: u32;

@group(0) @binding(2) var<storage, read> places: array<u32>;
@group(0) @binding(6) var<storage, read> planes: array<vec4u>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  if (id.x < min(atomicLoad(&counts.count), MOST) && isSeenThrough(placeOf(places[id.x]))) { take(id.x, sight.turn); }
  listTaken(local);
}

fn isSeenThrough(place: vec3i) -> bool {
  let odd = vec3u(place & vec3i(1));
  if ((odd.x | (odd.y << 1u) | (odd.z << 2u)) != sight.turn % 8u) { return false; }
  let half = sight.brickM / 2.0;
  let radius = half * sqrt(3.0);
  let centre = moved(sight.fromWorld, vec3f(place) * sight.brickM + half);
  if (centre.z < radius) { return false; }
  let column = floor(centre.x / centre.z * sight.fx + sight.cx + 0.5);
  let line = floor(centre.y / centre.z * sight.fy + sight.cy + 0.5);
  if (!(column >= 0.0 && line >= 0.0 && column < f32(sight.width) && line < f32(sight.height))) { return false; }
  let plane = planes[u32(line) * sight.width + u32(column)];
  return plane.w > 0u && bitcast<f32>(plane.x) > centre.z + radius + sight.band;
}
