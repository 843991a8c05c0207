// #import "./places.wgsl"
// #import "./sight.wgsl"
// The first kernel of a frame: makes each pixel a small plane, and begins the frame's list of bricks. scan/volume/pixelPlanes.ts is the
// twin, and says what a plane is. An invocation has one pixel.
override WORKGROUP: u32 = 256u;

const REACH = 2;
const BEND = 0.02;
const GRAZING = 0.15;
const PIXEL_WEIGHT = 256.0;
const NOWHERE = 1e9;

@group(0) @binding(1) var<storage, read_write> counts: Counts;
@group(0) @binding(6) var<storage, read_write> planes: array<vec4u>;
// Two pixels to a word.
@group(0) @binding(8) var<storage, read> depth: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x == 0u) {
    counts.listed = 0u;
    counts.isOver = 0u;
    counts.before = counts.count;
  }
  if (id.x < sight.width * sight.height) { planes[id.x] = planeOf(i32(id.x % sight.width), i32(id.x / sight.width)); }
}

fn planeOf(x: i32, y: i32) -> vec4u {
  let d = depthAt(x, y);
  if (d == 0.0) { return vec4u(); }
  let bend = d * BEND;
  let row = vec3f(depthAt(x - REACH, y), d, depthAt(x + REACH, y));
  let column = vec3f(depthAt(x, y - REACH), d, depthAt(x, y + REACH));
  let isFlat = isStraight(row, bend);
  let isLevel = isStraight(column, bend);
  let perPixel = sight.unit / f32(REACH);
  let across = select(slope(row, bend), (row.z - row.x) * 0.5, isFlat) * perPixel;
  let along = select(slope(column, bend), (column.z - column.x) * 0.5, isLevel) * perPixel;
  let z = d * sight.unit;
  let u = (f32(x) - sight.cx) / sight.fx;
  let v = (f32(y) - sight.cy) / sight.fy;
  let nx = across * sight.fx;
  let ny = along * sight.fy;
  let nz = z + u * nx + v * ny;
  let square = nx * nx + ny * ny + nz * nz;
  let cosine = z / sqrt(square * (u * u + v * v + 1.0));
  let share = min(1.0, (sight.a + sight.b) / (sight.a + sight.b * z * z));
  let trust = select(PIXEL_WEIGHT / 2.0, PIXEL_WEIGHT, isFlat && isLevel);
  let weight = min(u32(ceil(trust * cosine * share)) * sight.times, u32(MOST_WEIGHT));
  let lean = min(2.0, z / sqrt(square));
  let packed = (weight << 16u) | u32(floor(lean * LEAN_UNITS + 0.5));
  let isUsed = d <= sight.far && cosine >= GRAZING;
  return vec4u(bitcast<vec3u>(vec3f(z, across, along)), select(0u, packed, isUsed));
}

fn depthAt(x: i32, y: i32) -> f32 {
  if (x < 0 || y < 0 || x >= i32(sight.width) || y >= i32(sight.height)) { return 0.0; }
  let at = u32(y) * sight.stride + u32(x);
  return f32((depth[at >> 1u] >> ((at & 1u) * 16u)) & 0xffffu);
}

fn isStraight(three: vec3f, bend: f32) -> bool {
  return three.x > 0.0 && three.z > 0.0 && abs(three.x + three.z - 2.0 * three.y) <= bend;
}

// The change of depth from pixel to pixel along the surface of the pixel and its neighbour; 0 where they share no surface.
fn slope(three: vec3f, bend: f32) -> f32 {
  let back = select(NOWHERE, three.y - three.x, three.x > 0.0);
  let on = select(NOWHERE, three.z - three.y, three.z > 0.0);
  let less = select(on, back, abs(back) < abs(on));
  return select(0.0, less, abs(less) < bend);
}
