// Counts the samples of each tile as shaders/dofSplat/project.wgsl does: a workgroup finds the window of tiles that its samples lie in, and
// counts in workgroup memory if the window has at most ROOM tiles; else each sample is an atomic in memory.
override LENGTH: u32;
override EACH: u32; // samples of an invocation, side by side

const WORKGROUP = 256u;
const ROOM = 1024u;
const LAST = 0xffffffffu;

@group(0) @binding(0) var<storage, read> samples: array<vec2u>; // tile, value
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>; // by tile; 0 before

var<workgroup> fromLast: atomic<u32>; // LAST minus the window's first tile
var<workgroup> beyond: atomic<u32>; // the window's last tile plus 1
var<workgroup> counted: array<atomic<u32>, ROOM>;

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
  for (var at = first; at < last; at++) {
    let tile = samples[at].x;
    if (own) { atomicAdd(&counted[tile - low], 1u); } else { atomicAdd(&counts[tile], 1u); }
  }
  workgroupBarrier();
  for (var i = local; own && i < size; i += WORKGROUP) {
    let count = atomicLoad(&counted[i]);
    if (count > 0u) { atomicAdd(&counts[low + i], count); }
  }
}
