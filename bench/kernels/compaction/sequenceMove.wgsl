// Stream compaction by Billeter, Olsson and Assarsson (HPG 2009, section 3), step 3 of 3: each subgroup writes the words of its sequence
// that are not 0, block by block. Within a block an exclusive scan over the subgroup gives each word its place. Sequences and blocks are
// those of sequenceCount.wgsl; `starts` holds the exclusive scan of the sequences' counts.
enable subgroups;

override SUBGROUP: u32; // invocations of a subgroup: the device's only size
override EACH: u32;
override EXTRA: u32;
override TURNS: u32 = EACH + 1u;

const WORKGROUP = 128u;

@group(0) @binding(0) var<storage, read> pairs: array<vec2u>; // 0 beyond the input's end, to the end of its last block
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> kept: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  let sequence = (group.x * WORKGROUP + local) / SUBGROUP;
  let lane = local % SUBGROUP;
  let first = sequence * EACH + min(sequence, EXTRA);
  let blocks = EACH + select(0u, 1u, sequence < EXTRA);
  var start = starts[sequence];
  for (var turn = 0u; turn < TURNS; turn++) {
    var pair = vec2u();
    if (turn < blocks) { pair = pairs[(first + turn) * SUBGROUP + lane]; }
    let keeps = min(pair, vec2u(1u));
    let at = start + subgroupExclusiveAdd(keeps.x + keeps.y);
    if (keeps.x != 0u) { kept[at] = pair.x; }
    if (keeps.y != 0u) { kept[at + keeps.x] = pair.y; }
    start += subgroupAdd(keeps.x + keeps.y);
  }
}
