// Counts the samples of each tile: a workgroup counts its samples in workgroup memory, then adds each count that is not 0 to memory, by one
// atomic. If there are more tiles than ROOM, it does so range of tiles by range of tiles.
override LENGTH: u32;
override TILES: u32;
override ROOM: u32; // tiles counted at a time
override EACH: u32; // samples of an invocation

const WORKGROUP = 256u;

@group(0) @binding(0) var<storage, read> samples: array<vec2u>; // tile, value
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>; // by tile; 0 before

var<workgroup> counted: array<atomic<u32>, ROOM>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let first = (group.y * groups.x + group.x) * EACH * WORKGROUP + local;
  for (var low = 0u; low < TILES; low += ROOM) {
    let size = min(ROOM, TILES - low);
    for (var k = 0u; k < EACH; k++) {
      let at = first + k * WORKGROUP;
      if (at < LENGTH) {
        let tile = samples[at].x - low; // a tile below the range becomes a large number
        if (tile < size) { atomicAdd(&counted[tile], 1u); }
      }
    }
    workgroupBarrier();
    for (var tile = local; tile < size; tile += WORKGROUP) {
      let count = atomicExchange(&counted[tile], 0u);
      if (count > 0u) { atomicAdd(&counts[low + tile], count); }
    }
    workgroupBarrier();
  }
}
