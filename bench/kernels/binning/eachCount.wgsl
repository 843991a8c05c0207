// Counts the samples of each tile: one atomic add in memory a sample.
override LENGTH: u32;

const WORKGROUP = 256u;

@group(0) @binding(0) var<storage, read> samples: array<vec2u>; // tile, value
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>; // by tile; 0 before

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let at = (group.y * groups.x + group.x) * WORKGROUP + local;
  if (at < LENGTH) { atomicAdd(&counts[samples[at].x], 1u); }
}
