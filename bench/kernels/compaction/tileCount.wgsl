// Our compaction (shaders/compact/count.wgsl) of words, first of two passes: counts the words of each tile that are not 0. A tile has
// WORKGROUP × VECTORS vec4s and belongs to one workgroup.
override WORKGROUP: u32 = 128u;
override VECTORS: u32;
override TOTAL_VECTORS: u32;

@group(0) @binding(0) var<storage, read> words: array<vec4u>; // 0 beyond the input's end, to the end of its last vec4
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

var<workgroup> tileCount: atomic<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) tile: vec3u) {
  if (local == 0u) { atomicStore(&tileCount, 0u); }
  workgroupBarrier();
  var count = 0u;
  for (var i = 0u; i < VECTORS; i++) {
    let at = (tile.x * VECTORS + i) * WORKGROUP + local;
    if (at < TOTAL_VECTORS) {
      let keeps = min(words[at], vec4u(1u));
      count += keeps.x + keeps.y + keeps.z + keeps.w;
    }
  }
  atomicAdd(&tileCount, count);
  workgroupBarrier();
  if (local == 0u) { counts[tile.x] = atomicLoad(&tileCount); }
}
