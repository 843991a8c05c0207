// Compaction in one pass over the input by decoupled look-back (Merrill and Garland, NVIDIA 2016) with fallback (T. Smith, R. Levien,
// J. Owens, "Decoupled Fallback", SPAA 2025), since WGSL promises no progress between workgroups.
//
// A tile takes the next number, publishes the count of its own words (COUNT), and walks back over the tiles before it, adding their
// counts, until it meets one whose sum of everything before and in it is known (SUM). Then it publishes its own sum.
//
//   tile      5         6         7         8 (this one)
//   state   SUM 40   COUNT 9   COUNT 7     5 + 7 + 9 + 40: it publishes SUM 61
//
// A tile that has published nothing after SPINS polls is counted by the workgroup that waits for it, which publishes that count.
override SPINS: u32 = 64u;
override TOTAL_VECTORS: u32;
override TILES: u32;

const WORKGROUP = 256u;
const STEPS = 8u; // log2 of WORKGROUP
// A state holds a count (low 30 bits) and what it counts (high 2 bits; 0: nothing published yet).
const NUMBER = 0x3fffffffu;
const COUNT = 0x40000000u;
const SUM = 0x80000000u;
const FOUND = 0xffffffffu;

@group(0) @binding(0) var<storage, read> words: array<vec4u>; // 0 beyond the input's end, to the end of its last tile
@group(0) @binding(1) var<storage, read_write> kept: array<u32>;
@group(0) @binding(2) var<storage, read_write> states: array<atomic<u32>>; // TILES, then the next tile's number; all 0 before
@group(0) @binding(3) var<storage, read_write> total: array<u32>;

var<workgroup> own: array<u32, WORKGROUP>;
var<workgroup> other: atomic<u32>;
var<workgroup> tileOf: u32;
var<workgroup> start: u32;
// The tile that is waited for in vain, or FOUND.
var<workgroup> stuck: u32;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) local: u32) {
  if (local == 0u) { tileOf = atomicAdd(&states[TILES], 1u); }
  let tile = workgroupUniformLoad(&tileOf);
  if (tile >= TILES) { return; } // the dispatch is a rectangle, which may have a few workgroups more
  let four = vectorOf(tile, local);
  let count = countKept(four);
  own[local] = count;
  workgroupBarrier();
  for (var step = 0u; step < STEPS; step++) {
    let reach = 1u << step;
    let earlier = select(0u, own[max(local, reach) - reach], local >= reach);
    workgroupBarrier();
    own[local] += earlier;
    workgroupBarrier();
  }
  let sum = own[WORKGROUP - 1u];
  // Invocation 0's walk: the tile that it asks next, and what it has added so far.
  var back = tile;
  var before = 0u;
  if (local == 0u) {
    atomicStore(&states[tile], select(COUNT, SUM, tile == 0u) | sum);
  }
  loop {
    if (local == 0u) {
      stuck = FOUND;
      while (back > 0u) {
        let state = poll(back - 1u);
        if (state == 0u) {
          stuck = back - 1u;
          break;
        }
        before += state & NUMBER;
        back = select(back - 1u, 0u, state >= SUM);
      }
    }
    let waiting = workgroupUniformLoad(&stuck);
    if (waiting == FOUND) { break; }
    if (local == 0u) { atomicStore(&other, 0u); }
    workgroupBarrier();
    atomicAdd(&other, countKept(vectorOf(waiting, local)));
    workgroupBarrier();
    // The tile itself may have published meanwhile: what is there stays.
    if (local == 0u) { atomicCompareExchangeWeak(&states[waiting], 0u, COUNT | atomicLoad(&other)); }
    workgroupBarrier();
  }
  if (local == 0u) {
    if (tile > 0u) { atomicStore(&states[tile], SUM | (before + sum)); }
    start = before;
    if (tile == TILES - 1u) { total[0] = before + sum; }
  }
  workgroupBarrier();
  var at = start + own[local] - count;
  for (var i = 0u; i < 4u; i++) {
    if (four[i] != 0u) {
      kept[at] = four[i];
      at++;
    }
  }
}

fn vectorOf(tile: u32, place: u32) -> vec4u {
  let vector = tile * WORKGROUP + place;
  return select(vec4u(), words[min(vector, TOTAL_VECTORS - 1u)], vector < TOTAL_VECTORS);
}

fn countKept(four: vec4u) -> u32 {
  let keeps = min(four, vec4u(1u));
  return keeps.x + keeps.y + keeps.z + keeps.w;
}

// What a tile has published; 0 if after SPINS polls there is nothing.
fn poll(tile: u32) -> u32 {
  for (var i = 0u; i < SPINS; i++) {
    let state = atomicLoad(&states[tile]);
    if (state != 0u) { return state; }
  }
  return 0u;
}
