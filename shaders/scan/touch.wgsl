// #import "./places.wgsl"
// #import "./sight.wgsl"
// #import "./take.wgsl"
// Makes the bricks near the surface that a frame saw, and puts them on the frame's list. `touch` in scan/volume/touch.ts is the
// twin. An invocation has one pixel of STEP × STEP.
//
// The invocation that puts a brick's key into the table draws the brick's number, and takes the brick. So other invocations, which may find
// the key there before the number, need not wait for the number. Where a frame's bricks do not all have room, none of them is kept
// (settle.wgsl), and later frames make none: so what the volume holds does not depend on the order in which invocations run. A brick
// whose place has no key, as it lies too far out, is left out, and the frame's other bricks are kept.
override MOST: u32;

const STEP = 4u;
const SLANTED = 0.75;
// From the band's near end to its far end, an eighth of a brick at a time.
const STEPS = 4u;

// The table that find.wgsl describes, here word by word.
const ENTRY_WORDS = 2u;
@group(0) @binding(0) var<storage, read_write> table: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> places: array<u32>; // by brick: its key
@group(0) @binding(6) var<storage, read> planes: array<vec4u>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  let across = (sight.width + STEP - 1u) / STEP;
  let x = id.x % across * STEP + sight.turn % STEP;
  let y = id.x / across * STEP + (sight.turn >> 2u) % STEP;
  if (x < sight.width && y < sight.height) { touchPixel(x, y); }
  listTaken(local);
}

fn touchPixel(x: u32, y: u32) {
  let plane = planes[y * sight.width + x];
  if (plane.w == 0u) { return; }
  let depth = bitcast<f32>(plane.x);
  let ray = vec3f((f32(x) - sight.cx) / sight.fx, (f32(y) - sight.cy) / sight.fy, 1.0);
  let reach = length(ray);
  let near = depth - sight.band / reach;
  let step = 2.0 * sight.band / reach / f32(STEPS);
  var last = vec3i(0x7fffffff);
  for (var i = 0u; i <= STEPS; i++) {
    let place = placeAt(ray * (near + f32(i) * step));
    if (any(place != last)) { make(place); }
    last = place;
  }
  let lean = f32(plane.w & 0xffffu) / LEAN_UNITS;
  if (lean > SLANTED * reach || ((x ^ y) & STEP) == 0u) { return; }
  // Two points beside a slanted surface, along its normal.
  let beside = SLANTED * sight.band * lean;
  let slopes = bitcast<vec2f>(plane.yz) * vec2f(sight.fx, sight.fy) * beside / depth;
  let normal = vec3f(slopes, -(beside + dot(ray.xy, slopes)));
  make(placeAt(ray * depth - normal));
  make(placeAt(ray * depth + normal));
}

fn placeAt(at: vec3f) -> vec3i { return vec3i(floor(moved(sight.toWorld, at) / sight.brickM)); }

// Takes the brick at a place, which is made where it is missing.
fn make(place: vec3i) {
  let key = keyOf(place);
  if (key == 0u) {
    atomicStore(&counts.isBeyond, 1u);
    return;
  }
  var slot = slotOf(key);
  for (var i = 0u; i < PROBES; i++) {
    var held = atomicLoad(&table[ENTRY_WORDS * slot]);
    if (held == 0u) {
      if (counts.isFull != 0u) { return; }
      let swapped = atomicCompareExchangeWeak(&table[ENTRY_WORDS * slot], 0u, key);
      if (swapped.exchanged) {
        add(key, slot);
        return;
      }
      // The exchange may fail for no reason.
      if (swapped.old_value == 0u) { continue; }
      held = swapped.old_value;
    }
    if (held == key) {
      let number = atomicLoad(&table[ENTRY_WORDS * slot + 1u]);
      let isThere = counts.isFull == 0u || number <= atomicLoad(&counts.count);
      if (number != 0u && isThere) { take(number - 1u, sight.turn); }
      return;
    }
    slot = slotAfter(slot);
  }
  atomicStore(&counts.isOver, 1u);
}

// Draws a number for the key that this invocation has put into the table.
fn add(key: u32, slot: u32) {
  let brick = atomicAdd(&counts.count, 1u);
  if (brick >= MOST) {
    atomicStore(&counts.isOver, 1u);
    return;
  }
  places[brick] = key;
  take(brick, sight.turn);
  atomicStore(&table[ENTRY_WORDS * slot + 1u], brick + 1u);
}
