// Exclusive scan in place of each block of 1024 counts by itself; writes the blocks' sums, which are scanned next (scanShort.wgsl, or this
// kernel once more) and added by scanAdd.wgsl. One invocation has four counts.
override LENGTH: u32;

const WORKGROUP = 256u;
const STEPS = 8u; // log2 of WORKGROUP

@group(0) @binding(0) var<storage, read_write> counts: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> own: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let index = group.y * groups.x + group.x;
  let at = index * WORKGROUP + local;
  var four = vec4u();
  for (var i = 0u; i < 4u; i++) {
    if (at * 4u + i < LENGTH) { four[i] = counts[at][i]; }
  }
  let sum = four.x + four.y + four.z + four.w;
  own[local] = sum;
  workgroupBarrier();
  for (var step = 0u; step < STEPS; step++) {
    let reach = 1u << step;
    let earlier = select(0u, own[max(local, reach) - reach], local >= reach);
    workgroupBarrier();
    own[local] += earlier;
    workgroupBarrier();
  }
  let before = own[local] - sum;
  if (at * 4u < LENGTH) {
    counts[at] = before + vec4u(0u, four.x, four.x + four.y, four.x + four.y + four.z);
    if (local == WORKGROUP - 1u || (at + 1u) * 4u >= LENGTH) { sums[index] = own[local]; }
  }
}
