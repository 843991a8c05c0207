// #import "./samples.wgsl"
// Part of mesh.wgsl: computes the vertex of a cell, which is the mean of the points where the surface crosses the cell's edges.
override VOXEL_M: f32;

const VERTEX_WORDS = 5u;
const COLOUR_WORDS = 512u;
// As in scan/mesh/layout.ts.
const WELL = 2048u;

@group(0) @binding(10) var<storage, read_write> mesh: array<u32>;

// The sums over the points where the surface crosses a cell's edges.
struct Crossings { place: vec3f, count: u32, colour: vec3u, coloured: u32, weight: u32 }

// Writes a vertex of five words. `origin` is the brick's first sample, in voxels.
fn writeVertex(number: u32, cell: u32, origin: vec3i) {
  let row = cell >> 4u;
  let base = vec3u(cell & 15u, row % CELLS, row / CELLS);
  var sums = Crossings();
  for (var edge = 0u; edge < 12u; edge++) {
    let axis = edge >> 2u;
    let u = edge & 1u;
    let v = (edge >> 1u) & 1u;
    let corner = select(select(vec3u(u, v, 0u), vec3u(u, 0u, v), axis == 1u), vec3u(0u, u, v), axis == 0u);
    sums = withCrossing(sums, base, corner, axis);
  }
  let place = vec3f(origin + vec3i(base)) + sums.place / f32(sums.count);
  let metres = place * VOXEL_M;
  let at = VERTEX_WORDS * number;
  for (var i = 0u; i < 3u; i++) { mesh[at + i] = bitcast<u32>(metres[i]); }
  mesh[at + 3u] = normalOf(base.x + SIDE * base.y + SIDE * SIDE * base.z);
  let colour = select(vec3u(128u), sums.colour / max(8u * sums.coloured, 1u), sums.coloured > 0u);
  let seen = min(255u, 255u * sums.weight / (2u * sums.count * WELL));
  mesh[at + 4u] = colour.x | (colour.y << 8u) | (colour.z << 16u) | (seen << 24u);
}

// Adds the edge from a corner along an axis to the sums, if the surface crosses that edge.
fn withCrossing(before: Crossings, base: vec3u, corner: vec3u, axis: u32) -> Crossings {
  let at = base + corner;
  let row = at.y + SIDE * at.z;
  if (((crossed[3u * row + axis] >> at.x) & 1u) == 0u) { return before; }
  let i = at.x + SIDE * row;
  let j = i + vec3u(1u, SIDE, SIDE * SIDE)[axis];
  let one = distanceOf(i);
  let other = distanceOf(j);
  let along = f32(one) / f32(one - other);
  var sums = before;
  sums.place += vec3f(corner) + select(vec3f(), vec3f(along), vec3u(0u, 1u, 2u) == vec3u(axis));
  sums.weight += (samples[i] >> 16u) + (samples[j] >> 16u);
  sums.count++;
  if (BRICK_WORDS <= COLOUR_WORDS) { return sums; }
  // The colour of the crossing is that of the nearer voxel: the other one may have none.
  let voxel = voxelOf(select(j, i, abs(one) < abs(other)));
  let colour = pool[voxel.x + COLOUR_WORDS + voxel.y];
  if (colour == 0u) { return sums; }
  sums.colour += vec3u(colour & 0x7ffu, (colour >> 11u) & 0x7ffu, (colour >> 21u) & 0x7feu);
  sums.coloured++;
  return sums;
}

// The change of distance over the cell as a unit vector, times 127 and without the fractions.
fn normalOf(sample: u32) -> u32 {
  var change = vec3i();
  for (var i = 0u; i < 8u; i++) {
    let corner = vec3u(i & 1u, (i >> 1u) & 1u, i >> 2u);
    let distance = distanceOf(sample + corner.x + SIDE * corner.y + SIDE * SIDE * corner.z);
    change += select(vec3i(-distance), vec3i(distance), corner == vec3u(1u));
  }
  let along = vec3f(change);
  let unit = vec3u(vec3i(along * (127.0 * inverseSqrt(max(dot(along, along), 1.0))))) & vec3u(255u);
  return unit.x | (unit.y << 8u) | (unit.z << 16u);
}
