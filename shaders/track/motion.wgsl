// #import "../core/exact.wgsl"
// Part of align.wgsl and settle.wgsl: motions without deformation, as the upper three rows of a 4 × 4 matrix. The twin is
// stages/track/motion.ts.

// a · b: first b, then a.
fn compose(a: array<vec4f, 3>, b: array<vec4f, 3>) -> array<vec4f, 3> {
  var c: array<vec4f, 3>;
  for (var i = 0u; i < 3u; i++) {
    c[i] = summed4(summed4(times4(vec4f(a[i].x), b[0]) + times4(vec4f(a[i].y), b[1])) + times4(vec4f(a[i].z), b[2])) + vec4f(0.0, 0.0, 0.0, a[i].w);
  }
  return c;
}

fn inverse(m: array<vec4f, 3>) -> array<vec4f, 3> {
  var back: array<vec4f, 3>;
  for (var i = 0u; i < 3u; i++) {
    let column = vec3f(m[0][i], m[1][i], m[2][i]);
    back[i] = vec4f(column, -dotOf(column, vec3f(m[0].w, m[1].w, m[2].w)));
  }
  return back;
}

fn crossOf(a: vec3f, b: vec3f) -> vec3f { return summed3(times3(a.yzx, b.zxy) - times3(a.zxy, b.yzx)); }

fn unitOf(a: vec3f) -> vec3f { return times3(a, vec3f(inverseRoot(dotOf(a, a)))); }

// Makes the rotation's rows orthonormal again (Gram and Schmidt).
fn straighten(m: array<vec4f, 3>) -> array<vec4f, 3> {
  let x = unitOf(m[0].xyz);
  let y = unitOf(summed3(m[1].xyz - times3(vec3f(dotOf(m[1].xyz, x)), x)));
  return array<vec4f, 3>(vec4f(x, m[0].w), vec4f(y, m[1].w), vec4f(crossOf(x, y), m[2].w));
}
