// Fits the planes that pixels ask for: for each column, and one more on each side, those of the cells that a pixel of the 3 × 3
// columns around lies in or next to.
//
//      ○  ○  ○      1. which cells are there, in any of the nine, and beside them: a bit each, numbered from the nearest on
//      ○  ●  ○      2. an invocation for each of these: its nine moments, 1 2 1 along x and y
//      ○  ○  ○      3. again: those of the 5 cells around, 1 4 6 4 1. Of what is there the two before and the two after in order
//                      are all that may be so near. Then the plane, by least squares.
//
// A plane lies where its column and cell say, so who reads it looks nothing up. What nobody asks for stays as it was.
const PARTS = 4u; // columns of a workgroup, side by side
override SPACE: u32 = 8u;
override COLUMNS: u32 = 80u;
override ROWS: u32 = 60u;
override MASKS: u32 = 4u; // words of bits to a column
override LANES: u32 = 16u; // invocations to a column
override THREADS: u32 = PARTS * LANES;

const SLOTS = 32u; // planes of each that it holds at a time
const REACH = 2u; // of the blur along depth
const ROOM = SLOTS + 2u * REACH;
const FLATNESS = 0.1; // these three as in stages/bilateralGrid/planes/fit.ts
const RIDGE = 2e-4;
const THIN = 0.05;

// How the depth axis is cut into cells.
struct PlaneAxis {
  cells: u32,
  farthest: f32, // depth on it
  step: f32, // what 1 of an r is, in depth units
  square: f32, // what 1 of an r² is, in squares of that
  sigma: f32, // range sigma is sigma + growth · depth², 1 at least, in depth units
  growth: f32,
}

@group(0) @binding(0) var<storage, read> index: array<vec2u>;
@group(0) @binding(1) var<storage, read> moments: array<vec4f>;
@group(0) @binding(2) var<storage, read> centres: array<f32>; // by cell: the depth of its middle
@group(0) @binding(3) var<storage, read_write> planes: array<vec4f>; // 1/depth at the column's centre, what a pixel right and down adds, weight
@group(0) @binding(4) var<uniform> axis: PlaneAxis;

var<workgroup> there: array<u32, PARTS * MASKS>; // cells with pixels
var<workgroup> asked: array<u32, PARTS * MASKS>; // those and the ones beside them
var<workgroup> counts: array<u32, PARTS * MASKS>;
var<workgroup> totals: array<u32, PARTS>;
var<workgroup> cellOf: array<u32, PARTS * ROOM>;
var<workgroup> sums: array<Sums, PARTS * ROOM>;

struct Sums {
  a: vec4f, // n, Σu, Σv, Σr
  b: vec4f, // Σuu, Σuv, Σvv, Σrr
  c: vec2f, // Σur, Σvr
}

fn isColumn(column: vec2i) -> bool {
  return all(column >= vec2i()) && all(column < vec2i(i32(COLUMNS), i32(ROWS)));
}

fn columnAt(column: vec2i) -> u32 {
  return select(0u, u32(column.y) * COLUMNS + u32(column.x), isColumn(column));
}

fn bitsAround(column: vec2i, mask: u32) -> u32 {
  var bits = 0u;
  for (var i = 0u; i < 9u; i++) {
    let other = column + vec2i(vec2u(i % 3u, i / 3u)) - 1;
    bits |= select(0u, index[columnAt(other) * MASKS + mask].x, isColumn(other));
  }
  return bits;
}

// The moments of 3 × 3 columns in one cell, seen from the middle one's centre. All loads are independent: waiting for them is
// what this kernel does most. What is not there counts 0 times what is at the grid's beginning.
fn collect(column: vec2i, cell: u32) -> Sums {
  var sum = Sums();
  for (var i = 0u; i < 9u; i++) {
    let by = vec2u(i % 3u, i / 3u);
    let other = column + vec2i(by) - 1;
    let at = columnAt(other);
    let word = index[at * MASKS + cell / 32u];
    let isThere = isColumn(other) && ((word.x >> (cell % 32u)) & 1u) == 1u;
    let slot = at * SPACE * SPACE + word.y + countOneBits(word.x & ((1u << (cell % 32u)) - 1u));
    let first = select(0u, 3u * slot, isThere);
    let a = moments[first];
    let b = moments[first + 1u];
    let c = moments[first + 2u].xy;
    let offset = (vec2f(by) - 1.0) * f32(SPACE) - 0.5 * f32(SPACE - 1u);
    let tap = select(0.0, select(1.0, 2.0, by.x == 1u) * select(1.0, 2.0, by.y == 1u), isThere);
    let moved = vec3f(
      offset.x * (2.0 * a.y + offset.x * a.x),
      offset.x * a.z + offset.y * a.y + offset.x * offset.y * a.x,
      offset.y * (2.0 * a.z + offset.y * a.x),
    );
    sum.a += tap * vec4f(a.x, a.yz + offset * a.x, a.w);
    sum.b += tap * vec4f(b.xyz + moved, b.w);
    sum.c += tap * (c + offset * a.w);
  }
  return sum;
}

// The moments of the five cells around one, as this one's. `slots` of the workgroup's begin with the two before it.
fn blurred(cell: u32, slots: u32, before: u32, total: u32) -> Sums {
  let centre = centres[cell];
  var sum = Sums();
  for (var i = 0u; i < 5u; i++) {
    // Of the first two it may wrap, and is past the end.
    if (before + i - REACH >= total) {
      continue;
    }
    let source = cellOf[slots + i];
    let away = max(source, cell) - min(source, cell);
    if (away > 2u) {
      continue;
    }
    let k = select(select(1.0, 4.0, away == 1u), 6.0, away == 0u);
    let own = sums[slots + i];
    // 1/depth is (1 − r/c)/c: so one cell's r is linear in another's.
    let ratio = centre / centres[source];
    let scale = ratio * ratio * axis.step;
    let base = centre * (1.0 - ratio);
    let r = scale * own.a.w + base * own.a.x;
    let rr = scale * (scale * axis.square * own.b.w + 2.0 * base * own.a.w) + base * base * own.a.x;
    sum.a += k * vec4f(own.a.xyz, r);
    sum.b += k * vec4f(own.b.xyz, rr);
    sum.c += k * (scale * own.c + base * own.a.yz);
  }
  return sum;
}

fn fit(sum: Sums, centre: f32) -> vec4f {
  let n = sum.a.x;
  if (n == 0.0) {
    return vec4f();
  }
  let mean = sum.a.yzw / n;
  let uu = sum.b.x / n - mean.x * mean.x + RIDGE;
  let uv = sum.b.y / n - mean.x * mean.y;
  let vv = sum.b.z / n - mean.y * mean.y + RIDGE;
  let rr = sum.b.w / n - mean.z * mean.z;
  let r = sum.c / n - mean.xy * mean.z;
  // Rounding may leave less than nothing of a row of pixels.
  let determinant = max(uu * vv - uv * uv, RIDGE * RIDGE);
  let slope = vec2f(r.x * vv - r.y * uv, r.y * uu - r.x * uv) / determinant;
  let flat = FLATNESS * max(1.0, axis.sigma + axis.growth * centre * centre);
  let off = 1.0 + max(0.0, rr - dot(slope, r)) / (flat * flat);
  let thin = determinant / (uu + vv);
  let weight = n * thin / (thin + THIN) / (off * off * off * off);
  let inverse = 1.0 / centre;
  return vec4f((1.0 - (mean.z - dot(slope, mean.xy)) * inverse) * inverse, -slope * inverse * inverse, weight);
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  // Named here because the reflection of webgpu-utils does not look into loops.
  _ = &index;
  _ = &moments;
  _ = &planes;
  let part = thread / LANES;
  let lane = thread % LANES;
  // Planes begin one column before the grid; those past its end find nothing.
  let place = vec2u(group.x * PARTS + part, group.y);
  let column = vec2i(place) - 1;
  let room = place.y * (COLUMNS + 2u) + place.x;
  for (var mask = lane; mask < MASKS; mask += LANES) {
    there[part * MASKS + mask] = bitsAround(column, mask);
  }
  workgroupBarrier();
  for (var mask = lane; mask < MASKS; mask += LANES) {
    let at = part * MASKS + mask;
    let bits = there[at];
    let below = select(0u, there[max(at, 1u) - 1u] >> 31u, mask > 0u);
    let above = select(0u, there[min(at + 1u, PARTS * MASKS - 1u)] << 31u, mask + 1u < MASKS);
    let past = max(axis.cells, 32u * mask) - 32u * mask; // bits from here on are past the axis
    let on = select((1u << past) - 1u, 0xffffffffu, past > 31u);
    let own = (bits | (bits << 1u) | (bits >> 1u) | below | above) & on;
    asked[at] = own;
    counts[at] = countOneBits(own);
  }
  workgroupBarrier();
  if (lane == 0u) {
    var total = 0u;
    for (var mask = 0u; mask < MASKS; mask++) {
      let at = part * MASKS + mask;
      let count = counts[at];
      counts[at] = total; // from here on those before
      total += count;
    }
    totals[part] = total;
  }
  let all = workgroupUniformLoad(&totals);
  let total = totals[part];
  let most = max(max(all[0], all[1]), max(all[2], all[3]));
  for (var window = 0u; window < most; window += SLOTS) {
    for (var mask = lane; mask < MASKS; mask += LANES) {
      var bits = asked[part * MASKS + mask];
      var slot = counts[part * MASKS + mask] + REACH - window; // of a window before it wraps, and is past the end
      for (var bit = 0u; bit < 32u; bit++) {
        if (bits == 0u) {
          break;
        }
        if (slot < ROOM) {
          cellOf[part * ROOM + slot] = 32u * mask + firstTrailingBit(bits);
        }
        bits &= bits - 1u;
        slot++;
      }
    }
    workgroupBarrier();
    for (var slot = lane; slot < ROOM; slot += LANES) {
      // Of the first two it may wrap.
      if (window + slot - REACH < total) {
        sums[part * ROOM + slot] = collect(column, cellOf[part * ROOM + slot]);
      }
    }
    workgroupBarrier();
    for (var slot = lane; slot < min(SLOTS, max(total, window) - window); slot += LANES) {
      let cell = cellOf[part * ROOM + slot + REACH];
      let sum = blurred(cell, part * ROOM + slot, window + slot, total);
      planes[room * MASKS * 32u + cell] = fit(sum, centres[cell]);
    }
    workgroupBarrier();
  }
}
