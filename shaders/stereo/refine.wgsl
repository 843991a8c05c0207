// Gathers the second time: the mean of where a surface's pixels would go is the pixel's disparity, and that its depth. A pixel with few
// sure ones around is a speckle, or what chance found, and is invalid. One invocation is one pixel; two share a word.
// #import "./gather.wgsl"
override STRIDE: u32;
override SCALE: u32; // the depth of a disparity of one part

const PARTS = 256u;
const COARSE = 32u;
const LONGEST = 256i;
const FEWEST = 1500u;
const SHARE = 14u;

@group(0) @binding(1) var<storage, read_write> depth: array<u32>;

var<workgroup> found: array<u32, WORKGROUP>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let lane = local.y * TILE + local.x;
  found[lane] = depthOf(gathered(id.xy, local.xy));
  workgroupBarrier();
  if (lane % 2u == 0u && id.x < STRIDE && id.y < HEIGHT) {
    depth[(id.y * STRIDE + id.x) / 2u] = found[lane] | (found[lane + 1u] << 16u);
  }
}

fn depthOf(sums: vec4u) -> u32 {
  let own = sums.w & 0xffffu;
  let sure = sums.z & 0xffffu;
  if (own == 0u || sure < FEWEST || sure * 32u < (sums.z >> 16u) * SHARE) { return 0u; }
  let weight = i32(sums.x >> 3u);
  let change = select(0, i32(sums.y - sums.x * own) / max(weight, 1), weight > 0);
  let parts = u32(max(1, i32(own * (PARTS / COARSE)) + clamp(change, -LONGEST, LONGEST)));
  let z = (SCALE + parts / 2u) / parts;
  return select(z, 0u, z > 65535u);
}
