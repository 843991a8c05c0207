// Stream compaction without loops (D. Spataro's, of Orange Owls, after Billeter et al.), step 1 of 3: a thread an element, a count for
// each workgroup.
enable subgroups;

override WORKGROUP: u32 = 256u;
override LENGTH: u32;

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

var<workgroup> count: atomic<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(subgroup_invocation_id) lane: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let index = group.y * groups.x + group.x;
  let at = index * WORKGROUP + local;
  if (local == 0u) { atomicStore(&count, 0u); }
  workgroupBarrier();
  let word = select(0u, words[min(at, LENGTH - 1u)], at < LENGTH);
  let sum = subgroupAdd(min(word, 1u));
  if (lane == 0u) { atomicAdd(&count, sum); }
  workgroupBarrier();
  if (local == 0u && index * WORKGROUP < LENGTH) { counts[index] = atomicLoad(&count); }
}
