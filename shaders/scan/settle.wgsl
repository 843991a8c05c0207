// #import "./places.wgsl"
// Ends a frame's list: writes how many workgroups it needs, one for each entry. If a brick had no room, none of the frame's new bricks is
// kept.
@group(0) @binding(1) var<storage, read_write> counts: Counts;

@compute @workgroup_size(1)
fn main() {
  if (counts.isOver != 0u) {
    counts.isFull = 1u;
    counts.count = counts.before;
  }
  counts.groups = vec3u(min(counts.listed, GROUPS), (counts.listed + GROUPS - 1u) / GROUPS, 1u);
}
