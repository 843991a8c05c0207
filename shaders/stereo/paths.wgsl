// #import "./line.wgsl"
// Kernel 4 (pipeline/README.md). An invocation: 2 to 16 disparities of every pixel of a path. A workgroup: one path through the image. It
// leaves: sums of costs.
// Walks the paths (line.wgsl) with the lanes' costs in workgroup memory. Both take turns between copies, so that a step has one barrier:
//
//     step t    reads least[t − 1], edges[t − 1]   adds to least[t], writes edges[t]   resets least[t + 1]

const WORKGROUP = 32u;

var<workgroup> least: array<atomic<u32>, 3>;
var<workgroup> edges: array<array<vec2u, WORKGROUP>, 2>; // a lane's first and last cost

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let path = pathOf(group.x);
  if (lane == 0u) { atomicStore(&least[0], NEVER); }
  workgroupBarrier();
  var lanes: array<u32, MOST_EACH>;
  var pixel = path.first;
  var own = ownOf(pixel, lane);
  for (var t = 0u; t < path.length; t++) {
    let next = ownOf(pixel + path.step, lane);
    let low = atomicLoad(&least[(t + 2u) % 3u]);
    let below = select(edges[(t + 1u) & 1u][max(lane, 1u) - 1u].y, NEVER, lane == 0u);
    let above = select(edges[(t + 1u) & 1u][min(lane + 1u, LANES - 1u)].x, NEVER, lane == LANES - 1u);
    let mine = walk(&lanes, own, low, below, above);
    addSums(&lanes, path.sums + pixel * COUNT + lane * EACH);
    edges[t & 1u][lane] = vec2u(lanes[0], lanes[EACH - 1u]);
    atomicMin(&least[t % 3u], mine);
    if (lane == 0u) { atomicStore(&least[(t + 1u) % 3u], NEVER); }
    own = next;
    pixel += path.step;
    workgroupBarrier();
  }
}
