// Adds up tiles, two to a workgroup: for each cell of a tile's column that a pixel lies in, the moments that a plane is fitted from.
//
//      depth        masks, a bit a cell      slots              The cells that are there are found first, and numbered from the
//   ┌─┬─┬─┬─┐        · 1 · · · 1 1 ·        0 │1│2             nearest on. So a column is as long as it has cells, nothing has
//   │ │ │ │ │  ──▶     │       │ └──┐   ──▶ n Σu Σv Σr         to be cleared from frame to frame, and what comes out is the
//   └─┴─┴─┴─┘          0       1    2       Σuu … Σvr          same whatever the order: it is all whole numbers.
//
// An invocation takes two pixels of a row at a time, and adds them up if they lie in one cell before it asks for the atomics, on
// which its neighbours wait. It keeps its first two: a tile of 8 × 8 has no others.
const PARTS = 2u; // tiles of a workgroup, side by side: of single ones a multiprocessor would not hold enough
override SPACE: u32 = 8u;
override INSET: u32 = 0u; // the first tile begins so far left of the frame
override WIDTH: u32 = 640u;
override HEIGHT: u32 = 480u;
override ROW: u32 = 320u; // words in a row of depth
override COLUMNS: u32 = 80u;
override MASKS: u32 = 4u; // words of bits to a column
override LANES: u32 = 32u; // invocations to a tile
override THREADS: u32 = PARTS * LANES;
override SQUARE_SHIFT: u32 = 0u; // low bits that are left out of r²

const SLOTS = 16u; // cells of each that it holds at a time
const WORDS = 10u; // of a cell
const NOTHING = -1;
const NO_SLOT = 0x7fffffffu; // less any window it is past the end

@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read> entryOf: array<i32, 65536>; // by depth: cell << 16 | r as 16 bits, or NOTHING
@group(0) @binding(2) var<storage, read_write> index: array<vec2u>; // by column and mask: its bits, and how many slots are before
@group(0) @binding(3) var<storage, read_write> moments: array<vec4f>; // three a slot; whole numbers, but who reads them wants floats

var<workgroup> masks: array<atomic<u32>, PARTS * MASKS>;
var<workgroup> before: array<u32, PARTS * MASKS>;
var<workgroup> bins: array<atomic<i32>, PARTS * SLOTS * WORDS>;
var<workgroup> totals: array<u32, PARTS>;

// The sums over pixels of one cell, as MOMENTS of stages/bilateralGrid/planes/shape.ts.
struct Sums {
  a: vec4i,
  b: vec4i,
  c: vec2i,
}

fn entryAt(tile: vec2u, u: u32, v: u32) -> i32 {
  let x = tile.x + u - INSET; // left of the frame it wraps, and is past its end
  let y = tile.y + v;
  if (u >= SPACE || v >= SPACE || x >= WIDTH || y >= HEIGHT) {
    return NOTHING;
  }
  return entryOf[(depth[y * ROW + x / 2u] >> (16u * (x % 2u))) & 0xffffu];
}

fn entriesAt(tile: vec2u, pair: u32, v: u32) -> vec2i {
  return vec2i(entryAt(tile, 2u * pair, v), entryAt(tile, 2u * pair + 1u, v));
}

fn mark(part: u32, entry: i32) {
  if (entry != NOTHING) {
    let cell = u32(entry) >> 16u;
    atomicOr(&masks[part * MASKS + cell / 32u], 1u << (cell % 32u));
  }
}

// Nothing is in none, whatever the window.
fn slotOf(part: u32, entry: i32) -> u32 {
  if (entry == NOTHING) {
    return NO_SLOT;
  }
  let cell = u32(entry) >> 16u;
  let at = part * MASKS + cell / 32u;
  return before[at] + countOneBits(atomicLoad(&masks[at]) & ((1u << (cell % 32u)) - 1u));
}

fn sumsOf(entry: i32, place: vec2i) -> Sums {
  if (entry == NOTHING) {
    return Sums();
  }
  let r = (entry << 16u) >> 16u;
  let u = place.x;
  let v = place.y;
  return Sums(vec4i(1, u, v, r), vec4i(u * u, u * v, v * v, (r * r) >> SQUARE_SHIFT), place * r);
}

fn add(part: u32, slot: u32, sums: Sums) {
  if (slot >= SLOTS || sums.a.x == 0) {
    return;
  }
  let at = (part * SLOTS + slot) * WORDS;
  atomicAdd(&bins[at], sums.a.x);
  atomicAdd(&bins[at + 1u], sums.a.y);
  atomicAdd(&bins[at + 2u], sums.a.z);
  atomicAdd(&bins[at + 3u], sums.a.w);
  atomicAdd(&bins[at + 4u], sums.b.x);
  atomicAdd(&bins[at + 5u], sums.b.y);
  atomicAdd(&bins[at + 6u], sums.b.z);
  atomicAdd(&bins[at + 7u], sums.b.w);
  atomicAdd(&bins[at + 8u], sums.c.x);
  atomicAdd(&bins[at + 9u], sums.c.y);
}

fn bin(at: u32, word: u32) -> i32 {
  return atomicLoad(&bins[at * WORDS + word]);
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  // Named here because the reflection of webgpu-utils does not look into loops.
  _ = &depth;
  _ = &entryOf;
  _ = &index;
  _ = &moments;
  let part = thread / LANES;
  let lane = thread % LANES;
  // Past the end of a row of tiles all is right of the frame, and nothing is left.
  let place = vec2u(group.x * PARTS + part, group.y);
  let tile = place * SPACE;
  let column = place.y * COLUMNS + place.x;
  let pairs = (SPACE + 1u) / 2u; // of pixels in a row
  let own = entriesAt(tile, lane % pairs, lane / pairs);
  for (var mask = lane; mask < MASKS; mask += LANES) {
    atomicStore(&masks[part * MASKS + mask], 0u);
  }
  workgroupBarrier();
  for (var item = lane; item < pairs * SPACE; item += LANES) {
    var entries = own;
    if (item != lane) {
      entries = entriesAt(tile, item % pairs, item / pairs);
    }
    mark(part, entries.x);
    mark(part, entries.y);
  }
  workgroupBarrier();
  for (var mask = lane; mask < MASKS; mask += LANES) {
    before[part * MASKS + mask] = countOneBits(atomicLoad(&masks[part * MASKS + mask]));
  }
  workgroupBarrier();
  if (lane == 0u) {
    var total = 0u;
    for (var mask = 0u; mask < MASKS; mask++) {
      let count = before[part * MASKS + mask];
      before[part * MASKS + mask] = total;
      total += count;
    }
    totals[part] = total;
  }
  let all = workgroupUniformLoad(&totals);
  let total = totals[part];
  for (var mask = lane; mask < MASKS && place.x < COLUMNS; mask += LANES) {
    let at = part * MASKS + mask;
    index[column * MASKS + mask] = vec2u(atomicLoad(&masks[at]), before[at]);
  }
  for (var window = 0u; window < max(all[0], all[1]); window += SLOTS) {
    let count = min(SLOTS, max(total, window) - window);
    for (var word = lane; word < count * WORDS; word += LANES) {
      atomicStore(&bins[part * SLOTS * WORDS + word], 0);
    }
    workgroupBarrier();
    for (var item = lane; item < pairs * SPACE; item += LANES) {
      var entries = own;
      if (item != lane) {
        entries = entriesAt(tile, item % pairs, item / pairs);
      }
      let at = vec2i(vec2u(2u * (item % pairs), item / pairs));
      let one = sumsOf(entries.x, at);
      let two = sumsOf(entries.y, at + vec2i(1, 0));
      // Of a window before it wraps, and is past the end.
      let slot = slotOf(part, entries.x) - window;
      if (entries.x >> 16u == entries.y >> 16u) {
        add(part, slot, Sums(one.a + two.a, one.b + two.b, one.c + two.c));
      } else {
        add(part, slot, one);
        add(part, slotOf(part, entries.y) - window, two);
      }
    }
    workgroupBarrier();
    for (var i = lane; i < 3u * count; i += LANES) {
      let slot = i / 3u;
      let at = part * SLOTS + slot;
      let first = 4u * (i % 3u);
      var words = vec4i(bin(at, first), bin(at, first + 1u), 0, 0);
      if (first < 8u) {
        words = vec4i(words.xy, bin(at, first + 2u), bin(at, first + 3u));
      }
      moments[(column * SPACE * SPACE + window + slot) * 3u + i % 3u] = vec4f(words);
    }
    workgroupBarrier();
  }
}
