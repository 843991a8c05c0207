// Writes each sample to its tile's list, in the place that one atomic add in memory returns.
override LENGTH: u32;

const WORKGROUP = 256u;

@group(0) @binding(0) var<storage, read> samples: array<vec2u>; // tile, value
@group(0) @binding(1) var<storage, read_write> places: array<atomic<u32>>; // by tile: before, where its list starts; after, where it ends
@group(0) @binding(2) var<storage, read_write> list: array<vec2u>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let at = (group.y * groups.x + group.x) * WORKGROUP + local;
  if (at >= LENGTH) { return; }
  let sample = samples[at];
  list[atomicAdd(&places[sample.x], 1u)] = sample;
}
