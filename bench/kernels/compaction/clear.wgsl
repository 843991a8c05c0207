// Clears what a kernel counts up from 0 in every run.
override LENGTH: u32;

const WORKGROUP = 256u;

@group(0) @binding(0) var<storage, read_write> words: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let at = (group.y * groups.x + group.x) * WORKGROUP + local;
  if (at < LENGTH) { words[at] = 0u; }
}
