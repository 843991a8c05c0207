// One workgroup turns the tiles' counts into where each tile's list starts (an exclusive prefix sum):
//
//   counts   3 0 2 5 …          each lane sums its run of tiles, one lane's share at a time,
//   starts   0 3 3 5 10 … n     then the lanes' sums are scanned, and each lane walks its run again.
//
// A tile whose list would end past the room for lists stays unlisted: the accumulation reads every splat for it.
// The counts become 0: the scatter counts them up again as it fills the lists.

const LANES = 256u;

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

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> stats: Stats;
@group(0) @binding(3) var<uniform> grid: Grid;

var<workgroup> sums: array<u32, LANES>;
var<workgroup> unlisted: atomic<u32>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  let tiles = grid.tiles.x * grid.tiles.y;
  let run = (tiles + LANES - 1u) / LANES;
  let first = min(lane * run, tiles);
  let last = min(first + run, tiles);
  if (lane == 0u) {
    atomicStore(&unlisted, 0u);
  }
  var sum = 0u;
  for (var t = first; t < last; t++) {
    sum += counts[t];
  }
  sums[lane] = sum;
  for (var step = 1u; step < LANES; step <<= 1u) {
    workgroupBarrier();
    let left = select(0u, sums[max(lane, step) - step], lane >= step);
    workgroupBarrier();
    sums[lane] += left;
  }
  var at = sums[lane] - sum;
  var missed = 0u;
  for (var t = first; t < last; t++) {
    starts[t] = at;
    at += counts[t];
    counts[t] = 0u;
    missed += u32(at > grid.entries);
  }
  atomicAdd(&unlisted, missed);
  workgroupBarrier();
  if (lane == LANES - 1u) {
    starts[tiles] = at;
    stats.entries = at;
    stats.tiles = atomicLoad(&unlisted);
  }
}
