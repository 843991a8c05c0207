// #import "./planeSolve.wgsl"
// #import "./planeParts.wgsl"
// #import "./planeSums.wgsl"
// Fits the planes that pixels need: in each column, and in one more on each side, those of the cells that a pixel of the surrounding 3 × 3
// columns lies in or next to. A workgroup has four adjacent columns, so it reads 6 × 3:
//
//   ○  ○  ○  ○  ○  ○      1. find the cells that are occupied in any of nine columns, and those beside: a bit each
//   ○  ●  ●  ●  ●  ○      2. list the cells of all four columns, the nearest first; one invocation per cell sums the
//   ○  ○  ○  ○  ○  ○         moments of the nine columns, 1 2 1 along x and y
//                         3. one invocation per cell blurs along depth, 1 4 6 4 1. The two list entries before and the
//                            two after are the only ones near enough. Then it fits the plane by least squares
//                         4. the same invocation sums up what the column's own pixels lie off the plane, for planeRefit
//
// A plane's column and cell determine its address, so reading it needs no look-up. Planes that no pixel needs keep old data. The depth axis
// is processed in chunks, each with the word of bits before it and the one after.
override ROWS: u32 = 60u;
override MASKS: u32 = 4u; // words of bits per column
override BUILT: u32 = 8u; // columns that one span covers
override THREADS: u32 = 96u;
override SPANS: u32 = (AROUND + BUILT - 2u) / BUILT + 1u; // spans that the surrounding columns may lie in, along x
const PARTS = 4u; // columns per workgroup
const AROUND = PARTS + 2u;
const BLUR_REACH = 2u; // cells to each side, along depth
const SLOTS = 92u; // planes that workgroup memory holds at once
const ROOM = SLOTS + 2u * BLUR_REACH;
const CHUNK = 8u; // words of bits per chunk
const WORDS = CHUNK + 2u;

@group(0) @binding(0) var<storage, read> index: array<vec2u>;
@group(0) @binding(1) var<storage, read> spans: array<vec2u>;
@group(0) @binding(2) var<storage, read> moments: array<vec4f>;
@group(0) @binding(3) var<storage, read> centres: array<f32>; // by cell: the depth of its centre
// 1/depth at the column's centre, its growth per pixel to the right and down, the weight.
@group(0) @binding(4) var<storage, read_write> planes: array<vec4f>;
@group(0) @binding(5) var<uniform> axis: PlaneAxis;
@group(0) @binding(6) var<uniform> band: Band;
@group(0) @binding(7) var<storage, read_write> entryCounts: array<atomic<u32>>; // by band: the number of entries
@group(0) @binding(8) var<storage, read_write> entries: array<Entry>; // those behind its end are counted only
@group(0) @binding(9) var<storage, read_write> residuals: array<vec4f>; // Σr, Σur and Σvr from the centre of the column

var<workgroup> indices: array<vec2u, 3u * AROUND * WORDS>; // of the surrounding columns: the bits, and the first of their slots
var<workgroup> there: array<u32, PARTS * WORDS>; // occupied cells
var<workgroup> asked: array<u32, PARTS * WORDS>; // occupied cells and those beside them
var<workgroup> counts: array<u32, PARTS * WORDS>;
var<workgroup> totals: array<u32, PARTS>;
var<workgroup> listed: array<u32, ROOM>; // column and cell as part << 16 | cell
var<workgroup> centreOf: array<f32, ROOM>;
// `Sums` in three arrays: as a struct they would take 48 bytes in place of 40, and fewer workgroups would run at a time.
var<workgroup> ones: array<vec4f, ROOM>;
var<workgroup> squares: array<vec4f, ROOM>;
var<workgroup> mixed: array<vec2f, ROOM>;
var<workgroup> firstEntry: u32;

fn isColumn(column: vec2u) -> bool {
  return column.x < COLUMNS && column.y < ROWS; // a coordinate before the first wraps around
}

// The place of the surrounding column `at`; 0 outside the grid.
fn columnAt(corner: vec2u, at: vec2u) -> u32 {
  let column = corner + at;
  return select(0u, keptAt(column), isColumn(column));
}

// The position of a set bit of `bits`.
fn bitAt(bits: u32, nth: u32) -> u32 {
  var left = nth;
  var at = 0u;
  for (var i = 0u; i < 5u; i++) {
    let half = 16u >> i;
    let count = countOneBits((bits >> at) & ((1u << half) - 1u));
    let isAbove = left >= count;
    at += select(0u, half, isAbove);
    left -= select(0u, count, isAbove);
  }
  return at;
}

// The column and cell of entry `slot` of the list.
fn entryAt(slot: u32, ends: vec3u, chunk: u32) -> u32 {
  let part = u32(slot >= ends.x) + u32(slot >= ends.y) + u32(slot >= ends.z);
  var left = slot - select(select(select(ends.z, ends.y, part == 2u), ends.x, part == 1u), 0u, part == 0u);
  var before = 0u;
  var found = vec2u(); // the word, and the number of the bit in it
  for (var i = 0u; i < WORDS; i++) {
    if (left >= before) {
      found = vec2u(i, left - before);
    }
    before += counts[part * WORDS + i];
  }
  return (part << 16u) | (32u * (chunk + found.x - 1u) + bitAt(asked[part * WORDS + found.x], found.y));
}

// Finds the cells to list in one word of bits. The chunk's first and last word belong to its neighbours; of these only the cells that its
// own cells are blurred from count.
fn ask(place: u32, chunk: u32) {
  let word = place % WORDS;
  let bits = there[place];
  let below = select(0u, there[max(place, 1u) - 1u] >> 31u, word > 0u);
  let above = select(0u, there[min(place + 1u, PARTS * WORDS - 1u)] << 31u, word + 1u < WORDS);
  let first = 32u * max(chunk + word, 1u) - 32u;
  let past = max(axis.cells, first) - first; // bits from here on are beyond the axis
  var on = select((1u << (past % 32u)) - 1u, 0xffffffffu, past > 31u);
  on &= select(0xffffffffu, select(0xc0000000u, 0u, chunk == 0u), word == 0u) & select(0xffffffffu, 3u, word == WORDS - 1u);
  let own = (bits | (bits << 1u) | (bits >> 1u) | below | above) & on;
  asked[place] = own;
  counts[place] = countOneBits(own);
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  // Planes begin one column before the grid, and the columns around them one more.
  let corner = vec2u(group.x * PARTS, band.first + group.y) - 2u;
  // Every invocation reads all spans, so that none waits for another. Reading a span twice does no harm.
  let least = max(vec2i(corner), vec2i());
  let most = min(vec2i(corner + vec2u(AROUND - 1u, 2u)), vec2i(i32(COLUMNS), i32(ROWS)) - 1);
  var first = MASKS;
  var last = 0u;
  for (var i = 0u; i < 3u * SPANS; i++) {
    let x = min(least.x / i32(BUILT) + i32(i / 3u), most.x / i32(BUILT));
    let y = min(least.y + i32(i % 3u), most.y);
    let span = spans[u32(y) * ((COLUMNS + BUILT - 1u) / BUILT) + u32(x)];
    first = min(first, span.x);
    last = max(last, span.y);
  }
  // A cell at either end of a word may need one in the next word.
  for (var chunk = max(first, 1u) - 1u; chunk < min(last + 1u, MASKS); chunk += CHUNK) {
    for (var i = thread; i < 3u * AROUND * WORDS; i += THREADS) {
      let at = i / WORDS;
      let mask = chunk + i % WORDS - 1u; // wraps around before the first
      let column = vec2u(at % AROUND, at / AROUND);
      let isThere = isColumn(corner + column) && mask < MASKS;
      let word = index[select(0u, columnAt(corner, column) * MASKS + mask, isThere)];
      let slot = columnAt(corner, column) * SPACE * SPACE + word.y;
      indices[i] = select(vec2u(), vec2u(word.x, slot), isThere);
    }
    workgroupBarrier();
    for (var i = thread; i < PARTS * WORDS; i += THREADS) {
      let word = i % WORDS;
      var bits = 0u;
      for (var j = 0u; j < 9u; j++) {
        bits |= indices[(j / 3u * AROUND + i / WORDS + j % 3u) * WORDS + word].x;
      }
      there[i] = bits;
    }
    workgroupBarrier();
    for (var i = thread; i < PARTS * WORDS; i += THREADS) {
      ask(i, chunk);
    }
    workgroupBarrier();
    if (thread < PARTS) {
      totals[thread] = 0u;
      for (var i = 0u; i < WORDS; i++) {
        totals[thread] += counts[thread * WORDS + i];
      }
    }
    let all = workgroupUniformLoad(&totals);
    let ends = vec3u(all[0], all[0] + all[1], all[0] + all[1] + all[2]);
    let total = ends.z + all[3];
    for (var window = 0u; window < total; window += SLOTS) {
      // The entries that this window's own cells are blurred from, too.
      let first = max(window, BLUR_REACH) - BLUR_REACH;
      let end = min(window + SLOTS + BLUR_REACH, total) - first;
      if (thread == 0u) {
        firstEntry = atomicAdd(&entryCounts[band.number], min(total - window, SLOTS));
      }
      for (var slot = thread; slot < end; slot += THREADS) {
        let entry = entryAt(first + slot, ends, chunk);
        listed[slot] = entry;
        centreOf[slot] = centres[entry & 0xffffu];
        let sum = collect(entry, chunk);
        ones[slot] = sum.a;
        squares[slot] = sum.b;
        mixed[slot] = sum.c;
      }
      workgroupBarrier();
      for (var slot = thread + window - first; slot < min(end, window + SLOTS - first); slot += THREADS) {
        let entry = listed[slot];
        let cell = entry & 0xffffu;
        let place = group.x * PARTS + (entry >> 16u);
        let to = firstEntry + slot + first - window;
        if (cell / 32u >= chunk && cell / 32u < chunk + CHUNK && place < COLUMNS + 2u) {
          let at = (group.y * (COLUMNS + 2u) + place) * MASKS * 32u + cell;
          let plane = planeFit(planeBlur(slot, end), centreOf[slot], at, to);
          residualOf(entry >> 16u, cell, chunk, plane);
        } else if (to < arrayLength(&entries)) {
          entries[to].share = 0.0;
        }
      }
      workgroupBarrier();
    }
  }
}
