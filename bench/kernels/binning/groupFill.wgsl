// Writes each sample to its tile's list: a workgroup counts its samples in workgroup memory, reserves room for all its samples of a tile by
// one atomic in memory, and hands out the places by atomics in workgroup memory. If there are more tiles than ROOM, it does so range of
// tiles by range of tiles.
override LENGTH: u32;
override TILES: u32;
override ROOM: u32; // tiles counted at a time
override EACH: u32; // samples of an invocation

const WORKGROUP = 256u;

@group(0) @binding(0) var<storage, read> samples: array<vec2u>; // tile, value
@group(0) @binding(1) var<storage, read_write> places: array<atomic<u32>>; // by tile: before, where its list starts; after, where it ends
@group(0) @binding(2) var<storage, read_write> list: array<vec2u>;

var<workgroup> rooms: array<atomic<u32>, ROOM>; // counts; then the next place

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
        if (tile < size) { atomicAdd(&rooms[tile], 1u); }
      }
    }
    workgroupBarrier();
    for (var tile = local; tile < size; tile += WORKGROUP) {
      let count = atomicLoad(&rooms[tile]);
      if (count > 0u) { atomicStore(&rooms[tile], atomicAdd(&places[low + tile], count)); }
    }
    workgroupBarrier();
    for (var k = 0u; k < EACH; k++) {
      let at = first + k * WORKGROUP;
      if (at < LENGTH) {
        let sample = samples[at];
        let tile = sample.x - low;
        if (tile < size) { list[atomicAdd(&rooms[tile], 1u)] = sample; }
      }
    }
    workgroupBarrier();
    for (var tile = local; tile < size; tile += WORKGROUP) { atomicStore(&rooms[tile], 0u); }
    workgroupBarrier();
  }
}
