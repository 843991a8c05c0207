// #import "../core/args.wgsl"
// #import "./splats.wgsl"
// Kernel 3 (pipeline/README.md). An invocation: one splat. A workgroup: 256 splats. It leaves: the tiles' lists.
// One invocation adds one splat to the list of every tile that it touches. The atomics decide the order within a list; `order` then sorts
// by (distance, point), which has no ties, so the picture does not depend on it.
//
// Adjacent points touch the same tiles. So a workgroup first counts in workgroup memory, for the rows of tiles that it touches, and then
// reserves room once per tile instead of once per splat. If those rows have too many tiles, each splat reserves its own room.
//
//   counted   0 0 9 31 4 0 …      rooms   · · 812 940 77 · …      each splat takes its tile's next entry

@group(0) @binding(0) var<storage, read> args: Args;
@group(0) @binding(1) var<storage, read> places: array<vec2u>; // of the points: tiles and key (project.wgsl)
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> list: array<vec2u>; // distance, point
@group(0) @binding(5) var<uniform> grid: Grid;

var<workgroup> fromLast: atomic<u32>; // BEYOND minus the first row
var<workgroup> rows: atomic<u32>; // the last row plus 1
var<workgroup> rooms: array<atomic<u32>, ROOM>; // counts; then the index of the next entry

@compute @workgroup_size(POINTS)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let point = id.x + id.y * POINTS * groups.x; // POINT_ARGS in stages/core/resources.ts says why there may be rows
  var place = vec2u(NO_TILES, 0u);
  if (point < args.count) { place = places[point]; }
  let tiles = place.x;
  let key = place.y;
  let first = vec2u(tiles & 255u, (tiles >> 8u) & 255u);
  let last = vec2u((tiles >> 16u) & 255u, tiles >> 24u);
  if (tiles != NO_TILES) {
    atomicMax(&fromLast, BEYOND - first.y);
    atomicMax(&rows, last.y + 1u);
  }
  workgroupBarrier();
  let top = BEYOND - atomicLoad(&fromLast);
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
    for (var i = lane; i < size; i += POINTS) {
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
        enter(atomicAdd(&rooms[(y - top) * grid.tiles.x + x], 1u), key, point);
      }
    }
    return;
  }
  for (var y = first.y; y <= last.y; y++) {
    for (var x = first.x; x <= last.x; x++) {
      let tile = y * grid.tiles.x + x;
      enter(starts[tile] + atomicAdd(&counts[tile], 1u), key, point);
    }
  }
}

fn enter(slot: u32, key: u32, point: u32) {
  if (slot < grid.entries) {
    list[slot] = vec2u(key, point);
  }
}
