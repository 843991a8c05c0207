// Compaction in one kernel (Hughes, Lim, Jones, Knoll, Spencer, "InK-Compact", Computer Graphics Forum 2013): a workgroup reserves room
// for its words by one atomic add, and keeps their order among themselves. Workgroups come in any order, so the whole is not in order.
enable subgroups;

override WORKGROUP: u32 = 256u;
override LENGTH: u32;
override SUBGROUPS: u32 = (WORKGROUP + SMALLEST - 1u) / SMALLEST;

const SMALLEST = 4u; // WGSL's smallest subgroup

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> kept: array<u32>;
@group(0) @binding(2) var<storage, read_write> total: array<atomic<u32>>; // 0 before the first workgroup

var<workgroup> sums: array<u32, SUBGROUPS>;
var<workgroup> start: u32;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(subgroup_invocation_id) lane: u32,
  @builtin(subgroup_size) size: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let at = (group.y * groups.x + group.x) * WORKGROUP + local;
  let word = select(0u, words[min(at, LENGTH - 1u)], at < LENGTH);
  let keeps = min(word, 1u);
  let before = subgroupExclusiveAdd(keeps);
  let sum = subgroupAdd(keeps);
  if (lane == 0u) { sums[local / size] = sum; }
  workgroupBarrier();
  var earlier = 0u;
  var all = 0u;
  for (var i = 0u; i < SUBGROUPS; i++) {
    let count = select(0u, sums[i], i * size < WORKGROUP);
    earlier += select(0u, count, i < local / size);
    all += count;
  }
  if (local == 0u) { start = atomicAdd(&total[0], all); }
  workgroupBarrier();
  if (keeps != 0u) { kept[start + earlier + before] = word; }
}
