// #import "./valid.wgsl"
// #import "./points.wgsl"
// Kernel 1 (pipeline/README.md). An invocation: 8 pixels; sums the counts of earlier tiles. A workgroup: one tile, which publishes its
// count. It leaves: points (points.wgsl), arguments.
// Compaction in one pass: writes every valid pixel as a point, in raster order, and reads the image once.
//
// A tile has WORKGROUP vec4s of 8 pixels and belongs to one workgroup. The workgroup counts its valid pixels and publishes the count at
// once. Its points follow those of all earlier tiles, whose counts it sums itself, one invocation per tile.
//
//    tile       7         8          9                tile 10 begins at 76 + 91 + … + 88 + 80 + 95
//    states  |  88   |   80     |    95    |   77, its own
//
// So a workgroup waits only for counts of others, never for their sums, and every workgroup publishes before it waits. (D. Merrill, M.
// Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA 2016, hand sums on, which very many tiles need.) WGSL
// promises no progress between workgroups, so waiting is bounded: after SPINS polls an invocation counts the other tile's pixels itself
// (after T. Smith, R. Levien, J. Owens, "Decoupled fallback", SPAA 2025).
//
// States are not cleared between runs. Every tile takes part in every run, so a tile's own old state tells the number of this turn; states
// with another turn are not published yet.
override SPINS: u32 = 256u;
override TOTAL_VECTORS: u32;
override TILES: u32;
override GROUPS: u32 = WORKGROUP / GROUP;

const GROUP = 16u;
// A state holds a number of points (low 30 bits) and one of four turns (high 2 bits).
const NUMBER = 0x3fffffffu;
const TURN = 0x40000000u;
const TURNS = 0xc0000000u;

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> states: array<atomic<u32>>;

var<workgroup> ownCounts: array<u32, WORKGROUP>;
var<workgroup> groupSums: array<u32, GROUPS>;
var<workgroup> tileCount: atomic<u32>;
// The number of points of all earlier tiles.
var<workgroup> sum: atomic<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  let tile = group.x;
  let turn = (atomicLoad(&states[tile]) & TURNS) + TURN; // wraps around after the fourth turn
  let words = vectorOf(tile, local);
  let valid = countValid(words);
  ownCounts[local] = valid;
  atomicAdd(&tileCount, valid);
  workgroupBarrier();
  let total = atomicLoad(&tileCount);
  if (local == 0u) { atomicStore(&states[tile], turn | total); }
  if (local < GROUPS) {
    var count = 0u;
    for (var i = 0u; i < GROUP; i++) { count += ownCounts[local * GROUP + i]; }
    groupSums[local] = count;
  }
  workgroupBarrier();
  var before = 0u;
  for (var i = 0u; i < GROUPS; i++) { before += select(0u, groupSums[i], i < local / GROUP); }
  let first = local / GROUP * GROUP;
  for (var i = 0u; i < GROUP; i++) { before += select(0u, ownCounts[first + i], first + i < local); }
  lineUp(words, local * 8u, before);
  var own = 0u;
  for (var other = local; other < tile; other += WORKGROUP) { own += countOf(other, turn); }
  if (own != 0u) { atomicAdd(&sum, own); }
  workgroupBarrier();
  let start = atomicLoad(&sum);
  // A fixed number of rounds, so that one round's points can be computed while another's wait.
  for (var k = 0u; k < 8u; k++) {
    let i = k * WORKGROUP + local;
    if (i >= total) { continue; }
    let pixel = tile * PIXELS + (lined[i] >> 16u);
    let v = pixel / (ROW_VECTORS * 8u);
    movePixel(pixel - v * ROW_VECTORS * 8u, v, lined[i] & 0xffffu, start + i);
  }
  if (tile == TILES - 1u && local == 0u) { args = pointArgs(start + total); }
}

fn vectorOf(tile: u32, place: u32) -> vec4u {
  let vector = tile * WORKGROUP + place;
  return select(vec4u(), depth[min(vector, TOTAL_VECTORS - 1u)], vector < TOTAL_VECTORS);
}

// The count that another tile published in this turn; after SPINS polls, the count of its pixels made here.
fn countOf(tile: u32, turn: u32) -> u32 {
  for (var i = 0u; i < SPINS; i++) {
    let state = atomicLoad(&states[tile]);
    if ((state & TURNS) == turn) { return state & NUMBER; }
  }
  var count = 0u;
  for (var i = 0u; i < WORKGROUP; i++) { count += countValid(vectorOf(tile, i)); }
  return count;
}
