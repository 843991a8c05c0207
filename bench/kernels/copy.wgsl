override ACROSS: u32;
@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> sink: array<vec4u>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * ACROSS * 256u + id.x;
  if (i < arrayLength(&source)) { sink[i] = source[i]; }
}
