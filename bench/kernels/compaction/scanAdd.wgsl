// Adds to each count of a block of 1024 the sum of the blocks before it: the last step of a scan by blocks (scanBlocks.wgsl).
override LENGTH: u32;

const WORKGROUP = 256u;

@group(0) @binding(0) var<storage, read_write> counts: array<vec4u>;
@group(0) @binding(1) var<storage, read> sums: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let index = group.y * groups.x + group.x;
  let at = index * WORKGROUP + local;
  if (at * 4u < LENGTH) { counts[at] += sums[index]; }
}
