// Kernel 1 (pipeline/README.md). An invocation: 8 pixels. A workgroup: 2048 pixels. It leaves: depth within a range.
// Makes depth outside a range invalid. One invocation processes 8 pixels: the even and the odd ones of four words. Workgroups are large,
// since to start a small one takes longer than to move its words.
override VECTORS: u32;

const WORKGROUP = 256u; // invocations

// In depth units; both ends belong to the range.
struct Limits { least: u32, most: u32 }

@group(0) @binding(0) var<uniform> range: Limits;
@group(0) @binding(1) var<storage, read> depth: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> inside: array<vec4u>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= VECTORS) { return; }
  let words = depth[id.x];
  inside[id.x] = kept(words & vec4u(0xffffu)) | (kept(words >> vec4u(16u)) << vec4u(16u));
}

fn kept(z: vec4u) -> vec4u {
  return select(vec4u(), z, (z >= vec4u(range.least)) & (z <= vec4u(range.most)));
}
