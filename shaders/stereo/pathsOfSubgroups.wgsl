// #import "./line.wgsl"
// Kernel 5 (pipeline/README.md). An invocation: 2 to 16 disparities of every pixel of a path. A workgroup: one path, in one subgroup. It
// leaves: sums of costs.
enable subgroups;
// Walks the paths (line.wgsl) where a subgroup has LANES invocations: one subgroup walks one path, without a barrier.

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(subgroup_invocation_id) lane: u32) {
  let path = pathOf(group.x);
  var lanes: array<u32, MOST_EACH>;
  var low = 0u;
  var pixel = path.first;
  var own = ownOf(pixel, lane);
  for (var t = 0u; t < path.length; t++) {
    let next = ownOf(pixel + path.step, lane);
    let below = select(subgroupShuffleUp(lanes[EACH - 1u], 1u), NEVER, lane == 0u);
    let above = select(subgroupShuffleDown(lanes[0], 1u), NEVER, lane == LANES - 1u);
    low = subgroupMin(walk(&lanes, own, low, below, above));
    addSums(&lanes, path.sums + pixel * COUNT + lane * EACH);
    own = next;
    pixel += path.step;
  }
}
