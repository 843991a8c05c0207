// Fits the planes that a block of pixels lies between, and blends them. A workgroup owns up to 8 × 8 pixels between the centres
// of four columns: each column's planes are fitted by the four groups around it, and a dispatch is saved.
//
//      ·  ·  ·  ·       1. an invocation for each pixel: which two cells it lies between, as bits
//      ·  ●──●  ·       2. one for each of the four ● and each cell that has a bit: the plane of the pixels around, from the
//      ·  ●──●  ·          3 × 3 columns and 5 cells around it, by least squares in 1/depth
//      ·  ·  ·  ·       3. one for each pixel again: the mean of what the eight planes around it say at its place
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
const PLANES = 32u; // of each column that a workgroup holds at a time
const NOTHING = 0xffffffffu;
const FLATNESS = 0.1; // these five as in stages/bilateralGrid/planes.ts
const RESIDUAL = 0.15;
const RIDGE = 2e-4;
const THIN = 0.05;
const REACH = 3.0;

// How the depth axis is cut into cells.
struct Axis {
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
@group(0) @binding(3) var<storage, read> moments: array<vec4i>;
@group(0) @binding(4) var<storage, read> centres: array<f32>; // by cell: the depth of its middle
@group(0) @binding(5) var<storage, read_write> filtered: array<u32>;
@group(0) @binding(6) var<uniform> axisOfDepth: Axis;

var<private> axis: Axis; // read once

var<workgroup> masks: array<atomic<u32>, MASKS>; // cells that pixels lie next to
var<workgroup> before: array<u32, MASKS>; // cells in the masks before
var<workgroup> total: u32;
var<workgroup> wanted: array<u32, PLANES>; // cells of this window
var<workgroup> planes: array<array<vec4f, PLANES>, 4>; // 1/depth at the column's centre, what a pixel right and down adds, weight
var<workgroup> results: array<u32, THREADS>;

fn sigmaAt(d: f32) -> f32 {
  return max(1.0, axis.sigma + axis.growth * d * d);
}

// Moments of the pixels around a cell, seen from the centre of its column.
struct Around {
  a: vec4f, // n, Σu, Σv, Σr
  b: vec4f, // Σuu, Σuv, Σvv, Σrr
  c: vec2f, // Σur, Σvr
}

// The cells of one column around cell `cell`, whose tile's corner is `offset` away from the centre.
fn collect(column: u32, cell: i32, offset: vec2f, tap: f32) -> Around {
  let first = max(0, cell - 2);
  let many = u32(min(cell + 2, axis.cells - 1) - first + 1);
  let mask = u32(first) / 32u;
  let shift = u32(first) % 32u;
  let word = index[column * MASKS + mask];
  var bits = word.x >> shift;
  if (shift > 27u && mask + 1u < MASKS) {
    bits |= index[column * MASKS + mask + 1u].x << (32u - shift);
  }
  bits &= (1u << many) - 1u;
  var at = (column * SPACE * SPACE + word.y + countOneBits(word.x & ((1u << shift) - 1u))) * 3u;
  let centre = centres[cell];
  var sum = Around();
  for (var trip = 0u; trip < 5u; trip++) {
    if (bits == 0u) {
      break;
    }
    let source = first + i32(firstTrailingBit(bits));
    bits &= bits - 1u;
    let away = abs(source - cell);
    let k = select(select(6.0, 4.0, away == 1), 1.0, away == 2);
    let p = vec4f(moments[at]);
    let q = vec4f(moments[at + 1u]);
    let s = vec2f(moments[at + 2u].xy);
    at += 3u;
    // 1/depth is (1 − r/c)/c: so one cell's r is linear in another's.
    let ratio = centre / centres[source];
    let scale = ratio * ratio * axis.step;
    let base = centre * (1.0 - ratio);
    let r = scale * p.w + base * p.x;
    let rr = scale * (scale * axis.square * q.w + 2.0 * base * p.w) + base * base * p.x;
    sum.a += k * vec4f(p.xyz, r);
    sum.b += k * vec4f(q.xyz, rr);
    sum.c += k * (scale * s + base * p.yz);
  }
  let n = sum.a.x;
  let uv = sum.a.yz;
  let moved = vec3f(
    offset.x * (2.0 * uv.x + offset.x * n),
    offset.x * uv.y + offset.y * uv.x + offset.x * offset.y * n,
    offset.y * (2.0 * uv.y + offset.y * n),
  );
  return Around(
    tap * vec4f(n, uv + offset * n, sum.a.w),
    tap * vec4f(sum.b.xyz + moved, sum.b.w),
    tap * (sum.c + offset * sum.a.w),
  );
}

fn fit(column: vec2i, cell: i32) -> vec4f {
  var sum = Around();
  for (var i = 0; i < 9; i++) {
    let by = vec2i(i % 3, i / 3) - 1;
    let at = column + by;
    if (all(at >= vec2i()) && all(at < vec2i(i32(COLUMNS), i32(ROWS)))) {
      let offset = vec2f(by) * f32(SPACE) - 0.5 * f32(SPACE - 1u);
      let tap = select(1.0, 2.0, by.x == 0) * select(1.0, 2.0, by.y == 0);
      let one = collect(u32(at.y) * COLUMNS + u32(at.x), cell, offset, tap);
      sum = Around(sum.a + one.a, sum.b + one.b, sum.c + one.c);
    }
  }
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
  let centre = centres[cell];
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
    for (var task = thread; task < 4u * count; task += THREADS) {
      let k = task % 4u;
      planes[k][task / 4u] = fit(region - 1 + vec2i(vec2u(k % 2u, k / 2u)), i32(wanted[task / 4u]));
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
