// #import "./gather.wgsl"
// Kernel 10 (pipeline/README.md). An invocation: one pixel. A workgroup: 16 × 16 pixels. It leaves: disparities with their sub-pixel steps.
// Gathers a second time: a pixel's disparity, in parts, is the mean of its surface's refined disparities. A pixel with few sure pixels
// around it is a speckle, or a match by chance, and gets none, 0.

const PARTS = 256u;
const COARSE = 32u;
const LONGEST = 256i;
const FEWEST = 3000u;
const SHARE = 14u;

@group(0) @binding(1) var<storage, read_write> parts: array<u32>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let sums = gather(id.xy, local.xy);
  if (id.x < WIDTH && id.y < HEIGHT) { parts[id.y * WIDTH + id.x] = partsOf(sums); }
}

fn partsOf(sums: vec4u) -> u32 {
  let own = sums.w & 0xffffu;
  let sure = sums.z & 0xffffu;
  if (own == 0u || sure < FEWEST || sure * 32u < (sums.z >> 16u) * SHARE) { return 0u; }
  let weight = i32(sums.x >> 3u);
  let change = select(0, i32(sums.y - sums.x * own) / max(weight, 1), weight > 0);
  return u32(max(1, i32(own * (PARTS / COARSE)) + clamp(change, -LONGEST, LONGEST)));
}
