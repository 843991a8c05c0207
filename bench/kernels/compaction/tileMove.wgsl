// Our compaction (shaders/compact/move.wgsl) of words, second of two passes. Each workgroup sums the counts of all earlier tiles itself.
// In a round each invocation counts the words of a vec4 that are not 0; the workgroup sums the counts (16 at a time) and lines the words
// up in workgroup memory, so that adjacent invocations write adjacent words.
override WORKGROUP: u32 = 128u;
override ROUNDS: u32;
override TOTAL_VECTORS: u32;
override TILES: u32;
override COUNTS_EACH: u32 = (TILES + WORKGROUP - 1u) / WORKGROUP;
override GROUPS: u32 = WORKGROUP / GROUP;

const GROUP = 16u;

@group(0) @binding(0) var<storage, read> words: array<vec4u>;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> kept: array<u32>;
@group(0) @binding(3) var<storage, read_write> total: array<u32>;

var<workgroup> priorCounts: array<u32, WORKGROUP>;
var<workgroup> ownCounts: array<u32, WORKGROUP>;
var<workgroup> priorSums: array<u32, GROUPS>;
var<workgroup> groupSums: array<u32, GROUPS>;
var<workgroup> lined: array<u32, WORKGROUP * 4u>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) tile: vec3u) {
  var tilesBefore = 0u;
  for (var i = 0u; i < COUNTS_EACH; i++) {
    let other = i * WORKGROUP + local;
    if (other < tile.x) { tilesBefore += counts[other]; }
  }
  priorCounts[local] = tilesBefore;
  var start = 0u; // index of the round's first word
  for (var round = 0u; round < ROUNDS; round++) {
    let vector = (tile.x * ROUNDS + round) * WORKGROUP + local;
    let four = select(vec4u(), words[min(vector, TOTAL_VECTORS - 1u)], vector < TOTAL_VECTORS);
    let keeps = min(four, vec4u(1u));
    ownCounts[local] = keeps.x + keeps.y + keeps.z + keeps.w;
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
    var all = 0u;
    var prior = 0u;
    for (var i = 0u; i < GROUPS; i++) {
      before += select(0u, groupSums[i], i < local / GROUP);
      all += groupSums[i];
      prior += priorSums[i];
    }
    let group = local / GROUP * GROUP;
    for (var i = 0u; i < GROUP; i++) {
      before += select(0u, ownCounts[group + i], group + i < local);
    }
    if (round == 0u) { start = prior; }
    var at = before;
    for (var i = 0u; i < 4u; i++) {
      if (four[i] != 0u) {
        lined[at] = four[i];
        at++;
      }
    }
    workgroupBarrier();
    for (var i = local; i < all; i += WORKGROUP) { kept[start + i] = lined[i]; }
    workgroupBarrier();
    start += all;
  }
  if (tile.x == TILES - 1u && local == 0u) { total[0] = start; }
}
