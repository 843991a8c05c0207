// Stream compaction by a scan of flags (Thrust's copy_if of 2012), step 3 of 3: each word that is not 0 goes to its flag's scan.
override LENGTH: u32;

const WORKGROUP = 256u;

@group(0) @binding(0) var<storage, read> words: array<vec4u>; // 0 beyond the input's end, to a multiple of 1024
@group(0) @binding(1) var<storage, read> places: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> kept: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let at = (group.y * groups.x + group.x) * WORKGROUP + local;
  if (at * 4u >= LENGTH) { return; }
  let four = words[at];
  let to = places[at];
  for (var i = 0u; i < 4u; i++) {
    let place = to[i];
    if (four[i] != 0u) { kept[place] = four[i]; }
  }
}
