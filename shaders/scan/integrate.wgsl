// #import "./places.wgsl"
// #import "./sight.wgsl"
// Adds a frame to the bricks of its list. scan/volume/integrate.ts is the twin, and says how. A workgroup has a brick. An invocation
// has two voxels side by side at a time, which share a word of distances and a word of weights.
override WORKGROUP: u32 = 128u;
override HAS_COLOURS: bool = BRICK_WORDS > 512u;

const PAIRS = 256u;
// Where weights and colours begin in a brick, in words.
const WEIGHT_WORDS = 256u;
const COLOUR_WORDS = 512u;
const NEAREST = 0.1;
const DEEPEST = 0.75;
const DISTANCE_UNITS = 32767.0;
const COLOURED = 0.25;
const MOST_COLOUR = 4096.0;

// A frame's measurement of a voxel. The distance is in truncation distances; a measurement of weight 0 says nothing.
struct Said { distance: f32, weight: f32, pixel: u32 }

@group(0) @binding(1) var<storage, read> counts: Counts;
@group(0) @binding(2) var<storage, read> places: array<u32>;
@group(0) @binding(3) var<storage, read_write> pool: array<u32>;
@group(0) @binding(4) var<storage, read> list: array<u32>;
@group(0) @binding(6) var<storage, read> planes: array<vec4u>;
@group(0) @binding(9) var<storage, read> colours: array<u32>; // RGBA by pixel

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  let entry = group.y * GROUPS + group.x;
  if (entry >= counts.listed) { return; }
  let brick = list[entry];
  if (brick >= counts.count) { return; }
  let first = EDGE * placeOf(places[brick]);
  for (var pair = local; pair < PAIRS; pair += WORKGROUP) {
    let voxel = first + vec3i(vec3u((2u * pair) & 7u, (pair >> 2u) & 7u, pair >> 5u));
    update(brick * BRICK_WORDS, pair, said(voxel), said(voxel + vec3i(1, 0, 0)));
  }
}

fn said(voxel: vec3i) -> Said {
  let seen = moved(sight.fromWorld, vec3f(voxel) * sight.voxelM);
  if (!(seen.z > NEAREST)) { return Said(); }
  let per = 1.0 / seen.z;
  let at = vec2f(seen.x * per * sight.fx + sight.cx, seen.y * per * sight.fy + sight.cy);
  let nearest = floor(at + 0.5);
  if (!(all(nearest >= vec2f()) && all(nearest < vec2f(f32(sight.width), f32(sight.height))))) { return Said(); }
  let pixel = u32(nearest.y) * sight.width + u32(nearest.x);
  let plane = planes[pixel];
  let shape = bitcast<vec3f>(plane.xyz);
  let along = shape.x + dot(shape.yz, at - nearest) - seen.z;
  let distance = along * (f32(plane.w & 0xffffu) * (sight.perTruncation / LEAN_UNITS));
  let weight = floor(f32(plane.w >> 16u) * min(1.0, (distance + DEEPEST) * 4.0));
  return Said(distance, max(weight, 0.0), pixel);
}

fn update(brick: u32, pair: u32, one: Said, other: Said) {
  let weight = vec2f(one.weight, other.weight);
  let isTaken = weight > vec2f();
  if (!any(isTaken)) { return; }
  let distances = pool[brick + pair];
  let weights = pool[brick + WEIGHT_WORDS + pair];
  let had = vec2f(vec2u(weights & 0xffffu, weights >> 16u));
  let share = weight / max(had + weight, vec2f(1.0));
  let now = vec2f(vec2i(extractBits(i32(distances), 0u, 16u), i32(distances) >> 16u));
  let distance = vec2f(one.distance, other.distance);
  let wanted = min(distance, vec2f(1.0)) * DISTANCE_UNITS;
  let mean = vec2i(select(now, floor(now + (wanted - now) * share + 0.5), isTaken));
  let sum = vec2u(min(had + weight, vec2f(f32(MOST_WEIGHT))));
  pool[brick + pair] = (u32(mean.x) & 0xffffu) | (u32(mean.y) << 16u);
  pool[brick + WEIGHT_WORDS + pair] = sum.x | (sum.y << 16u);
  if (!HAS_COLOURS || sight.hasColour == 0u) { return; }
  let isNear = isTaken & (abs(distance) < vec2f(COLOURED));
  if (isNear.x) { colour(brick + COLOUR_WORDS + 2u * pair, had.x, one); }
  if (isNear.y) { colour(brick + COLOUR_WORDS + 2u * pair + 1u, had.y, other); }
}

// Moves a voxel's colour, of 11, 11 and 10 bits, towards a pixel's RGBA, if the colour camera sees the pixel.
fn colour(at: u32, had: f32, seen: Said) {
  let rgba = colours[seen.pixel];
  if ((rgba >> 24u) == 0u) { return; }
  let old = pool[at];
  let part = select(seen.weight / (min(had, MOST_COLOUR) + seen.weight), 1.0, had == 0.0 || old == 0u);
  let before = vec3f(vec3u(old & 0x7ffu, (old >> 11u) & 0x7ffu, old >> 22u));
  let to = vec3f(vec3u((rgba & 0xffu) << 3u, (rgba >> 5u) & 0x7f8u, (rgba >> 14u) & 0x3fcu));
  let mixed = vec3u(floor(before + (to - before) * part + 0.5));
  pool[at] = mixed.x | (mixed.y << 11u) | (mixed.z << 22u);
}
