// Fits the planes that a block of pixels lies between, and blends them. A workgroup owns up to 8 × 8 pixels between the centres
// of four columns: each column's planes are fitted by the four groups around it, and a dispatch is saved.
//
//      ○  ○  ○  ○       1. an invocation for each pixel: which two cells it lies between, as bits
//      ○  ●──●  ○       2. one for each of the 16 columns and each cell that has a bit: the moments of the 5 cells around it.
//      ○  ●──●  ○          All its loads are independent of each other: waiting for them is what this kernel does most
//      ○  ○  ○  ○       3. one for each of the four ● and each cell: the plane of the 3 × 3 columns around, by least squares
//                       4. one for each pixel again: the mean of what the eight planes around it say at its place
//
// Two pixels share a word of the image. Where σ is odd, a region's last word may hold the next region's first pixel: it lies on
// the centre of the columns that both regions share, so that both find the same.
override SPACE: u32 = 8u;
override INSET: u32 = 0u; // the first tile begins so far left of the frame
override HEIGHT: u32 = 480u;
override ROW: u32 = 320u; // words in a row of depth
override COLUMNS: u32 = 80u;
override ROWS: u32 = 60u;
override MASKS: u32 = 4u; // words of bits to a column
override BLOCKS: u32 = 1u; // blocks of 8 pixels along a region's side

const THREADS = 64u;
const PLANES = 8u; // of each column that a workgroup holds at a time: little memory, so that many workgroups wait at once
const NOTHING = 0xffffffffu;
const FLATNESS = 0.1; // these five as in stages/bilateralGrid/planes/ (fit.ts, slice.ts)
const RESIDUAL = 0.15;
const RIDGE = 2e-4;
const THIN = 0.05;
const REACH = 3.0;

// How the depth axis is cut into cells.
struct PlaneAxis {
  cells: i32,
  farthest: f32, // depth on it
  step: f32, // what 1 of an r is, in depth units
  square: f32, // what 1 of an r² is, in squares of that
  sigma: f32, // range sigma is sigma + growth · depth², 1 at least, in depth units
  growth: f32,
}

@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read> positionOf: array<u32, 65536>; // by depth: cells from the centre of cell −1, in 1/65536
@group(0) @binding(2) var<storage, read> index: array<vec2u>;
@group(0) @binding(3) var<storage, read> moments: array<vec4f>;
@group(0) @binding(4) var<storage, read> centres: array<f32>; // by cell: the depth of its middle
@group(0) @binding(5) var<storage, read_write> filtered: array<u32>;
@group(0) @binding(6) var<uniform> axisOfDepth: PlaneAxis;

var<private> axis: PlaneAxis; // read once

var<workgroup> masks: array<atomic<u32>, MASKS>; // cells that pixels lie next to
var<workgroup> before: array<u32, MASKS>; // cells in the masks before
var<workgroup> total: u32;
var<workgroup> wanted: array<u32, PLANES>; // cells of this window
// Of each cell and each of the 16 columns: n, Σu, Σv, Σr; Σuu, Σuv, Σvv, Σrr; Σur, Σvr.
var<workgroup> momentsA: array<vec4f, 16u * PLANES>;
var<workgroup> momentsB: array<vec4f, 16u * PLANES>;
var<workgroup> momentsC: array<vec2f, 16u * PLANES>;
var<workgroup> planes: array<array<vec4f, PLANES>, 4>; // 1/depth at the column's centre, what a pixel right and down adds, weight
var<workgroup> results: array<u32, THREADS>;

fn sigmaAt(d: f32) -> f32 {
  return max(1.0, axis.sigma + axis.growth * d * d);
}

// The cells of one column around cell `cell`, seen from its tile's corner, for workgroup memory at `to`.
fn collect(place: vec2i, cell: i32, to: u32) {
  momentsA[to] = vec4f();
  momentsB[to] = vec4f();
  momentsC[to] = vec2f();
  if (any(place < vec2i()) || any(place >= vec2i(i32(COLUMNS), i32(ROWS)))) {
    return;
  }
  let column = u32(place.y) * COLUMNS + u32(place.x);
  let first = max(0, cell - 2);
  let many = u32(min(cell + 2, axis.cells - 1) - first + 1);
  let mask = u32(first) / 32u;
  let shift = u32(first) % 32u;
  let word = index[column * MASKS + mask];
  let next = index[min(column * MASKS + mask + 1u, MASKS * COLUMNS * ROWS - 1u)].x;
  var bits = word.x >> shift;
  if (shift > 27u && mask + 1u < MASKS) {
    bits |= next << (32u - shift);
  }
  bits &= (1u << many) - 1u;
  if (bits == 0u) {
    return;
  }
  let slot = column * SPACE * SPACE + word.y + countOneBits(word.x & ((1u << shift) - 1u));
  let centre = centres[cell];
  var a = vec4f();
  var b = vec4f();
  var c = vec2f();
  for (var i = 0u; i < 5u; i++) {
    // What is not there counts 0 times what is at its place.
    let at = 3u * (slot + countOneBits(bits & ((1u << i) - 1u)));
    let p = moments[at];
    let q = moments[at + 1u];
    let s = moments[at + 2u].xy;
    let source = min(first + i32(i), axis.cells - 1);
    let away = abs(source - cell);
    let k = select(0.0, select(select(6.0, 4.0, away == 1), 1.0, away == 2), ((bits >> i) & 1u) == 1u);
    // 1/depth is (1 − r/c)/c: so one cell's r is linear in another's.
    let ratio = centre / centres[source];
    let scale = ratio * ratio * axis.step;
    let base = centre * (1.0 - ratio);
    let r = scale * p.w + base * p.x;
    let rr = scale * (scale * axis.square * q.w + 2.0 * base * p.w) + base * base * p.x;
    a += k * vec4f(p.xyz, r);
    b += k * vec4f(q.xyz, rr);
    c += k * (scale * s + base * p.yz);
  }
  momentsA[to] = a;
  momentsB[to] = b;
  momentsC[to] = c;
}

// The plane of one of the four columns, which is the first of 3 × 3 of the 16, at the cell of this window in `slot`.
fn fit(corner: vec2u, slot: u32) -> vec4f {
  var a = vec4f();
  var b = vec4f();
  var c = vec2f();
  for (var i = 0u; i < 9u; i++) {
    let by = vec2u(i % 3u, i / 3u);
    let at = slot * 16u + (corner.y + by.y) * 4u + corner.x + by.x;
    let one = momentsA[at];
    let two = momentsB[at];
    // From the tile's corner to the centre of the column that the plane is of.
    let offset = (vec2f(by) - 1.0) * f32(SPACE) - 0.5 * f32(SPACE - 1u);
    let tap = select(1.0, 2.0, by.x == 1u) * select(1.0, 2.0, by.y == 1u);
    let moved = vec3f(
      offset.x * (2.0 * one.y + offset.x * one.x),
      offset.x * one.z + offset.y * one.y + offset.x * offset.y * one.x,
      offset.y * (2.0 * one.z + offset.y * one.x),
    );
    a += tap * vec4f(one.x, one.yz + offset * one.x, one.w);
    b += tap * vec4f(two.xyz + moved, two.w);
    c += tap * (momentsC[at] + offset * one.w);
  }
  let centre = centres[wanted[slot]];
  let n = a.x;
  if (n == 0.0) {
    return vec4f();
  }
  let mean = a.yzw / n;
  let uu = b.x / n - mean.x * mean.x + RIDGE;
  let uv = b.y / n - mean.x * mean.y;
  let vv = b.z / n - mean.y * mean.y + RIDGE;
  let rr = b.w / n - mean.z * mean.z;
  let r = c / n - mean.xy * mean.z;
  // Rounding may leave less than nothing of a row of pixels.
  let determinant = max(uu * vv - uv * uv, RIDGE * RIDGE);
  let slope = vec2f(r.x * vv - r.y * uv, r.y * uu - r.x * uv) / determinant;
  let flat = FLATNESS * sigmaAt(centre);
  let off = 1.0 + max(0.0, rr - dot(slope, r)) / (flat * flat);
  let thin = determinant / (uu + vv);
  let weight = n * thin / (thin + THIN) / (off * off * off * off);
  let inverse = 1.0 / centre;
  return vec4f((1.0 - (mean.z - dot(slope, mean.xy)) * inverse) * inverse, -slope * inverse * inverse, weight);
}

fn slotOf(cell: u32) -> u32 {
  return before[cell / 32u] + countOneBits(atomicLoad(&masks[cell / 32u]) & ((1u << (cell % 32u)) - 1u));
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  // Named here because the reflection of webgpu-utils does not look into loops.
  _ = &index;
  _ = &moments;
  _ = &centres;
  axis = axisOfDepth;
  let space = i32(SPACE);
  let region = vec2i(group.xy / BLOCKS);
  // The region's first pixel; the first of its words begins with the next even one.
  let corner = region * space - (space + 1) / 2 - vec2i(i32(INSET), 0);
  let place = vec2i(vec2u(thread % 8u, thread / 8u) + 8u * (group.xy % BLOCKS));
  let x = corner.x + (corner.x & 1) + place.x;
  let y = corner.y + place.y;
  let isOwn = (x & ~1) - corner.x < space && place.y < space;
  let isInFrame = isOwn && x >= 0 && x < i32(2u * ROW) && y >= 0 && y < i32(HEIGHT);
  var own = 0u;
  if (isInFrame) {
    own = (depth[u32(y) * ROW + u32(x) / 2u] >> (16u * (u32(x) % 2u))) & 0xffffu;
  }
  let position = positionOf[own];
  let near = i32(position >> 16u) - 1; // the nearer of the cells it lies between; there is none before the first
  for (var mask = thread; mask < MASKS; mask += THREADS) {
    atomicStore(&masks[mask], 0u);
  }
  workgroupBarrier();
  if (position != NOTHING) {
    if (near >= 0) {
      atomicOr(&masks[near / 32], 1u << (u32(near) % 32u));
    }
    if (near + 1 < axis.cells) {
      atomicOr(&masks[(near + 1) / 32], 1u << (u32(near + 1) % 32u));
    }
  }
  workgroupBarrier();
  for (var mask = thread; mask < MASKS; mask += THREADS) {
    var count = 0u;
    for (var m = 0u; m < MASKS; m++) {
      count += select(0u, countOneBits(atomicLoad(&masks[m])), m < mask);
    }
    before[mask] = count;
    if (mask == MASKS - 1u) {
      total = count + countOneBits(atomicLoad(&masks[mask]));
    }
  }
  let cells = workgroupUniformLoad(&total);
  let d = f32(own);
  let sigma = sigmaAt(d);
  let steep = d / (RESIDUAL * sqrt(2.0) * sigma);
  // From the centre of the region's first column, in pixels.
  let away = vec2f(vec2i(x + i32(INSET), y) - (region - 1) * space) - 0.5 * f32(SPACE - 1u);
  let share = away / f32(SPACE);
  let z = f32(position & 0xffffu) / 65536.0;
  var sum = 0.0;
  var weight = 0.0;
  for (var window = 0u; window < cells; window += PLANES) {
    let count = min(PLANES, cells - window);
    for (var mask = thread; mask < MASKS; mask += THREADS) {
      var bits = atomicLoad(&masks[mask]);
      var slot = before[mask] - window; // of a window before it wraps, and is past the end
      for (var bit = 0u; bit < 32u; bit++) {
        if (bits == 0u) {
          break;
        }
        if (slot < PLANES) {
          wanted[slot] = 32u * mask + firstTrailingBit(bits);
        }
        bits &= bits - 1u;
        slot++;
      }
    }
    workgroupBarrier();
    for (var task = thread; task < 16u * count; task += THREADS) {
      let k = vec2i(vec2u(task % 4u, task / 4u % 4u));
      collect(region - 2 + k, i32(wanted[task / 16u]), task);
    }
    workgroupBarrier();
    for (var task = thread; task < 4u * count; task += THREADS) {
      let k = task % 4u;
      planes[k][task / 4u] = fit(vec2u(k % 2u, k / 2u), task / 4u);
    }
    workgroupBarrier();
    if (position != NOTHING) {
      for (var far = 0; far < 2; far++) {
        let cell = near + far;
        if (cell < 0 || cell >= axis.cells) {
          continue;
        }
        let slot = slotOf(u32(cell)) - window;
        if (slot >= PLANES) {
          continue;
        }
        for (var k = 0u; k < 4u; k++) {
          let plane = planes[k][slot];
          let right = vec2u(k % 2u, k / 2u);
          let inverse = plane.x + dot(plane.yz, away - vec2f(right * SPACE));
          let off = (inverse * d - 1.0) * steep;
          let agrees = 1.0 / (1.0 + off * off);
          let tap = select(1.0 - share, share, right == vec2u(1u));
          let w = tap.x * tap.y * select(1.0 - z, z, far == 1) * plane.w * agrees * agrees;
          sum += w * inverse;
          weight += w;
        }
      }
    }
    workgroupBarrier();
  }
  var result = own;
  if (position != NOTHING) {
    let mean = select(d, weight / sum, sum > 0.0);
    let reach = REACH * sigma;
    result = u32(floor(max(max(d - reach, 1.0), min(min(d + reach, axis.farthest), mean)) + 0.5));
  }
  results[thread] = result;
  workgroupBarrier();
  if (isInFrame && x % 2 == 0) {
    filtered[u32(y) * ROW + u32(x) / 2u] = result | (results[thread + 1u] << 16u);
  }
}
