// #import "./planeSolve.wgsl"
// Kernel 5 (pipeline/README.md). An invocation: one cell of a column: its plane, and its pixels' residuals. A workgroup: 4 columns side by
// side, and one more around. It leaves: planes, residuals. Fits the planes that pixels need, in each column of the grid and in one more on
// each side: the planes of those cells that a pixel of the surrounding 3 × 3 columns lies in or beside. A workgroup has four adjacent
// columns, so it reads 6 × 3:
//
//   ○  ○  ○  ○  ○  ○      1. find the cells that are occupied in any of nine columns, and those beside: a bit each
//   ○  ●  ●  ●  ●  ○      2. list the cells of all four columns, the nearest first; one invocation per cell sums the
//   ○  ○  ○  ○  ○  ○         moments of the nine columns, 1 2 1 along x and y, and fits the plane by least squares
//                         3. the same invocation sums up how far the column's own pixels lie off the plane, for planeRefit
//
// A plane's column and cell determine its address, so reading it needs no look-up. Planes that no pixel needs keep old data. The depth axis
// is processed in chunks.
override ROWS: u32 = 60u;
override BUILT: u32 = 8u; // columns that one span covers
override THREADS: u32 = 96u;
override SPANS: u32 = (AROUND + BUILT - 2u) / BUILT + 1u; // spans that the surrounding columns may lie in, along x
const FITTED = 4u; // columns per workgroup
const AROUND = FITTED + 2u;
const CHUNK = 8u; // words of bits

@group(0) @binding(0) var<storage, read> index: array<vec2u>;
@group(0) @binding(1) var<storage, read> spans: array<vec2u>;
@group(0) @binding(3) var<storage, read> cells: array<Cell>;
@group(0) @binding(4) var<storage, read_write> planes: array<vec4f>;
@group(0) @binding(5) var<uniform> axis: PlaneAxis;
@group(0) @binding(6) var<uniform> band: Band;
@group(0) @binding(7) var<storage, read_write> entryCounts: array<atomic<u32>>; // by band: the number of entries
@group(0) @binding(8) var<storage, read_write> entries: array<Entry>; // entries behind the array's end are counted only
@group(0) @binding(9) var<storage, read_write> residuals: array<vec4f>; // by column and cell

var<workgroup> indices: array<vec2u, 3u * AROUND * CHUNK>; // of the surrounding columns
var<workgroup> asked: array<u32, FITTED * CHUNK>; // the cells to fit
var<workgroup> counts: array<u32, FITTED * CHUNK>;
var<workgroup> totals: array<u32, FITTED>;
var<workgroup> firstEntry: u32;

fn isColumn(column: vec2u) -> bool {
  return column.x < COLUMNS && column.y < ROWS; // a coordinate before the first wraps around
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

// The column (as part << 16) and cell of entry `slot` of the list.
fn entryAtSlot(slot: u32, ends: vec3u, chunk: u32) -> u32 {
  let part = u32(slot >= ends.x) + u32(slot >= ends.y) + u32(slot >= ends.z);
  var left = slot - select(select(select(ends.z, ends.y, part == 2u), ends.x, part == 1u), 0u, part == 0u);
  var before = 0u;
  var found = vec2u(); // the word, and the number of the bit in it
  for (var i = 0u; i < CHUNK; i++) {
    if (left >= before) {
      found = vec2u(i, left - before);
    }
    before += counts[part * CHUNK + i];
  }
  return (part << 16u) | (32u * (chunk + found.x) + bitAt(asked[part * CHUNK + found.x], found.y));
}

// Finds the cells to list in one word of bits.
fn ask(place: u32, chunk: u32) {
  let word = place % CHUNK;
  var bits = 0u;
  for (var j = 0u; j < 9u; j++) {
    bits |= indices[(j / 3u * AROUND + place / CHUNK + j % 3u) * CHUNK + word].x;
  }
  let first = 32u * (chunk + word);
  let past = max(axis.cells, first) - first; // bits from here on are beyond the axis
  bits &= select((1u << (past % 32u)) - 1u, 0xffffffffu, past > 31u);
  asked[place] = bits;
  counts[place] = countOneBits(bits);
}

// The moments of three columns side by side, in row `y` of the surrounding columns.
fn rowOf(corner: vec2u, first: u32, y: u32, cell: u32, chunk: u32) -> Moments {
  let at = (y * AROUND + first) * CHUNK + cell / 32u - chunk;
  let shift = cell % 32u;
  let column = corner + vec2u(first, y);
  return across(
    momentsAt(column, cell, ((indices[at].y >> shift) & 1u) == 1u),
    momentsAt(column + vec2u(1u, 0u), cell, ((indices[at + CHUNK].y >> shift) & 1u) == 1u),
    momentsAt(column + vec2u(2u, 0u), cell, ((indices[at + 2u * CHUNK].y >> shift) & 1u) == 1u),
  );
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  hideConstants(axis.zero);
  // Planes begin one column before the grid, and the columns around them one more.
  let corner = vec2u(group.x * FITTED, band.first + group.y) - 2u;
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
  for (var chunk = first; chunk < last; chunk += CHUNK) {
    for (var i = thread; i < 3u * AROUND * CHUNK; i += THREADS) {
      let at = i / CHUNK;
      let mask = chunk + i % CHUNK;
      let column = corner + vec2u(at % AROUND, at / AROUND);
      let isThere = isColumn(column) && mask < MASKS;
      indices[i] = select(vec2u(), index[select(0u, keptAt(column) * MASKS + mask, isThere)], isThere);
    }
    workgroupBarrier();
    for (var i = thread; i < FITTED * CHUNK; i += THREADS) {
      ask(i, chunk);
    }
    workgroupBarrier();
    if (thread < FITTED) {
      totals[thread] = 0u;
      for (var i = 0u; i < CHUNK; i++) {
        totals[thread] += counts[thread * CHUNK + i];
      }
    }
    let all = workgroupUniformLoad(&totals);
    let ends = vec3u(all[0], all[0] + all[1], all[0] + all[1] + all[2]);
    let total = ends.z + all[3];
    if (thread == 0u) {
      firstEntry = atomicAdd(&entryCounts[band.number], total);
    }
    workgroupBarrier();
    for (var slot = thread; slot < total; slot += THREADS) {
      let entry = entryAtSlot(slot, ends, chunk);
      let number = entry & 0xffffu;
      let part = entry >> 16u;
      let to = firstEntry + slot;
      if (group.x * FITTED + part >= COLUMNS + 2u) {
        if (to < arrayLength(&entries)) { entries[to].share = 0.0; }
        continue;
      }
      let top = rowOf(corner, part, 0u, number, chunk);
      let middle = rowOf(corner, part, 1u, number, chunk);
      let sum = down(top, middle, rowOf(corner, part, 2u, number, chunk));
      let cell = cells[number];
      let design = designOf(sum);
      let plane = planeOf(sum, design, cell);
      let place = (group.y * (COLUMNS + 2u) + group.x * FITTED + part) * MASKS * 32u + number;
      planes[place] = plane;
      if (to < arrayLength(&entries)) { entries[to] = entryOf(design, place); }
      let own = indices[(AROUND + part + 1u) * CHUNK + number / 32u - chunk];
      if (((own.x >> (number % 32u)) & 1u) == 1u) {
        let column = corner + vec2u(part + 1u, 1u);
        residuals[cellAt(column, number)] = vec4f(residualOf(momentsAt(column, number, true), plane, cell), 0.0);
      }
    }
    workgroupBarrier();
  }
}
