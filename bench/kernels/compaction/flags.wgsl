// Stream compaction by a scan of flags (Thrust's copy_if of 2012), step 1 of 3: a flag for each word, 1 if it is not 0.
override LENGTH: u32;

const WORKGROUP = 256u;

@group(0) @binding(0) var<storage, read> words: array<vec4u>; // 0 beyond the input's end, to a multiple of 1024
@group(0) @binding(1) var<storage, read_write> flags: array<vec4u>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let at = (group.y * groups.x + group.x) * WORKGROUP + local;
  if (at * 4u < LENGTH) { flags[at] = min(words[at], vec4u(1u)); }
}
