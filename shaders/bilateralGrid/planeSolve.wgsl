// #import "./planeMoments.wgsl"
// Part of planeFit: the plane through a cell's pixels, and how far the column's own pixels lie off that plane.
const THIN = 0.05f; // see stages/bilateralGrid/planes/planeSolve.ts

// The plane's inverse depth at the column's centre, its growth per pixel to the right and down, and its weight.
fn planeOf(sum: Moments, design: Design, cell: Cell) -> vec4f {
  let n = sum.a.x;
  let mean = design.mean;
  let s = design.spread;
  let r = summed3(times3(vec3f(sum.c, sum.b.w), vec3f(design.each)) - times3(mean, mean.zzz)); // ur, vr, rr
  let gu = times(summed(times(r.x, s.z) - times(r.y, s.y)), design.inverse);
  let gv = times(summed(times(r.y, s.x) - times(r.x, s.y)), design.inverse);
  let residual = summed(r.z - summed(times(gu, r.x) + times(gv, r.y)));
  let off = summed(1.0 + times(cell.perFlat, max(residual, 0.0)));
  let square = times(off, off);
  let lessened = times(summed(design.determinant + times(THIN, summed(s.x + s.z))), times(square, square));
  let weight = times(times(n, design.determinant), reciprocal(lessened));
  let middle = summed(mean.z - summed(times(gu, mean.x) + times(gv, mean.y)));
  let inverse = times(summed(1.0 - times(middle, cell.perCentre)), cell.perCentre);
  return vec4f(inverse, times(gu, cell.perSquare), times(gv, cell.perSquare), weight);
}

// Σr, Σur and Σvr of a tile's pixels, relative to one of its planes, about the tile's centre. Moments are linear in r, so these residuals
// follow from the tile's moments and the plane.
fn residualOf(own: Moments, plane: vec4f, cell: Cell) -> vec3f {
  let r = times(summed(plane.x - cell.perCentre), cell.square);
  let g = vec2f(times(plane.y, cell.square), times(plane.z, cell.square));
  return vec3f(
    offOf(own.a.w, own.a.x, own.a.yz, r, g),
    offOf(own.c.x, own.a.y, own.b.xy, r, g),
    offOf(own.c.y, own.a.z, own.b.yz, r, g),
  );
}

// A moment of r minus its prediction by the plane.
fn offOf(moment: f32, plain: f32, uv: vec2f, r: f32, g: vec2f) -> f32 {
  return summed(summed(moment - times(r, plain)) - summed(times(g.x, uv.x) + times(g.y, uv.y)));
}
