// #import "./splats.wgsl"
// Kernel 2 (pipeline/README.md). An invocation: some tiles. A workgroup: all tiles. It leaves: where each tile's list starts.
// One workgroup turns the tiles' counts into the starts of their lists, by an exclusive scan: 4 × QUADS tiles per lane, 4 × QUADS × LANES
// tiles per round.
//
//   counts   3 0 2 5 │ 1 …        each lane sums its own counts, the lanes' sums are scanned,
//   starts   0 3 3 5 │ 10 … n     and the round's total is carried to the next round
//
// A tile whose list would end beyond the capacity of the lists stays empty, and is counted in `stats`. The counts are set to 0, because the
// scatter counts up again as it fills the lists. Counts past the last tile are always 0, so the total n follows the last start.

override LANES: u32 = 256u;
override SUMS: u32 = 2u * LANES;

// Groups of four tiles per lane. A round costs a wait for memory and log2(LANES) barriers, however many tiles it processes.
const QUADS = 4u;

struct Stats {
  entries: u32, // list entries of this frame
  tiles: u32, // tiles whose list did not fit
}

@group(0) @binding(0) var<storage, read_write> counts: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> starts: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> stats: Stats;
@group(0) @binding(3) var<uniform> grid: Grid;

var<workgroup> sums: array<u32, SUMS>; // two buffers, for one step and the next
var<workgroup> unlisted: atomic<u32>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  let tiles = grid.tiles.x * grid.tiles.y;
  let quads = tiles / 4u + 1u;
  var before = 0u;
  var missed = vec4u(0u);
  for (var round = 0u; round < quads; round += QUADS * LANES) {
    let first = round + QUADS * lane;
    var upToQuad = array<vec4u, QUADS>();
    var own = 0u;
    for (var k = 0u; k < QUADS; k++) {
      let count = select(vec4u(0u), counts[min(first + k, quads - 1u)], first + k < quads);
      let two = vec4u(count.x, count.x + count.y, count.z, count.z + count.w);
      upToQuad[k] = own + two + vec4u(0u, 0u, two.y, two.y);
      own = upToQuad[k].w;
    }
    var upTo = own;
    var side = 0u;
    for (var step = 1u; step < LANES; step <<= 1u) {
      sums[side + lane] = upTo;
      workgroupBarrier();
      upTo += select(0u, sums[side + max(lane, step) - step], lane >= step);
      side = LANES - side;
    }
    var start = before + upTo - own;
    for (var k = 0u; k < QUADS && first + k < quads; k++) {
      let q = first + k;
      let ends = before + upTo - own + upToQuad[k];
      starts[q] = vec4u(start, ends.xyz);
      counts[q] = vec4u(0u);
      let here = vec4u(4u * q) + vec4u(0u, 1u, 2u, 3u) < vec4u(tiles);
      missed += select(vec4u(0u), vec4u(1u), here & (ends > vec4u(grid.entries)));
      start = ends.w;
    }
    sums[side + lane] = upTo;
    workgroupBarrier();
    before += sums[side + LANES - 1u];
    workgroupBarrier();
  }
  atomicAdd(&unlisted, missed.x + missed.y + missed.z + missed.w);
  workgroupBarrier();
  if (lane == 0u) {
    stats.entries = before;
    stats.tiles = atomicLoad(&unlisted);
  }
}
