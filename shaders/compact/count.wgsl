// #import "./valid.wgsl"
// Kernel 2 (pipeline/README.md). An invocation: some pixels of a tile (many tiles). A workgroup: one tile. It leaves: its number of valid
// pixels.
// Compaction, first of two passes: counts the valid pixels of each tile.
//
// The image is one line of vec4s of 8 packed pixels, in raster order, including the rows' padding (which is invalid). A tile has WORKGROUP
// × VECTORS of these and belongs to one workgroup. An invocation counts VECTORS vec4s, each a workgroup's width apart.
override WORKGROUP: u32 = 256u;
override VECTORS: u32 = 1u;
override TOTAL_VECTORS: u32;

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

var<workgroup> tileCount: atomic<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) tile: vec3u) {
  var valid = 0u;
  for (var i = 0u; i < VECTORS; i++) {
    let at = (tile.x * VECTORS + i) * WORKGROUP + local;
    if (at < TOTAL_VECTORS) { valid += countValid(depth[at]); }
  }
  atomicAdd(&tileCount, valid);
  workgroupBarrier();
  if (local == 0u) { counts[tile.x] = atomicLoad(&tileCount); }
}
