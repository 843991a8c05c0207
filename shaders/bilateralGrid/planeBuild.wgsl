// #import "../core/exact.wgsl"
// #import "./planeParts.wgsl"
// #import "./planeSums.wgsl"
// Kernel 4 (pipeline/README.md). An invocation: 4 neighbouring pixels of a tile. A workgroup: 8 tiles side by side: columns of cells. It
// leaves: moments, blurred along depth.
// Sums up tiles: for each cell of a tile's column that is occupied or within two cells of an occupied one, the moments to which a plane is
// fitted, blurred along depth (1 4 6 4 1).
//
//      depth        masks, a bit per cell    slots              The kernel finds the occupied cells first and numbers them, the nearest
//   ┌─┬─┬─┬─┐        · 1 · · · 1 1 ·        0 │1│2             first. So workgroup memory holds occupied cells alone, and the result
//   │ │ │ │ │  ──▶     │       │ └──┐   ──▶ n Σu Σv Σr         does not depend on the order of additions, since all numbers are whole
//   └─┴─┴─┴─┘          0       1    2       Σuu … Σvr          until they are blurred.
//
// An invocation reads RUN pixels of a row at a time. The invocation sums the successive pixels of one cell before it uses the atomics,
// which neighbours contend for, and keeps its first run in registers; a tile of 8 × 8 has no others. A workgroup has PARTS adjacent tiles,
// because a multiprocessor could not hold enough workgroups of one small tile each. Adjacent invocations, and adjacent words of `bins`,
// belong to different tiles: atomics of one tile wait for each other, those of adjacent tiles use different banks.
//
// A blurred cell needs up to five slots, so windows of slots overlap by four. The cell belongs to the first slot that it needs.
override PARTS: u32 = 8u;
override INSET: u32 = 0u; // pixels by which the first tile begins left of the frame
override WIDTH: u32 = 640u;
override HEIGHT: u32 = 480u;
override ROW: u32 = 320u; // words per row of depth
override RUN: u32 = 4u;
override SQUARE_SHIFT: u32 = 0u; // number of low bits dropped from r²
override LANES: u32 = 16u; // invocations per tile
override THREADS: u32 = PARTS * LANES;
override ALL_MASKS: u32 = PARTS * MASKS;
override BINS: u32 = PARTS * SLOTS * WORDS;
override CELLS: u32 = PARTS * (SLOTS + 1u);

const SLOTS = 16u; // cells per tile that workgroup memory holds at once
const REACHED = 5u; // cells that a cell is blurred to
const STEP = SLOTS - REACHED + 1u; // slots from one window to the next
const WORDS = 10u; // words per cell
const BEFORE_FIRST = 0xfffffffcu; // stands for the cell of the slot before the first
const NOTHING = -1;
const LONGEST = 8u; // the largest RUN
const MOST_PARTS = 8u;

@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read> entryOf: array<i32, 65536>; // by depth: cell << 16 | r as 16 bits, or NOTHING
// For each column and mask: a bit for each cell that is at most one cell (x) or two cells (y) away from an occupied cell.
@group(0) @binding(2) var<storage, read_write> index: array<vec2u>;
// For each workgroup: the first mask of its columns that is not 0, and the mask after the last such mask.
@group(0) @binding(3) var<storage, read_write> spans: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> moments: array<vec4f>; // MOMENT_VECTORS by column and cell; u and v count from the tile's centre
@group(0) @binding(5) var<storage, read_write> entryCounts: array<u32>; // of planeFit, one per band; cleared here
@group(0) @binding(6) var<uniform> band: Band;
@group(0) @binding(7) var<uniform> axis: PlaneAxis;
@group(0) @binding(8) var<storage, read> centres: array<Centre>; // by cell

// The depth c of a cell's centre, 1/c, and the unit of its r in depth units.
struct Centre { depth: f32, inverse: f32, step: f32 }

var<workgroup> masks: array<atomic<u32>, ALL_MASKS>;
var<workgroup> firstMask: atomic<u32>;
var<workgroup> endMask: atomic<u32>;
var<workgroup> before: array<u32, ALL_MASKS>;
var<workgroup> bins: array<atomic<i32>, BINS>; // n, Σ2u, Σ2v, Σr, Σ4uu, Σ4uv, Σ4vv, Σrr, Σ2ur, Σ2vr
var<workgroup> cellOf: array<u32, CELLS>; // by slot, from the one before the window on
var<workgroup> totals: array<u32, MOST_PARTS>;

// Sums over the pixels of one row and cell.
struct RowSums { n: i32, u: i32, r: i32, uu: i32, rr: i32, ur: i32 }

fn entryOfPixel(tile: vec2u, place: vec2u) -> i32 {
  let x = tile.x + place.x - INSET; // wraps around left of the frame, and is then beyond WIDTH
  let y = tile.y + place.y;
  // There is no branch here, so that a pixel's reads need not wait for those of the pixel before it. A pixel outside reads the entry of
  // depth 0, which is NOTHING.
  let isThere = all(place < vec2u(SPACE)) && x < WIDTH && y < HEIGHT;
  let word = depth[select(0u, y * ROW + x / 2u, isThere)];
  return entryOf[select(0u, (word >> (16u * (x % 2u))) & 0xffffu, isThere)];
}

fn runAt(tile: vec2u, place: vec2u) -> array<i32, LONGEST> {
  var run: array<i32, LONGEST>;
  for (var i = 0u; i < RUN; i++) {
    run[i] = entryOfPixel(tile, place + vec2u(i, 0u));
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

// Two masks: the cells that are occupied or beside an occupied cell, and the cells within two cells of an occupied one.
fn bitsOf(part: u32, mask: u32) -> vec2u {
  let at = part * MASKS + mask;
  let bits = atomicLoad(&masks[at]);
  let under = select(0u, atomicLoad(&masks[max(at, 1u) - 1u]), mask > 0u);
  let above = select(0u, atomicLoad(&masks[min(at + 1u, ALL_MASKS - 1u)]), mask + 1u < MASKS);
  let near = bits | (bits << 1u) | (bits >> 1u) | (under >> 31u) | (above << 31u);
  return vec2u(near, near | (bits << 2u) | (bits >> 2u) | (under >> 30u) | (above << 30u));
}

// Notes how many occupied cells lie before those of each mask, in the masks from `first` up to `end`.
fn count(part: u32, lane: u32, first: u32, end: u32) {
  for (var mask = lane; mask < MASKS; mask += LANES) {
    let at = part * MASKS + mask;
    var sum = 0u;
    for (var m = first; m < min(mask, end); m++) {
      sum += countOneBits(atomicLoad(&masks[part * MASKS + m]));
    }
    before[at] = sum;
    if (mask == MASKS - 1u) {
      totals[part] = sum + countOneBits(atomicLoad(&masks[at]));
    }
  }
}

// Empties the bins of a window's slots, and notes which cells have them.
fn clear(part: u32, lane: u32, window: u32, slots: u32) {
  for (var word = lane; word < slots * WORDS; word += LANES) {
    atomicStore(&bins[word * PARTS + part], 0);
  }
  if (lane == 0u && window == 0u) { cellOf[part] = BEFORE_FIRST; }
  for (var mask = lane; mask < MASKS; mask += LANES) {
    var slot = before[part * MASKS + mask] + 1u - window; // wraps around for a slot before the window
    for (var bits = atomicLoad(&masks[part * MASKS + mask]); bits != 0u; bits &= bits - 1u) {
      if (slot <= SLOTS) { cellOf[slot * PARTS + part] = 32u * mask + countTrailingZeros(bits); }
      slot++;
    }
  }
}

fn bin(part: u32, slot: u32, word: u32) -> i32 {
  return atomicLoad(&bins[(slot * WORDS + word) * PARTS + part]);
}

// Takes the cell that lies `reach` cells behind the cell at `slot` − 2. If that is the slot's own cell, blurs the moments around it and
// writes them.
fn blur(part: u32, column: vec2u, slot: u32, count: u32, reach: u32) {
  let to = cellOf[(slot + 1u) * PARTS + part] + reach; // two more than the cell's number
  let isOwn = to >= 2u && to < MASKS * 32u + 2u && cellOf[slot * PARTS + part] + 4u < to; // wraps around before the first
  if (!isOwn) {
    return;
  }
  let cell = to - 2u;
  let centre = centres[cell].depth;
  var a = vec4f(); // n, Σu, Σv, Σr
  var b = vec4f(); // Σuu, Σuv, Σvv, Σrr
  var c = vec2f(); // Σur, Σvr
  for (var i = slot; i < min(slot + REACHED, count); i++) {
    let number = cellOf[(i + 1u) * PARTS + part] + 2u - cell; // of the tap
    if (number >= REACHED) {
      break;
    }
    let k = select(select(1.0, 4.0, number % 2u == 1u), 6.0, number == 2u);
    // 1/depth = (1 − r/c)/c, so one cell's r is linear in another's, r · scale + n · base.
    let its = centres[cellOf[(i + 1u) * PARTS + part]];
    let ratio = select(times(centre, its.inverse), 1.0, number == 2u);
    let scale = times(ratio, ratio) * its.step; // a power of two
    let base = times(centre, 1.0 - ratio);
    let square = vec3f(times(scale, scale) * f32(1u << SQUARE_SHIFT), 2.0 * times(scale, base), times(base, base));
    let inR = vec2f(times(k, scale), times(k, base));
    let inRr = times3(vec3f(k), square);
    let n = f32(bin(part, i, 0u));
    let uv = 0.5 * vec2f(f32(bin(part, i, 1u)), f32(bin(part, i, 2u)));
    let r = f32(bin(part, i, 3u));
    let squares = 0.25 * vec3f(f32(bin(part, i, 4u)), f32(bin(part, i, 5u)), f32(bin(part, i, 6u)));
    let rr = f32(bin(part, i, 7u));
    let along = 0.5 * vec2f(f32(bin(part, i, 8u)), f32(bin(part, i, 9u))); // ur, vr
    // Products with k, and their sums, are exact.
    a = vec4f(a.xyz + k * vec3f(n, uv), summed(a.w + summed(times(inR.x, r) + times(inR.y, n))));
    let added = summed(summed(times(inRr.x, rr) + times(inRr.y, r)) + times(inRr.z, n));
    b = vec4f(b.xyz + k * squares, summed(b.w + added));
    let linear = summed3(times3(vec3f(inR.x), vec3f(along, 0.0)) + times3(vec3f(inR.y), vec3f(uv, 0.0)));
    c = summed3(vec3f(c, 0.0) + linear).xy;
  }
  let at = MOMENT_VECTORS * cellAt(column, cell);
  moments[at] = a;
  moments[at + 1u] = b;
  moments[at + 2u] = vec4f(c, 0.0, 0.0);
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  hideConstants(axis.zero);
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
    let bits = bitsOf(part, mask);
    if (place.x < COLUMNS) {
      index[column * MASKS + mask] = bits;
    }
    if (bits.x != 0u) {
      atomicMin(&firstMask, mask);
      atomicMax(&endMask, mask + 1u);
    }
  }
  workgroupBarrier();
  let first = atomicLoad(&firstMask);
  let end = atomicLoad(&endMask);
  count(part, lane, first, end);
  if (thread == 0u) {
    spans[place.y * ((COLUMNS + PARTS - 1u) / PARTS) + group.x] = vec2u(first, end);
  }
  let all = workgroupUniformLoad(&totals);
  var most = 0u;
  for (var p = 0u; p < PARTS; p++) {
    most = max(most, all[p]);
  }
  for (var window = 0u; window < most && (window == 0u || window + SLOTS < most + STEP); window += STEP) {
    let total = totals[part];
    // A tile that has no more slots than the windows before is done.
    let held = select(0u, min(SLOTS, max(total, window) - window), window == 0u || window + SLOTS < total + STEP);
    clear(part, lane, window, held);
    workgroupBarrier();
    for (var item = lane; item < runs * SPACE; item += LANES) {
      var run = own;
      if (item != lane) {
        run = runAt(tile, vec2u(item % runs * RUN, item / runs));
      }
      let v = 2 * i32(item / runs) - i32(SPACE - 1u);
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
        let u = 2 * i32(item % runs * RUN + i) - i32(SPACE - 1u);
        let r = (run[i] << 16u) >> 16u;
        sums = RowSums(sums.n + 1, sums.u + u, sums.r + r, sums.uu + u * u, sums.rr + ((r * r) >> SQUARE_SHIFT), sums.ur + u * r);
      }
      add(part, last, window, sums, v);
    }
    workgroupBarrier();
    // The farthest cell that a slot reaches is always its own, the nearest hardly ever.
    let slots = select(STEP, held, total <= window + SLOTS || held < STEP);
    for (var i = lane; i < REACHED * slots && place.x < COLUMNS; i += LANES) {
      blur(part, place, i % slots, held, REACHED - 1u - i / slots);
    }
    workgroupBarrier();
  }
}
