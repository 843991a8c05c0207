// #import "./planeParts.wgsl"
// Part of planeBuild, planeFit and planeRefit: where a column's sums lie, and how they give the design of a plane.
override SPACE: u32 = 8u; // px: a tile's width and height
override COLUMNS: u32 = 80u;
override KEPT: u32 = 60u; // rows of columns that are kept at a time
const RIDGE = 2e-4; // px², see stages/bilateralGrid/planes/fit.ts

// The index of a column among those in memory (masks, moments and residuals of the last KEPT rows).
fn keptAt(column: vec2u) -> u32 {
  return column.y % KEPT * COLUMNS + column.x;
}

// From the corner of one of 3 × 3 tiles to the centre of the middle one, in pixels.
fn offsetOf(by: vec2u) -> vec2f {
  return (vec2f(by) - 1.0) * f32(SPACE) - 0.5 * f32(SPACE - 1u);
}

// The change of a tile's Σuu, Σuv and Σvv when the offset is added to u and v. `a` is n, Σu and Σv.
fn squaresMoved(offset: vec2f, a: vec3f) -> vec3f {
  let squares = offset * (2.0 * a.yz + offset * a.x);
  return vec3f(squares.x, offset.x * a.z + offset.y * a.y + offset.x * offset.y * a.x, squares.y);
}

// The variances and the covariance of u and v (uu, uv, vv) from their means and the means of uu, uv and vv; and the determinant.
fn spreadOf(mean: vec2f, squares: vec3f) -> vec4f {
  let uu = squares.x - mean.x * mean.x + RIDGE;
  let uv = squares.y - mean.x * mean.y;
  let vv = squares.z - mean.y * mean.y + RIDGE;
  // For a single row of pixels, rounding may make the determinant negative.
  return vec4f(uu, uv, vv, max(uu * vv - uv * uv, RIDGE * RIDGE));
}

fn designOf(spread: vec4f, share: f32, mean: vec2f, place: u32) -> Entry {
  return Entry(vec3f(spread.z, -spread.y, spread.x) / spread.w, share, mean, place);
}
