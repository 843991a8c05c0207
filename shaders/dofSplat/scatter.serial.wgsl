// scatter.wgsl for a CPU that plays a GPU: an invocation goes along a stretch of points and puts each on the lists of its
// tiles. One loop for points and tiles: a trip is one entry, so that lanes do not wait for one whose splat is larger.

const STRETCH = 64u;
const MOST_TRIPS = 0x1000000u;

struct Grid {
  size: vec2u, // of the picture, px
  tiles: vec2u, // columns and rows
  entries: u32, // room in the lists
  maxReach: f32, // px; no splat reaches farther
}

@group(0) @binding(0) var<storage, read> args: array<u32>;
@group(0) @binding(1) var<storage, read> touched: array<u32>; // see project.serial.wgsl
@group(0) @binding(2) var<storage, read_write> ends: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> list: array<u32>; // points
@group(0) @binding(4) var<uniform> grid: Grid;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var point = id.x * STRETCH;
  let last = min(point + STRETCH, args[11]);
  let roomy = arrayLength(&list);
  var left = 0u; // tiles of the point that are still to be entered
  var column = 0u;
  var tile = 0u;
  var width = 0u;
  for (var trip = 0u; trip < MOST_TRIPS; trip++) {
    if (point >= last) {
      break;
    }
    if (left == 0u) {
      let tiles = touched[point];
      width = (tiles >> 19u) & 63u;
      left = width * (tiles >> 25u);
      tile = ((tiles >> 9u) & 1023u) * grid.tiles.x + (tiles & 511u);
      column = 0u;
    }
    if (left > 0u) {
      let slot = atomicAdd(&ends[tile], 1u);
      if (slot < roomy) {
        list[slot] = point;
      }
      column++;
      left--;
      let wraps = column == width;
      tile += select(1u, grid.tiles.x + 1u - width, wraps);
      column = select(column, 0u, wraps);
    }
    point += select(0u, 1u, left == 0u);
  }
}
