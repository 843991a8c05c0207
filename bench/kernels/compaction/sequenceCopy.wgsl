// A copy of the input by sequences: what reading and writing as sequenceMove.wgsl does costs, without counting anything. Beside
// plainCopy.wgsl it tells what the order of access alone takes.
override SUBGROUP: u32; // invocations of a subgroup: the device's only size
override EACH: u32;
override EXTRA: u32;
override TURNS: u32 = EACH + 1u;

const WORKGROUP = 128u;

@group(0) @binding(0) var<storage, read> source: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> sink: array<vec2u>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  let sequence = (group.x * WORKGROUP + local) / SUBGROUP;
  let lane = local % SUBGROUP;
  let first = sequence * EACH + min(sequence, EXTRA);
  let blocks = EACH + select(0u, 1u, sequence < EXTRA);
  for (var turn = 0u; turn < TURNS; turn++) {
    if (turn < blocks) {
      let at = (first + turn) * SUBGROUP + lane;
      sink[at] = source[at];
    }
  }
}
