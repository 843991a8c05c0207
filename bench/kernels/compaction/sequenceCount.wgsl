// Stream compaction by Billeter, Olsson and Assarsson ("Efficient Stream Compaction on Wide SIMD Many-Core Architectures", HPG 2009,
// section 3), step 1 of 3: each subgroup counts the words of its sequence that are not 0.
//
// The input is cut into blocks of two words an invocation of a subgroup. A sequence is a run of blocks; the first EXTRA sequences have
// EACH + 1 blocks, the others EACH. With 3 sequences and 7 blocks:
//
//   blocks    | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
//   sequences |     0     |   1   |   2   |        EACH = 2, EXTRA = 1
//
// Every subgroup takes EACH + 1 turns, so that subgroup operations are reached by all; a turn without a block counts nothing.
enable subgroups;

override SUBGROUP: u32; // invocations of a subgroup: the device's only size
override EACH: u32;
override EXTRA: u32;
override TURNS: u32 = EACH + 1u;

const WORKGROUP = 128u;

@group(0) @binding(0) var<storage, read> pairs: array<vec2u>; // 0 beyond the input's end, to the end of its last block
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  let sequence = (group.x * WORKGROUP + local) / SUBGROUP;
  let lane = local % SUBGROUP;
  let first = sequence * EACH + min(sequence, EXTRA);
  let blocks = EACH + select(0u, 1u, sequence < EXTRA);
  var count = 0u;
  for (var turn = 0u; turn < TURNS; turn++) {
    if (turn < blocks) {
      let kept = min(pairs[(first + turn) * SUBGROUP + lane], vec2u(1u));
      count += kept.x + kept.y;
    }
  }
  let sum = subgroupAdd(count);
  if (lane == 0u) { counts[sequence] = sum; }
}
