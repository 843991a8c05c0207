// #import "./gather.wgsl"
// Kernel 9 (pipeline/README.md). An invocation: one pixel. A workgroup: 16 × 16 pixels. It leaves: steps gathered over a surface.
// Gathers the first time, and turns the sums into terms again, 1/128 as large.

@group(0) @binding(1) var<storage, read_write> spread: array<vec4u>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let sums = gather(id.xy, local.xy);
  if (id.x >= WIDTH || id.y >= HEIGHT) { return; }
  let own = sums.w & 0xffffu;
  let top = i32(sums.y - sums.x * own) >> 7u;
  let weight = sums.x >> 7u;
  spread[id.y * WIDTH + id.x] = vec4u(weight, weight * own + u32(top), sums.zw);
}
