// One invocation puts one splat on the list of every tile it touches. The order within a list is whatever the atomics
// make it; `order` sorts by (distance, point), which has no ties, so the picture does not depend on it.

struct Grid {
  size: vec2u, // of the picture, px
  tiles: vec2u, // columns and rows
  entries: u32, // room in the lists
  maxReach: f32, // px; no splat reaches farther
}

struct Splat {
  centre: vec2f,
  half: vec2f,
  soft: f32,
  peak: f32,
  tiles: u32,
  key: u32,
}

@group(0) @binding(0) var<storage, read> args: array<u32>;
@group(0) @binding(1) var<storage, read> splats: array<Splat>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> list: array<vec2u>; // distance, point
@group(0) @binding(5) var<uniform> grid: Grid;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= args[11]) {
    return;
  }
  let tiles = splats[id.x].tiles;
  let key = splats[id.x].key;
  for (var y = (tiles >> 8u) & 255u; y <= tiles >> 24u; y++) {
    for (var x = tiles & 255u; x <= ((tiles >> 16u) & 255u); x++) {
      let tile = y * grid.tiles.x + x;
      let slot = starts[tile] + atomicAdd(&counts[tile], 1u);
      if (slot < grid.entries) {
        list[slot] = vec2u(key, id.x);
      }
    }
  }
}
