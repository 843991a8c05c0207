// #import "./places.wgsl"
// Part of the kernels that only read a volume: finds its bricks.
@group(0) @binding(0) var<storage, read> table: array<vec2u>;
@group(0) @binding(1) var<storage, read> counts: Counts;

// The number of the brick at a place, or -1.
fn findBrick(place: vec3i) -> i32 {
  let key = keyOf(place);
  var slot = slotOf(key);
  for (var i = 0u; i < PROBES && key != 0u; i++) {
    let entry = table[slot];
    if (entry.x == key) { return select(-1, i32(entry.y) - 1, entry.y <= counts.count); }
    if (entry.x == 0u) { break; }
    slot = slotAfter(slot);
  }
  return -1;
}
