// A plain copy: the upper bound of memory bandwidth, which no stage can beat. One invocation moves four words of 16 bytes. The invocations
// of a workgroup read adjacent words; an invocation's own words are a workgroup's width apart:
//
//   workgroup 0: |0 1 2 … 63|0 1 2 … 63|0 1 2 … 63|0 1 2 … 63| workgroup 1: |0 1 2 …
//
override LENGTH: u32; // in vec4u, a multiple of 256

@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> sink: array<vec4u>;

const WIDTH = 64u;
const EACH = 4u;

@compute @workgroup_size(WIDTH)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let first = (group.y * groups.x + group.x) * WIDTH * EACH + lane;
  for (var i = 0u; i < EACH; i++) {
    let at = first + i * WIDTH;
    if (at < LENGTH) {
      sink[at] = source[at];
    }
  }
}
