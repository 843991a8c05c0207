// #import "./planeParts.wgsl"
// #import "./planeSums.wgsl"
// Sums up tiles: for each occupied cell of a tile's column, the moments to which a plane is fitted.
//
//      depth        masks, a bit per cell    slots              The kernel finds the occupied cells first and numbers them, the nearest
//   ┌─┬─┬─┬─┐        · 1 · · · 1 1 ·        0 │1│2             first. So a column is as long as it has cells, nothing has to be
//   │ │ │ │ │  ──▶     │       │ └──┐   ──▶ n Σu Σv Σr         cleared between frames, and the result does not depend on the order
//   └─┴─┴─┴─┘          0       1    2       Σuu … Σvr          of additions, since all numbers are whole.
//
// An invocation reads RUN pixels of a row at a time. It sums the successive pixels of one cell before it uses the atomics, which neighbours
// contend for. It keeps its first run in registers; a tile of 8 × 8 has no others. A workgroup has PARTS adjacent tiles, because a
// multiprocessor could not hold enough workgroups of one small tile each. Adjacent invocations, and adjacent words of `bins`, belong to
// different tiles: atomics of one tile wait for each other, those of adjacent tiles use different banks.
override PARTS: u32 = 8u;
override INSET: u32 = 0u; // pixels by which the first tile begins left of the frame
override WIDTH: u32 = 640u;
override HEIGHT: u32 = 480u;
override ROW: u32 = 320u; // words per row of depth
override MASKS: u32 = 4u; // words of bits per column
override RUN: u32 = 4u;
override LANES: u32 = 16u; // invocations per tile
override THREADS: u32 = PARTS * LANES;
override SQUARE_SHIFT: u32 = 0u; // number of low bits dropped from r²

const SLOTS = 16u; // cells per tile that workgroup memory holds at once
const WORDS = 10u; // words per cell
const NOTHING = -1;
const LONGEST = 8u; // the largest RUN
const MOST_PARTS = 8u;

@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read> entryOf: array<i32, 65536>; // by depth: cell << 16 | r as 16 bits, or NOTHING
@group(0) @binding(2) var<storage, read_write> index: array<vec2u>; // by column and mask: its bits, and the number of slots before it
// By workgroup: the first mask of its columns that is not 0, and the one after the last.
@group(0) @binding(3) var<storage, read_write> spans: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> moments: array<vec4f>; // three per slot: whole numbers, as floats for planeFit
@group(0) @binding(5) var<storage, read_write> entryCounts: array<u32>; // of planeFit, one per band; cleared here
@group(0) @binding(6) var<uniform> band: Band;

var<workgroup> masks: array<atomic<u32>, PARTS * MASKS>;
var<workgroup> firstMask: atomic<u32>;
var<workgroup> endMask: atomic<u32>;
var<workgroup> before: array<u32, PARTS * MASKS>;
var<workgroup> bins: array<atomic<i32>, PARTS * SLOTS * WORDS>; // MOMENTS of stages/bilateralGrid/planes/shape.ts
var<workgroup> totals: array<u32, MOST_PARTS>;

// Sums over the pixels of one row and cell.
struct RowSums { n: i32, u: i32, r: i32, uu: i32, rr: i32, ur: i32 }

fn entryAt(tile: vec2u, place: vec2u) -> i32 {
  let x = tile.x + place.x - INSET; // wraps around left of the frame, and is then beyond WIDTH
  let y = tile.y + place.y;
  // No branch, so that no pixel waits for the one before it. A pixel outside reads the entry of depth 0, which is NOTHING.
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

// Adds a row's sums to their cell, if the cell is in the window.
fn add(part: u32, cell: i32, window: u32, sums: RowSums, v: i32) {
  if (sums.n == 0) {
    return;
  }
  let word = part * MASKS + u32(cell) / 32u;
  let below = (1u << (u32(cell) % 32u)) - 1u;
  let slot = before[word] + countOneBits(atomicLoad(&masks[word]) & below) - window; // wraps around for a cell before the window
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
  if (all(group == vec3u()) && band.built == 0u) {
    for (var band = thread; band < arrayLength(&entryCounts); band += THREADS) {
      entryCounts[band] = 0u;
    }
  }
  let part = thread % PARTS;
  let lane = thread / PARTS;
  // Tiles past the end of a row lie right of the frame and have no pixels.
  let place = vec2u(group.x * PARTS + part, band.built + group.y);
  let tile = place * SPACE;
  let column = keptAt(place);
  let runs = (SPACE + RUN - 1u) / RUN; // runs per row
  let own = runAt(tile, vec2u(lane % runs * RUN, lane / runs));
  if (thread == 0u) {
    atomicStore(&firstMask, MASKS);
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
    spans[place.y * ((COLUMNS + PARTS - 1u) / PARTS) + group.x] = vec2u(first, end);
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
