// Stream compaction without loops (D. Spataro's, of Orange Owls), step 3 of 3: a thread an element. A word's place is where its workgroup
// starts (the scanned counts), plus the words kept by earlier subgroups of the workgroup, plus those of earlier lanes.
//
// Subgroups have to hold consecutive invocations, which WGSL leaves open and the check of the output tells.
enable subgroups;

override WORKGROUP: u32 = 256u;
override LENGTH: u32;
override SUBGROUPS: u32 = (WORKGROUP + SMALLEST - 1u) / SMALLEST;

const SMALLEST = 4u; // WGSL's smallest subgroup

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> kept: array<u32>;

var<workgroup> sums: array<u32, SUBGROUPS>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(subgroup_invocation_id) lane: u32,
  @builtin(subgroup_size) size: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let index = group.y * groups.x + group.x;
  let at = index * WORKGROUP + local;
  let word = select(0u, words[min(at, LENGTH - 1u)], at < LENGTH);
  let keeps = min(word, 1u);
  let before = subgroupExclusiveAdd(keeps);
  let sum = subgroupAdd(keeps);
  if (lane == 0u) { sums[local / size] = sum; }
  workgroupBarrier();
  var earlier = 0u;
  for (var i = 0u; i < SUBGROUPS; i++) { earlier += select(0u, sums[i], i < local / size); }
  let place = starts[index] + earlier + before;
  if (keeps != 0u) { kept[place] = word; }
}
