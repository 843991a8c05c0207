// Part of align.wgsl and settle.wgsl: motions without deformation, as the upper three rows of a 4 × 4 matrix.

// a · b: first b, then a.
fn compose(a: array<vec4f, 3>, b: array<vec4f, 3>) -> array<vec4f, 3> {
  var c: array<vec4f, 3>;
  for (var i = 0u; i < 3u; i++) { c[i] = a[i].x * b[0] + a[i].y * b[1] + a[i].z * b[2] + vec4f(0.0, 0.0, 0.0, a[i].w); }
  return c;
}

fn inverse(m: array<vec4f, 3>) -> array<vec4f, 3> {
  var back: array<vec4f, 3>;
  for (var i = 0u; i < 3u; i++) {
    let column = vec3f(m[0][i], m[1][i], m[2][i]);
    back[i] = vec4f(column, -dot(column, vec3f(m[0].w, m[1].w, m[2].w)));
  }
  return back;
}

// Makes the rotation's rows orthonormal again (Gram and Schmidt).
fn straighten(m: array<vec4f, 3>) -> array<vec4f, 3> {
  let x = normalize(m[0].xyz);
  let y = normalize(m[1].xyz - dot(m[1].xyz, x) * x);
  return array<vec4f, 3>(vec4f(x, m[0].w), vec4f(y, m[1].w), vec4f(cross(x, y), m[2].w));
}
