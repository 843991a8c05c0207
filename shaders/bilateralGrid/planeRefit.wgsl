// Fits planes to the residuals of the first planes and adds them (twicing): a plane fitted to a curved surface lies on its hollow side. Two
// dispatches, each with an invocation per plane that planeFit has listed. If the list overflows, as in a frame of pure noise, all places
// are searched, and designs are computed again.
//
//   SOLVE = false: sums up what the pixels of the plane's own column lie off the plane. Moments are linear in r, so this follows from the
//                  column's moments, blurred along depth, and the plane
//   SOLVE = true:  sums up these residuals over 3 × 3 columns, 1 2 1 along x and y; solves for a plane, with the design of the first
//                  one; and adds it
//
// Residuals lie where their cell's pixels do: three places per slot of moments, for its cell and the one on each side.
override SPACE: u32 = 8u;
override COLUMNS: u32 = 80u;
override ROWS: u32 = 60u;
override MASKS: u32 = 4u; // words of bits per column
override KEPT: u32 = 60u; // rows of columns that are kept at a time
override SOLVE: bool = false;

const THREADS = 64u;
const NOTHING = 0xffffffffu;
const CURVED = 0.025; // as in stages/bilateralGrid/planes/refit.ts

@group(0) @binding(0) var<storage, read> index: array<vec2u>;
@group(0) @binding(1) var<storage, read> moments: array<vec4f>;
@group(0) @binding(2) var<storage, read> centres: array<f32>; // by cell: the depth of its centre
@group(0) @binding(3) var<storage, read> entryCounts: array<u32>;
@group(0) @binding(4) var<storage, read> entries: array<Entry>;
@group(0) @binding(5) var<storage, read_write> planes: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> residuals: array<vec4f>; // Σr, Σur and Σvr from the centre of the column
@group(0) @binding(7) var<uniform> axis: PlaneAxis;
@group(0) @binding(8) var<uniform> band: Band;

// The slot of a cell's moments, or NOTHING. A cell before the first wraps around.
fn slotOf(column: u32, cell: u32) -> u32 {
  let isCell = cell < axis.cells;
  let word = index[column * MASKS + select(0u, cell / 32u, isCell)];
  let bit = 1u << (cell % 32u);
  let slot = column * SPACE * SPACE + word.y + countOneBits(word.x & (bit - 1u));
  return select(NOTHING, slot, isCell && (word.x & bit) != 0u);
}

// The place of a cell's residual, or NOTHING if the column has no pixels in the cell or beside it.
fn homeOf(column: u32, cell: u32) -> u32 {
  let own = slotOf(column, cell);
  let nearer = slotOf(column, cell - 1u);
  let farther = slotOf(column, cell + 1u);
  let beside = select(select(NOTHING, 3u * farther, farther != NOTHING), 3u * nearer + 2u, nearer != NOTHING);
  return select(beside, 3u * own + 1u, own != NOTHING);
}

// The residuals of a column's pixels from the plane of one of its cells, relative to the column's centre.
fn residualOf(column: u32, cell: u32, plane: vec3f) -> vec3f {
  let centre = centres[cell];
  var a = vec4f(); // n, Σu, Σv, Σr
  var b = vec3f(); // Σuu, Σuv, Σvv
  var c = vec2f(); // Σur, Σvr
  for (var i = 0u; i < 5u; i++) {
    let slot = slotOf(column, cell + i - 2u);
    if (slot != NOTHING) {
      let tap = select(select(1.0, 4.0, i % 2u == 1u), 6.0, i == 2u);
      let own = moments[3u * slot];
      let other = centres[cell + i - 2u];
      // 1/depth = (1 − r/c)/c, so one cell's r is linear in another's.
      let ratio = centre / other;
      let scale = ratio * ratio * axis.step;
      let base = centre * (1.0 - ratio);
      a += tap * vec4f(own.xyz, scale * own.w + base * own.x);
      b += tap * moments[3u * slot + 1u].xyz;
      c += tap * (scale * moments[3u * slot + 2u].xy + base * own.yz);
    }
  }
  // From the tile's corner to its centre.
  let half = 0.5 * f32(SPACE - 1u);
  let u = a.y - half * a.x;
  let v = a.z - half * a.x;
  let square = vec3f(b.x - half * (a.y + u), b.y - half * (a.y + v), b.z - half * (a.z + v));
  let r = centre - centre * centre * plane.x;
  let slope = -centre * centre * plane.yz;
  return vec3f(
    a.w - r * a.x - dot(slope, vec2f(u, v)),
    c.x - half * a.w - r * u - dot(slope, square.xy),
    c.y - half * a.w - r * v - dot(slope, square.yz),
  );
}

fn isColumn(at: vec2i) -> bool {
  return all(at >= vec2i()) && at.x < i32(COLUMNS) && at.y < i32(ROWS);
}

// The entry that planeFit would list for a plane; its share is 0 if no pixel needs the plane.
fn entryAt(place: u32, column: vec2i, cell: u32) -> Entry {
  var a = vec3f(); // n, Σu, Σv
  var b = vec3f(); // Σuu, Σuv, Σvv
  var isNeeded = false;
  for (var i = 0u; i < 5u; i++) {
    var ownA = vec3f();
    var ownB = vec3f();
    for (var j = 0u; j < 9u; j++) {
      let by = vec2u(j % 3u, j / 3u);
      let at = column + vec2i(by) - 1;
      if (isColumn(at)) {
        let slot = slotOf(keptAt(vec2u(at)), cell + i - 2u);
        if (slot != NOTHING) {
          let own = moments[3u * slot].xyz;
          let offset = offsetOf(by);
          let tap = select(1.0, 2.0, by.x == 1u) * select(1.0, 2.0, by.y == 1u);
          ownA += tap * vec3f(own.x, own.yz + offset * own.x);
          ownB += tap * (moments[3u * slot + 1u].xyz + squaresMoved(offset, own));
          isNeeded |= i > 0u && i < 4u;
        }
      }
    }
    let tap = select(select(1.0, 4.0, i % 2u == 1u), 6.0, i == 2u);
    a += tap * ownA;
    b += tap * ownB;
  }
  let share = 1.0 / a.x;
  let mean = a.yz * share;
  return designOf(spreadOf(mean, b * share), select(0.0, share, isNeeded), mean, place);
}

// The plane through the residuals of 3 × 3 columns, as a change of 1/depth.
fn refitResidual(entry: Entry, column: vec2i, cell: u32) -> vec3f {
  var sum = vec3f();
  for (var i = 0u; i < 9u; i++) {
    let by = vec2i(i32(i % 3u), i32(i / 3u)) - 1;
    let at = column + by;
    if (isColumn(at)) {
      let home = homeOf(keptAt(vec2u(at)), cell);
      if (home != NOTHING) {
        let own = residuals[home].xyz;
        let tap = select(1.0, 2.0, by.x == 0) * select(1.0, 2.0, by.y == 0);
        sum += tap * vec3f(own.x, own.yz + vec2f(by) * f32(SPACE) * own.x);
      }
    }
  }
  let off = (sum.yz - entry.mean * sum.x) * entry.share;
  let slope = vec2f(dot(entry.covariance.xy, off), dot(entry.covariance.yz, off));
  let centre = centres[cell];
  let middle = sum.x * entry.share - dot(slope, entry.mean);
  let root = middle / (CURVED * max(1.0, axis.sigma + axis.growth * centre * centre));
  let significant = root * root * root * root;
  return vec3f(middle, slope) * (significant / (1.0 + significant) / (-centre * centre));
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  // The reflection of webgpu-utils does not look into loops, so the resources are named here.
  _ = &index;
  _ = &moments;
  _ = &centres;
  _ = &entries;
  _ = &planes;
  _ = &residuals;
  _ = &axis;
  let listed = entryCounts[band.number];
  let isListed = listed <= arrayLength(&entries);
  let count = select(band.rows * (COLUMNS + 2u) * MASKS * 32u, listed, isListed);
  for (var i = id.x; i < count; i += groups.x * THREADS) {
    var entry = Entry(vec3f(), 1.0, vec2f(), i);
    if (isListed) {
      entry = entries[i];
    }
    let cell = entry.place % (MASKS * 32u);
    let place = entry.place / (MASKS * 32u);
    // Planes begin one column before the grid.
    let column = vec2i(i32(place % (COLUMNS + 2u)), i32(place / (COLUMNS + 2u) + band.first)) - 1;
    if (SOLVE && !isListed) {
      entry = entryAt(i, column, cell);
    }
    if (entry.share == 0.0) {
      continue;
    }
    if (SOLVE) {
      planes[entry.place] += vec4f(refitResidual(entry, column, cell), 0.0);
    } else if (isColumn(column)) {
      let own = keptAt(vec2u(column));
      let home = homeOf(own, cell);
      if (home != NOTHING) {
        residuals[home] = vec4f(residualOf(own, cell, planes[entry.place].xyz), 0.0);
      }
    }
  }
}
