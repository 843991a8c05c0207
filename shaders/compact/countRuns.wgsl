// Compaction by runs, first of two passes: how many pixels of each run are valid.
//
// A run is a stretch of the image in raster order, RUN vec4s of 8 packed pixels, the work of one invocation. For a GPU that is
// a processor's vectors: there a barrier costs more than reading a row, and nobody has cache lines to share.
override RUN: u32;
override TOTAL_VECTORS: u32;

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let first = id.x * RUN;
  if (first >= TOTAL_VECTORS) { return; }
  var valid = vec4u();
  for (var i = 0u; i < RUN; i++) {
    let words = select(vec4u(), depth[min(first + i, TOTAL_VECTORS - 1u)], first + i < TOTAL_VECTORS);
    valid += min(words & vec4u(0xffffu), vec4u(1u)) + min(words & vec4u(0xffff0000u), vec4u(1u));
  }
  counts[id.x] = valid.x + valid.y + valid.z + valid.w;
}
