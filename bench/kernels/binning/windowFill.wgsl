// Writes each sample to its tile's list as shaders/dofSplat/scatter.wgsl does: a workgroup finds the window of tiles that its samples lie
// in and, if the window has at most ROOM tiles, reserves room once a tile; else each sample reserves its own.
override LENGTH: u32;
override EACH: u32; // samples of an invocation, side by side

const WORKGROUP = 256u;
const ROOM = 1024u;
const LAST = 0xffffffffu;

@group(0) @binding(0) var<storage, read> samples: array<vec2u>; // tile, value
@group(0) @binding(1) var<storage, read_write> places: array<atomic<u32>>; // by tile: before, where its list starts; after, where it ends
@group(0) @binding(2) var<storage, read_write> list: array<vec2u>;

var<workgroup> fromLast: atomic<u32>; // LAST minus the window's first tile
var<workgroup> beyond: atomic<u32>; // the window's last tile plus 1
var<workgroup> rooms: array<atomic<u32>, ROOM>; // counts; then the next place

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let index = group.y * groups.x + group.x;
  let first = min((index * WORKGROUP + local) * EACH, LENGTH);
  let last = min(first + EACH, LENGTH);
  for (var at = first; at < last; at++) {
    atomicMax(&fromLast, LAST - samples[at].x);
    atomicMax(&beyond, samples[at].x + 1u);
  }
  workgroupBarrier();
  let low = LAST - atomicLoad(&fromLast);
  let size = max(atomicLoad(&beyond), low) - low;
  let own = size <= ROOM;
  for (var at = first; own && at < last; at++) { atomicAdd(&rooms[samples[at].x - low], 1u); }
  workgroupBarrier();
  for (var i = local; own && i < size; i += WORKGROUP) {
    let count = atomicLoad(&rooms[i]);
    if (count > 0u) { atomicStore(&rooms[i], atomicAdd(&places[low + i], count)); }
  }
  workgroupBarrier();
  for (var at = first; at < last; at++) {
    let sample = samples[at];
    var place: u32;
    if (own) { place = atomicAdd(&rooms[sample.x - low], 1u); } else { place = atomicAdd(&places[sample.x], 1u); }
    list[place] = sample;
  }
}
