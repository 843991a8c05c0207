// #import "./planeMoments.wgsl"
// Kernel 6 (pipeline/README.md). An invocation: one plane: adds one fitted to the residuals around it. A workgroup: 64 planes of a list
// that planeFit left. It leaves: planes.
// Fits planes to the residuals of the first planes and adds them (twicing): a plane fitted to a curved surface lies on its hollow side. One
// invocation per plane that planeFit has listed sums up the residuals of 3 × 3 columns, 1 2 1 along x and y; solves for a plane, with the
// design of the first one; and adds it. If the list overflows, as in a frame of pure noise, all places are searched, and designs are
// computed again.
override ROWS: u32 = 60u;

const THREADS = 64u;

@group(0) @binding(0) var<storage, read> index: array<vec2u>;
@group(0) @binding(1) var<storage, read> cells: array<Cell>;
@group(0) @binding(3) var<storage, read> entryCounts: array<u32>;
@group(0) @binding(4) var<storage, read> entries: array<Entry>;
@group(0) @binding(5) var<storage, read_write> planes: array<vec4f>;
@group(0) @binding(6) var<storage, read> residuals: array<vec4f>; // see planeSolve.wgsl
@group(0) @binding(7) var<uniform> axis: PlaneAxis;
@group(0) @binding(8) var<uniform> band: Band;

// Whether a column has pixels in a cell or beside it (x), or within two cells (y).
fn nearBits(column: vec2i, cell: u32) -> vec2u {
  let isColumn = all(column >= vec2i()) && column.x < i32(COLUMNS) && column.y < i32(ROWS);
  let word = index[select(0u, keptAt(vec2u(column)) * MASKS + cell / 32u, isColumn)];
  return select(vec2u(), (word >> vec2u(cell % 32u)) & vec2u(1u), isColumn);
}

// The entry that planeFit would list for a plane; its share is 0 if no pixel needs the plane.
fn entryOfPlane(place: u32, column: vec2i, cell: u32) -> Entry {
  var bits = vec2u(); // of nine columns
  for (var i = 0u; i < 9u; i++) {
    bits |= nearBits(column + vec2i(i32(i % 3u), i32(i / 3u)) - 1, cell) << vec2u(i);
  }
  if (bits.x == 0u || cell >= axis.cells) { return Entry(vec3f(), 0.0, vec2f(), place); }
  let top = rowOf(column - vec2i(1, 1), cell, bits.y);
  let middle = rowOf(column - vec2i(1, 0), cell, bits.y >> 3u);
  return entryOf(designOf(down(top, middle, rowOf(column + vec2i(-1, 1), cell, bits.y >> 6u))), place);
}

fn rowOf(column: vec2i, cell: u32, bits: u32) -> Moments {
  let first = vec2u(column);
  return across(
    momentsAt(first, cell, (bits & 1u) == 1u),
    momentsAt(first + vec2u(1u, 0u), cell, (bits & 2u) == 2u),
    momentsAt(first + vec2u(2u, 0u), cell, (bits & 4u) == 4u),
  );
}

// The distances of a column's pixels from their plane, as sums: Σr, Σur, Σvr. Without a branch, loads of a column wait for no other column.
fn residualAt(column: vec2i, cell: u32) -> vec3f {
  let isThere = nearBits(column, cell).x == 1u;
  let own = residuals[select(0u, cellAt(vec2u(column), cell), isThere)].xyz;
  return select(vec3f(), own, isThere);
}

fn threeAlong(before: vec3f, middle: vec3f, after: vec3f) -> vec3f { return summed3(summed3(before + after) + 2.0 * middle); }

// The residuals of three columns side by side, from `column` on, about the middle one's centre.
fn residualsOf(column: vec2i, cell: u32) -> vec3f {
  let left = residualAt(column, cell);
  let right = residualAt(column + vec2i(2, 0), cell);
  let sum = threeAlong(left, residualAt(column + vec2i(1, 0), cell), right);
  return vec3f(sum.x, summed(sum.y + times(f32(SPACE), right.x - left.x)), sum.z);
}

// The plane through the residuals of 3 × 3 columns, as a change of 1/depth. The residuals' plane has the distance d at the column's centre;
// its distance gets the weight s² / (1 + s²), where s is `significance` · d² / v, and its slope gets `slope` times that weight.
fn refitResidual(entry: Entry, column: vec2i, number: u32) -> vec3f {
  let top = residualsOf(column - vec2i(1, 1), number);
  let bottom = residualsOf(column + vec2i(-1, 1), number);
  let sum = threeAlong(top, residualsOf(column - vec2i(1, 0), number), bottom);
  let moved = summed(sum.z + times(f32(SPACE), bottom.x - top.x));
  let ur = times(summed(sum.y - times(entry.mean.x, sum.x)), entry.share);
  let vr = times(summed(moved - times(entry.mean.y, sum.x)), entry.share);
  let gu = summed(times(entry.covariance.x, ur) + times(entry.covariance.y, vr));
  let gv = summed(times(entry.covariance.y, ur) + times(entry.covariance.z, vr));
  let middle = summed(times(sum.x, entry.share) - summed(times(gu, entry.mean.x) + times(gv, entry.mean.y)));
  let cell = cells[number];
  let once = times(times(axis.significance, cell.perFlat), times(middle, middle));
  let s = times(once, once);
  let square = times(cell.perSquare, times(s, reciprocal(summed(s + 1.0))));
  let sloped = times(square, axis.slope);
  return vec3f(times(middle, square), times(gu, sloped), times(gv, sloped));
}

@compute @workgroup_size(THREADS) fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  hideConstants(axis.zero);
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
      entry = entryOfPlane(i, column, cell);
    }
    if (entry.share == 0.0) {
      continue;
    }
    planes[entry.place] += vec4f(refitResidual(entry, column, cell), 0.0);
  }
}
