// One invocation puts one splat on the list of every tile it touches. The order within a list is whatever the atomics
// make it; `order` sorts by (distance, point), which has no ties, so the picture does not depend on it.
//
// Points side by side touch the same tiles, so a workgroup first counts in its own memory, for the rows of tiles that it
// touches, and then asks for room once a tile instead of once a splat. If those rows are too many, each splat asks for itself.
//
//   counted   0 0 9 31 4 0 …      rooms   · · 812 940 77 · …      each splat takes the next of its tile's room

const NO_TILES = 1u; // columns 1 to 0
// Tiles that a workgroup counts in its own memory.
const ROOM = 1024u;

struct Grid {
  size: vec2u, // of the picture, px
  tiles: vec2u, // columns and rows
  entries: u32, // room in the lists
  maxReach: f32, // px; no splat reaches farther
}

struct Splat {
  centre: vec2f,
  along: vec2f,
  across: f32,
  soft: f32,
  tiles: u32,
  key: u32,
}

@group(0) @binding(0) var<storage, read> args: array<u32>;
@group(0) @binding(1) var<storage, read> splats: array<Splat>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> list: array<vec2u>; // distance, point
@group(0) @binding(5) var<uniform> grid: Grid;

var<workgroup> fromLast: atomic<u32>; // 256 less the first row
var<workgroup> rows: atomic<u32>; // 1 more than the last
var<workgroup> rooms: array<atomic<u32>, ROOM>; // counts, then where the next entry goes

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  var tiles = NO_TILES;
  var key = 0u;
  if (id.x < args[11]) {
    tiles = splats[id.x].tiles;
    key = splats[id.x].key;
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
  if (size <= ROOM) {
    for (var y = first.y; y <= last.y; y++) {
      for (var x = first.x; x <= last.x; x++) {
        atomicAdd(&rooms[(y - top) * grid.tiles.x + x], 1u);
      }
    }
  }
  workgroupBarrier();
  if (size <= ROOM) {
    for (var i = lane; i < size; i += 256u) {
      let count = atomicLoad(&rooms[i]);
      if (count > 0u) {
        let tile = top * grid.tiles.x + i;
        atomicStore(&rooms[i], starts[tile] + atomicAdd(&counts[tile], count));
      }
    }
  }
  workgroupBarrier();
  if (size <= ROOM) {
    for (var y = first.y; y <= last.y; y++) {
      for (var x = first.x; x <= last.x; x++) {
        enter(atomicAdd(&rooms[(y - top) * grid.tiles.x + x], 1u), key, id.x);
      }
    }
    return;
  }
  for (var y = first.y; y <= last.y; y++) {
    for (var x = first.x; x <= last.x; x++) {
      let tile = y * grid.tiles.x + x;
      enter(starts[tile] + atomicAdd(&counts[tile], 1u), key, id.x);
    }
  }
}

fn enter(slot: u32, key: u32, point: u32) {
  if (slot < grid.entries) {
    list[slot] = vec2u(key, point);
  }
}
