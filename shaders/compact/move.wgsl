// #import "./valid.wgsl"
// #import "./points.wgsl"
// Kernel 3 (pipeline/README.md). An invocation: the same pixels. A workgroup: the same tile, after summing the counts before it. It leaves:
// points (points.wgsl), arguments.
// Compaction, second of two passes: writes every valid pixel as a point, in raster order.
//
// Each workgroup sums the counts of all earlier tiles itself, so no workgroup waits for another:
//
//    counts     c0  c1  c2  c3 | c4 ...          tile 4 starts at point c0 + c1 + c2 + c3
//
// A workgroup processes its tile in ROUNDS. In a round each invocation counts the valid pixels of a vec4 of 8; the workgroup sums the
// counts (16 at a time) and lines the valid pixels up in workgroup memory. Then adjacent invocations write adjacent points, so that writes
// fill whole cache lines (six times as fast on large images).
//
// The last tile's first invocation knows the total and writes the indirect arguments.
override ROUNDS: u32 = 1u;
override TOTAL_VECTORS: u32;
override TILES: u32;
override COUNTS_EACH: u32 = (TILES + WORKGROUP - 1u) / WORKGROUP;
override GROUPS: u32 = WORKGROUP / GROUP;

const GROUP = 16u;

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read> counts: array<u32>;

var<workgroup> priorCounts: array<u32, WORKGROUP>;
var<workgroup> ownCounts: array<u32, WORKGROUP>;
var<workgroup> priorSums: array<u32, GROUPS>;
var<workgroup> groupSums: array<u32, GROUPS>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) tile: vec3u) {
  var tilesBefore = 0u;
  for (var i = 0u; i < COUNTS_EACH; i++) {
    let other = i * WORKGROUP + local;
    if (other < tile.x) { tilesBefore += counts[other]; }
  }
  priorCounts[local] = tilesBefore;
  var start = 0u; // index of the round's first point
  for (var round = 0u; round < ROUNDS; round++) {
    let roundFirst = (tile.x * ROUNDS + round) * WORKGROUP;
    let vector = roundFirst + local;
    let words = select(vec4u(), depth[min(vector, TOTAL_VECTORS - 1u)], vector < TOTAL_VECTORS);
    ownCounts[local] = countValid(words);
    workgroupBarrier();
    if (local < GROUPS) {
      groupSums[local] = 0u;
      priorSums[local] = 0u;
      for (var i = 0u; i < GROUP; i++) {
        groupSums[local] += ownCounts[local * GROUP + i];
        priorSums[local] += priorCounts[local * GROUP + i];
      }
    }
    workgroupBarrier();
    var before = 0u;
    var total = 0u;
    var prior = 0u;
    for (var i = 0u; i < GROUPS; i++) {
      before += select(0u, groupSums[i], i < local / GROUP);
      total += groupSums[i];
      prior += priorSums[i];
    }
    let group = local / GROUP * GROUP;
    for (var i = 0u; i < GROUP; i++) {
      before += select(0u, ownCounts[group + i], group + i < local);
    }
    if (round == 0u) { start = prior; }
    lineUp(words, local * 8u, before);
    workgroupBarrier();
    for (var i = local; i < total; i += WORKGROUP) {
      let pixel = roundFirst * 8u + (lined[i] >> 16u);
      let v = pixel / (ROW_VECTORS * 8u);
      movePixel(pixel - v * ROW_VECTORS * 8u, v, lined[i] & 0xffffu, start + i);
    }
    workgroupBarrier();
    start += total;
  }
  if (tile.x == TILES - 1u && local == 0u) { args = pointArgs(start); }
}
