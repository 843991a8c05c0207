// One level of sorting a log of samples by tiles: splits each part of the log into 2^BITS parts, at most 32. A workgroup sorts ROOM entries
// of a part in workgroup memory by their new part, reserves room for each run of entries by one atomic, and appends the runs: neighbouring
// invocations write neighbouring entries.
//
//   part    c a b a c a b …  (ROOM entries)   ──►   a a a b b c c   ──►   part a: … a a a     part b: … b b     part c: … c c
//
// As the log of an iterated function system's renderer is sorted where atomics in memory are dear (E. Reckase, S. Robertson, cuburn). SHARE
// workgroups take turns at the blocks of a part.
override LENGTH: u32;
override GROUPS: u32; // the parts of the last level, whose starts are known
override FINEST: u32; // log2 of the tiles of such a part
override SHIFT: u32; // log2 of the tiles of a new part
override BITS: u32;
override SHARE: u32;
override OFFSET: u32; // of this level in `taken`

const WORKGROUP = 256u;
const EACH = 7u; // with 8, the workgroup's memory would be more than every device has
const ROOM = EACH * WORKGROUP;
const WAYS = 32u;

@group(0) @binding(0) var<storage, read> starts: array<u32>; // where the parts of the last level begin
@group(0) @binding(1) var<storage, read> entries: array<vec2u>; // tile, value
@group(0) @binding(2) var<storage, read_write> taken: array<atomic<u32>>; // by new part: the room reserved; 0 before
@group(0) @binding(3) var<storage, read_write> split: array<vec2u>;

var<workgroup> counted: array<atomic<u32>, WAYS>;
var<workgroup> firsts: array<u32, WAYS>; // where a run begins in `sorted`
var<workgroup> moves: array<u32, WAYS>; // from there to where it begins in memory
var<workgroup> sorted: array<vec2u, ROOM>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let index = group.y * groups.x + group.x;
  let part = index / SHARE;
  let begin = startOf(part, SHIFT + BITS);
  let end = startOf(part + 1u, SHIFT + BITS);
  for (var base = begin + (index % SHARE) * ROOM; base < end; base += SHARE * ROOM) {
    if (local < WAYS) { atomicStore(&counted[local], 0u); }
    workgroupBarrier();
    var own = array<vec2u, EACH>();
    var ranks = array<u32, EACH>();
    for (var k = 0u; k < EACH; k++) {
      let at = base + k * WORKGROUP + local;
      if (at < end) {
        own[k] = entries[at];
        ranks[k] = atomicAdd(&counted[wayOf(own[k])], 1u);
      }
    }
    workgroupBarrier();
    if (local < WAYS) {
      var first = 0u;
      for (var i = 0u; i < WAYS; i++) { first += select(0u, atomicLoad(&counted[i]), i < local); }
      firsts[local] = first;
      let count = atomicLoad(&counted[local]);
      if (count > 0u) {
        let to = (part << BITS) + local;
        moves[local] = startOf(to, SHIFT) + atomicAdd(&taken[OFFSET + to], count) - first; // may wrap around: it is added
      }
    }
    workgroupBarrier();
    for (var k = 0u; k < EACH; k++) {
      if (base + k * WORKGROUP + local < end) { sorted[firsts[wayOf(own[k])] + ranks[k]] = own[k]; }
    }
    workgroupBarrier();
    for (var i = local; i < min(ROOM, end - base); i += WORKGROUP) {
      let entry = sorted[i];
      split[i + moves[wayOf(entry)]] = entry;
    }
    workgroupBarrier();
  }
}

fn wayOf(entry: vec2u) -> u32 {
  return (entry.x >> SHIFT) & ((1u << BITS) - 1u);
}

// Where a part begins that has 2^bits tiles. Never beyond LENGTH, so that loops end even if the counts before were wrong.
fn startOf(part: u32, bits: u32) -> u32 {
  let finest = part << (bits - FINEST);
  return select(LENGTH, min(starts[min(finest, GROUPS - 1u)], LENGTH), finest < GROUPS);
}
