// The sums of 13 × 13 values around the 16 × 16 pixels of a workgroup: along rows first, then down. `tile` has 6 values more on each side.
const AROUND = 6u;
const SPAN = 2u * AROUND + 1u;
const PIXELS = i32(SPAN * SPAN);
const TILE = 16u;
const WIDE = TILE + 2u * AROUND;
const WORKGROUP = TILE * TILE;

var<workgroup> tile: array<i32, WIDE * WIDE>;
var<workgroup> rows: array<i32, TILE * WIDE>;

// Every invocation calls this function after it wrote its values of the tile.
fn boxSums(local: vec2u) -> i32 {
  workgroupBarrier();
  for (var i = local.y * TILE + local.x; i < TILE * WIDE; i += WORKGROUP) {
    var sum = 0i;
    for (var k = 0u; k < SPAN; k++) { sum += tile[i / TILE * WIDE + i % TILE + k]; }
    rows[i] = sum;
  }
  workgroupBarrier();
  var sum = 0i;
  for (var k = 0u; k < SPAN; k++) { sum += rows[(local.y + k) * TILE + local.x]; }
  return sum;
}
