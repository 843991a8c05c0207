// A pixel is invalid where the right image's pixel sees something farther. One whose place in the right image sees something nearer is
// hidden there, and keeps the disparity that its surface continues with. One invocation is one pixel.
override WIDTH: u32;
override HEIGHT: u32;
override FROM: u32;

const NEVER = 0xffffffffu;

@group(0) @binding(0) var<storage, read> offers: array<u32>;
@group(0) @binding(1) var<storage, read_write> disparities: array<u32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= WIDTH || id.y >= HEIGHT) { return; }
  let at = id.y * WIDTH + id.x;
  let word = disparities[at];
  let away = (word >> 16u) + FROM;
  let isSeen = id.x >= away && away <= ((NEVER - offers[at - min(away, id.x)]) & 511u) + 1u + FROM;
  disparities[at] = select(0u, word & 0xffffu, isSeen);
}
