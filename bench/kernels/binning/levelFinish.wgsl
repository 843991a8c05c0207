// The last step of sorting a log by levels: one workgroup has a part of 2^FINEST tiles, few enough to be counted in workgroup memory. It
// counts them, scans the counts, and writes each entry to its tile's list, without an atomic in memory.
override LENGTH: u32;
override TILES: u32;
override FINEST: u32;
override PARTS: u32;

const WORKGROUP = 256u;
const WAYS = 32u;

@group(0) @binding(0) var<storage, read> parts: array<u32>; // where the parts begin
@group(0) @binding(1) var<storage, read> entries: array<vec2u>; // tile, value
@group(0) @binding(2) var<storage, read_write> starts: array<u32>; // where the tiles' lists begin
@group(0) @binding(3) var<storage, read_write> list: array<vec2u>;

var<workgroup> counted: array<atomic<u32>, WAYS>;
var<workgroup> places: array<atomic<u32>, WAYS>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let part = group.y * groups.x + group.x;
  if (part >= PARTS) { return; }
  let begin = parts[part];
  // Never beyond LENGTH, so that loops end even if the counts before were wrong.
  let end = min(LENGTH, select(LENGTH, parts[min(part + 1u, PARTS - 1u)], part + 1u < PARTS));
  let first = part << FINEST;
  for (var at = begin + local; at < end; at += WORKGROUP) { atomicAdd(&counted[entries[at].x - first], 1u); }
  workgroupBarrier();
  if (local < (1u << FINEST) && first + local < TILES) {
    var place = begin;
    for (var i = 0u; i < WAYS; i++) { place += select(0u, atomicLoad(&counted[i]), i < local); }
    starts[first + local] = place;
    atomicStore(&places[local], place);
  }
  workgroupBarrier();
  for (var at = begin + local; at < end; at += WORKGROUP) {
    let entry = entries[at];
    list[atomicAdd(&places[entry.x - first], 1u)] = entry;
  }
}
