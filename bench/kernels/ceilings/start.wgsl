// Workgroups with next to nothing to do: the first WRITERS invocations of each leave the number of their word, turned, which tells that
// they ran, and all return. The words are written and not read, so that no workgroup stays to wait for memory. Numbers wrap around at the
// buffer's end, where workgroups write the same words once more.
override SIZE: u32; // invocations of a workgroup
override WRITERS: u32;

@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;

@compute @workgroup_size(SIZE) fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  if (lane >= WRITERS) { return; }
  let at = ((group.y * groups.x + group.x) * WRITERS + lane) % arrayLength(&numbers);
  numbers[at] = ~at;
}
