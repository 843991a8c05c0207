// #import "./planeParts.wgsl"
// #import "./planeSums.wgsl"
// Fits planes to the residuals of the first planes and adds them (twicing): a plane fitted to a curved surface lies on its hollow side. One
// invocation per plane that planeFit has listed sums up the residuals of 3 × 3 columns, 1 2 1 along x and y; solves for a plane, with the
// design of the first one; and adds it. If the list overflows, as in a frame of pure noise, all places are searched, and designs are
// computed again.
override ROWS: u32 = 60u;
override MASKS: u32 = 4u; // words of bits per column

const THREADS = 64u;
const NOTHING = 0xffffffffu;
const CURVED = 0.025; // sigmas, see stages/bilateralGrid/planes/refit.ts

@group(0) @binding(0) var<storage, read> index: array<vec2u>;
@group(0) @binding(1) var<storage, read> moments: array<vec4f>;
@group(0) @binding(2) var<storage, read> centres: array<f32>; // by cell: the depth of its centre
@group(0) @binding(3) var<storage, read> entryCounts: array<u32>;
@group(0) @binding(4) var<storage, read> entries: array<Entry>;
@group(0) @binding(5) var<storage, read_write> planes: array<vec4f>;
@group(0) @binding(6) var<storage, read> residuals: array<vec4f>; // see planeSolve.wgsl
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

// The plane through the residuals of 3 × 3 columns, as a change of 1/depth. No branch, so that no load waits for another column's.
fn refitResidual(entry: Entry, column: vec2i, cell: u32) -> vec3f {
  var homes: array<u32, 9>;
  for (var i = 0u; i < 9u; i++) {
    let at = column + vec2i(i32(i % 3u), i32(i / 3u)) - 1;
    let isThere = isColumn(at);
    homes[i] = select(NOTHING, homeOf(keptAt(select(vec2u(), vec2u(at), isThere)), cell), isThere);
  }
  var sum = vec3f();
  for (var i = 0u; i < 9u; i++) {
    let by = vec2i(i32(i % 3u), i32(i / 3u)) - 1;
    let isThere = homes[i] != NOTHING;
    let own = residuals[select(0u, homes[i], isThere)].xyz;
    let tap = select(1.0, 2.0, by.x == 0) * select(1.0, 2.0, by.y == 0);
    sum += select(vec3f(), tap * vec3f(own.x, own.yz + vec2f(by) * f32(SPACE) * own.x), isThere);
  }
  let off = (sum.yz - entry.mean * sum.x) * entry.share;
  let slope = vec2f(dot(entry.covariance.xy, off), dot(entry.covariance.yz, off));
  let centre = centres[cell];
  let middle = sum.x * entry.share - dot(slope, entry.mean);
  let root = middle / (CURVED * max(1.0, axis.sigma + axis.growth * centre * centre));
  let significant = root * root * root * root;
  return vec3f(middle, axis.slope * slope) * (significant / (1.0 + significant) / (-centre * centre));
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
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
    if (!isListed) {
      entry = entryAt(i, column, cell);
    }
    if (entry.share == 0.0) {
      continue;
    }
    planes[entry.place] += vec4f(refitResidual(entry, column, cell), 0.0);
  }
}
