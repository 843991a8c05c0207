// Adds up tiles: for each cell of a tile's column that a pixel lies in, the moments that a plane is fitted from.
//
//      depth        masks, a bit a cell      slots              The cells that are there are found first, and numbered from the
//   ┌─┬─┬─┬─┐        · 1 · · · 1 1 ·        0 │1│2             nearest on. So a column is as long as it has cells, nothing has
//   │ │ │ │ │  ──▶     │       │ └──┐   ──▶ n Σu Σv Σr         to be cleared from frame to frame, and what comes out is the
//   └─┴─┴─┴─┘          0       1    2       Σuu … Σvr          same whatever the order: it is all whole numbers.
//
// An invocation takes RUN pixels of a row at a time, and adds up those that lie in one cell one after the other before it asks for the
// atomics, on which its neighbours wait. It keeps its first run: a tile of 8 × 8 has no others. A workgroup has PARTS tiles side by
// side: of small ones a multiprocessor would not hold enough. They take turns among its invocations, and word for word in `bins`:
// atomics of one tile wait for each other, those of tiles side by side lie in other banks.
override PARTS: u32 = 8u;
override SPACE: u32 = 8u;
override INSET: u32 = 0u; // the first tile begins so far left of the frame
override WIDTH: u32 = 640u;
override HEIGHT: u32 = 480u;
override ROW: u32 = 320u; // words in a row of depth
override COLUMNS: u32 = 80u;
override MASKS: u32 = 4u; // words of bits to a column
override RUN: u32 = 4u;
override LANES: u32 = 16u; // invocations to a tile
override THREADS: u32 = PARTS * LANES;
override SQUARE_SHIFT: u32 = 0u; // low bits that are left out of r²

const SLOTS = 16u; // cells of each that it holds at a time
const WORDS = 10u; // of a cell
const NOTHING = -1;
const LONGEST = 8u; // run
const MOST_PARTS = 8u;

@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read> entryOf: array<i32, 65536>; // by depth: cell << 16 | r as 16 bits, or NOTHING
@group(0) @binding(2) var<storage, read_write> index: array<vec2u>; // by column and mask: its bits, and how many slots are before
// By workgroup: its columns' first mask that is not 0, and the one after the last.
@group(0) @binding(3) var<storage, read_write> spans: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> moments: array<vec4f>; // three a slot; whole numbers, but who reads them wants floats

var<workgroup> masks: array<atomic<u32>, PARTS * MASKS>;
var<workgroup> firstMask: atomic<u32>;
var<workgroup> endMask: atomic<u32>;
var<workgroup> before: array<u32, PARTS * MASKS>;
var<workgroup> bins: array<atomic<i32>, PARTS * SLOTS * WORDS>; // MOMENTS of stages/bilateralGrid/planes/shape.ts
var<workgroup> totals: array<u32, MOST_PARTS>;

// What pixels of one row and cell add up to.
struct RowSums { n: i32, u: i32, r: i32, uu: i32, rr: i32, ur: i32 }

fn entryAt(tile: vec2u, place: vec2u) -> i32 {
  let x = tile.x + place.x - INSET; // left of the frame it wraps, and is past its end
  let y = tile.y + place.y;
  // No branch, so that no pixel waits for the one before it; 0 has the entry of nothing.
  let isThere = all(place < vec2u(SPACE)) && x < WIDTH && y < HEIGHT;
  let word = depth[select(0u, y * ROW + x / 2u, isThere)];
  return entryOf[select(0u, (word >> (16u * (x % 2u))) & 0xffffu, isThere)];
}

fn runAt(tile: vec2u, place: vec2u) -> array<i32, LONGEST> {
  var run: array<i32, LONGEST>;
  for (var i = 0u; i < RUN; i++) {
    run[i] = entryAt(tile, place + vec2u(i, 0u));
  }
  return run;
}

// Adds a row's sums to their cell's, if that is in the window.
fn add(part: u32, cell: i32, window: u32, sums: RowSums, v: i32) {
  if (sums.n == 0) {
    return;
  }
  let word = part * MASKS + u32(cell) / 32u;
  let below = (1u << (u32(cell) % 32u)) - 1u;
  let slot = before[word] + countOneBits(atomicLoad(&masks[word]) & below) - window; // of one before it wraps, and is past the end
  if (slot >= SLOTS) {
    return;
  }
  let at = slot * WORDS * PARTS + part;
  atomicAdd(&bins[at], sums.n);
  atomicAdd(&bins[at + 1u * PARTS], sums.u);
  atomicAdd(&bins[at + 2u * PARTS], v * sums.n);
  atomicAdd(&bins[at + 3u * PARTS], sums.r);
  atomicAdd(&bins[at + 4u * PARTS], sums.uu);
  atomicAdd(&bins[at + 5u * PARTS], v * sums.u);
  atomicAdd(&bins[at + 6u * PARTS], v * v * sums.n);
  atomicAdd(&bins[at + 7u * PARTS], sums.rr);
  atomicAdd(&bins[at + 8u * PARTS], sums.ur);
  atomicAdd(&bins[at + 9u * PARTS], v * sums.r);
}

fn bin(part: u32, slot: u32, word: u32) -> i32 {
  return atomicLoad(&bins[(slot * WORDS + word) * PARTS + part]);
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
  let part = thread % PARTS;
  let lane = thread / PARTS;
  // Past the end of a row of tiles all is right of the frame, and nothing is left.
  let place = vec2u(group.x * PARTS + part, group.y);
  let tile = place * SPACE;
  let column = place.y * COLUMNS + place.x;
  let runs = (SPACE + RUN - 1u) / RUN; // in a row
  let own = runAt(tile, vec2u(lane % runs * RUN, lane / runs));
  for (var mask = lane; mask < MASKS; mask += LANES) {
    atomicStore(&masks[part * MASKS + mask], 0u);
  }
  if (thread == 0u) {
    atomicStore(&firstMask, MASKS);
    atomicStore(&endMask, 0u);
  }
  workgroupBarrier();
  for (var item = lane; item < runs * SPACE; item += LANES) {
    var run = own;
    if (item != lane) {
      run = runAt(tile, vec2u(item % runs * RUN, item / runs));
    }
    var last = NOTHING;
    for (var i = 0u; i < RUN; i++) {
      let cell = run[i] >> 16u;
      if (cell != NOTHING && cell != last) {
        atomicOr(&masks[part * MASKS + u32(cell) / 32u], 1u << (u32(cell) % 32u));
        last = cell;
      }
    }
  }
  workgroupBarrier();
  for (var mask = lane; mask < MASKS; mask += LANES) {
    if (atomicLoad(&masks[part * MASKS + mask]) != 0u) {
      atomicMin(&firstMask, mask);
      atomicMax(&endMask, mask + 1u);
    }
  }
  workgroupBarrier();
  let first = atomicLoad(&firstMask);
  let end = atomicLoad(&endMask);
  for (var mask = lane; mask < MASKS; mask += LANES) {
    let at = part * MASKS + mask;
    let bits = atomicLoad(&masks[at]);
    var sum = 0u;
    for (var m = first; m < min(mask, end); m++) {
      sum += countOneBits(atomicLoad(&masks[part * MASKS + m]));
    }
    before[at] = sum;
    if (place.x < COLUMNS) {
      index[column * MASKS + mask] = vec2u(bits, sum);
    }
    if (mask == MASKS - 1u) {
      totals[part] = sum + countOneBits(bits);
    }
  }
  if (thread == 0u) {
    spans[group.y * ((COLUMNS + PARTS - 1u) / PARTS) + group.x] = vec2u(first, end);
  }
  let all = workgroupUniformLoad(&totals);
  var most = 0u;
  for (var p = 0u; p < PARTS; p++) {
    most = max(most, all[p]);
  }
  for (var window = 0u; window < most; window += SLOTS) {
    let count = min(SLOTS, max(totals[part], window) - window);
    for (var word = lane; word < count * WORDS; word += LANES) {
      atomicStore(&bins[word * PARTS + part], 0);
    }
    workgroupBarrier();
    for (var item = lane; item < runs * SPACE; item += LANES) {
      var run = own;
      if (item != lane) {
        run = runAt(tile, vec2u(item % runs * RUN, item / runs));
      }
      let v = i32(item / runs);
      var sums = RowSums();
      var last = NOTHING;
      for (var i = 0u; i < RUN; i++) {
        let cell = run[i] >> 16u;
        if (cell == NOTHING) {
          continue;
        }
        if (cell != last) {
          add(part, last, window, sums, v);
          sums = RowSums();
          last = cell;
        }
        let u = i32(item % runs * RUN + i);
        let r = (run[i] << 16u) >> 16u;
        sums = RowSums(sums.n + 1, sums.u + u, sums.r + r, sums.uu + u * u, sums.rr + ((r * r) >> SQUARE_SHIFT), sums.ur + u * r);
      }
      add(part, last, window, sums, v);
    }
    workgroupBarrier();
    for (var i = lane; i < 3u * count; i += LANES) {
      let slot = i / 3u;
      let word = 4u * (i % 3u);
      var words = vec4i(bin(part, slot, word), bin(part, slot, word + 1u), 0, 0);
      if (word < 8u) {
        words = vec4i(words.xy, bin(part, slot, word + 2u), bin(part, slot, word + 3u));
      }
      moments[(column * SPACE * SPACE + window + slot) * 3u + i % 3u] = vec4f(words);
    }
    workgroupBarrier();
  }
}
