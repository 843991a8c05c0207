// #import "../core/exact.wgsl"
// #import "./planeParts.wgsl"
// #import "./planeSums.wgsl"
// Part of planeFit and planeRefit: the moments of 3 × 3 tiles, 1 2 1 along x and y, and the design of the plane that is fitted to them.
// Sums are in the order of stages/bilateralGrid/planes/assembly/, so that both have the same bits.
const RIDGE = 2e-4f; // px², see stages/bilateralGrid/planes/planeMoments.ts
const NO_CELL = 0xffffffffu;

@group(0) @binding(2) var<storage, read> moments: array<vec4f>; // by column and cell, blurred along depth: see planeBuild.wgsl

// Moments of pixels, whose u and v count from a tile's centre.
struct Moments {
  a: vec4f, // n, Σu, Σv, Σr
  b: vec4f, // Σuu, Σuv, Σvv, Σrr
  c: vec2f, // Σur, Σvr
}

// The moments of one tile's cell, or none. The function has no branch, so that no tile's load waits for that of another tile.
fn momentsAt(column: vec2u, cell: u32, isThere: bool) -> Moments {
  let at = MOMENT_VECTORS * select(0u, cellAt(column, cell), isThere);
  let own = Moments(moments[at], moments[at + 1u], moments[at + 2u].xy);
  return Moments(select(vec4f(), own.a, isThere), select(vec4f(), own.b, isThere), select(vec2f(), own.c, isThere));
}

fn three(before: Moments, middle: Moments, after: Moments) -> Moments {
  return Moments(
    summed4(summed4(before.a + after.a) + 2.0 * middle.a),
    summed4(summed4(before.b + after.b) + 2.0 * middle.b),
    summed3(summed3(vec3f(before.c + after.c, 0.0)) + vec3f(2.0 * middle.c, 0.0)).xy,
  );
}

// The change of Σuu (or Σvv) if tiles to both sides, with the counts n and Σu apart by `off`, lie `apart` pixels to the left and right.
fn squareMoved(apart: f32, n: f32, off: f32) -> f32 { return times(apart, summed(times(apart, n) + 2.0 * off)); }

// Three tiles side by side, about the middle one's centre.
fn across(left: Moments, middle: Moments, right: Moments) -> Moments {
  let apart = f32(SPACE);
  let off = right.a - left.a;
  let by = times4(vec4f(apart), off);
  var sum = three(left, middle, right);
  sum.a.y = summed(sum.a.y + by.x);
  sum.b.x = summed(sum.b.x + squareMoved(apart, left.a.x + right.a.x, off.y));
  sum.b.y = summed(sum.b.y + by.z);
  sum.c.x = summed(sum.c.x + by.w);
  return sum;
}

// Three such rows, one below the other.
fn down(top: Moments, middle: Moments, bottom: Moments) -> Moments {
  let apart = f32(SPACE);
  let off = bottom.a - top.a;
  let by = times4(vec4f(apart), off);
  var sum = three(top, middle, bottom);
  sum.a.z = summed(sum.a.z + by.x);
  sum.b.z = summed(sum.b.z + squareMoved(apart, top.a.x + bottom.a.x, off.z));
  sum.b.y = summed(sum.b.y + by.y);
  sum.c.y = summed(sum.c.y + by.w);
  return sum;
}

// The mean of u, v and r; and the variances and the covariance of u and v (uu, uv, vv), with the determinant.
struct Design { each: f32, mean: vec3f, spread: vec3f, determinant: f32, inverse: f32 }

fn designOf(sum: Moments) -> Design {
  let each = reciprocal(max(sum.a.x, 1.0));
  let mean = times3(sum.a.yzw, vec3f(each));
  let squares = summed3(times3(sum.b.xyz, vec3f(each)) - times3(mean.xxy, mean.xyy));
  let spread = vec3f(summed(squares.x + RIDGE), squares.y, summed(squares.z + RIDGE));
  // For a single row of pixels, rounding may make the determinant negative.
  let determinant = max(summed(times(spread.x, spread.z) - times(spread.y, spread.y)), RIDGE * RIDGE);
  return Design(each, mean, spread, determinant, reciprocal(determinant));
}

fn entryOf(design: Design, place: u32) -> Entry {
  let covariance = times3(vec3f(design.spread.z, -design.spread.y, design.spread.x), vec3f(design.inverse));
  return Entry(covariance, design.each, design.mean.xy, place);
}
