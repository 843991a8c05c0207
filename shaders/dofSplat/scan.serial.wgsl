// scan.wgsl for a CPU that plays a GPU: one invocation goes along all tiles, four at a time. A barrier would cost as much as
// eight tiles do.
//
// Each tile's list begins at a whole window of 32 entries, which is what `order` sorts at a time:
//
//   counts   3 40 0 2 │ …        starts   0 32 96 96 │ 128 …

override TILES: u32;

const WINDOW = 32u;
const NO_ROOM = 0x80000000u; // where the list of a tile begins that has none

struct Grid {
  size: vec2u, // of the picture, px
  tiles: vec2u, // columns and rows
  entries: u32, // room in the lists
  maxReach: f32, // px; no splat reaches farther
}

struct Stats {
  entries: u32, // list entries this frame asked for
  tiles: u32, // tiles whose list did not fit
}

@group(0) @binding(0) var<storage, read_write> counts: array<vec4u>; // 0 again for the next frame
@group(0) @binding(1) var<storage, read_write> starts: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> ends: array<vec4u>; // so far none is in a list
@group(0) @binding(3) var<storage, read_write> stats: Stats;
@group(0) @binding(4) var<uniform> grid: Grid;
@group(0) @binding(5) var<storage, read_write> long: array<u32>; // tiles whose list is longer than a window
@group(0) @binding(6) var<storage, read_write> longArgs: vec4u; // a workgroup for four of them; their number

var<private> longs: u32;

@compute @workgroup_size(1)
fn main() {
  var start = 0u;
  var asked = 0u;
  var missed = vec4u();
  for (var quad = 0u; quad < (TILES + 3u) / 4u; quad++) {
    let count = counts[quad];
    let two = vec4u(count.x, count.x + count.y, count.z, count.z + count.w);
    let upTo = asked + two + vec4u(0u, 0u, two.y, two.y);
    let room = (count + (WINDOW - 1u)) & vec4u(~(WINDOW - 1u));
    let at = start + vec4u(0u, room.x, room.x + room.y, room.x + room.y + room.z);
    let fits = upTo <= vec4u(grid.entries);
    let first = select(vec4u(NO_ROOM), at, fits);
    let tiles = vec4u(4u * quad) + vec4u(0u, 1u, 2u, 3u);
    missed += select(vec4u(1u), vec4u(0u), fits | (tiles >= vec4u(TILES)));
    starts[quad] = first;
    ends[quad] = first;
    counts[quad] = vec4u();
    keep(tiles.x, count.x, fits.x);
    keep(tiles.y, count.y, fits.y);
    keep(tiles.z, count.z, fits.z);
    keep(tiles.w, count.w, fits.w);
    start = at.w + room.w;
    asked = upTo.w;
  }
  longArgs = vec4u((longs + 3u) / 4u, 1u, 1u, longs);
  stats = Stats(asked, missed.x + missed.y + missed.z + missed.w);
}

fn keep(tile: u32, count: u32, fits: bool) {
  if ((count > WINDOW) & fits) {
    long[longs] = tile;
    longs++;
  }
}
