// Workgroups with next to nothing to do: the first invocation of each leaves the workgroup's number, turned, which tells that it ran, and
// all return. The word is written and not read, so that no workgroup stays to wait for memory.
override SIZE: u32; // invocations of a workgroup

@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;

@compute @workgroup_size(SIZE) fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  if (lane != 0u) { return; }
  let at = group.y * groups.x + group.x;
  numbers[at] = ~at;
}
