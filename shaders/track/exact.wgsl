// Part of the kernels of track and of temporal/warp.wgsl: arithmetic with the same bits on every device, and as the twins have it with
// Math.fround. A compiler may fuse a product with a sum or regroup sums, which changes their last bits; a quotient or a root may be off by
// some of them. `kept` hides a value from the compiler: `nothing` is always 0, but comes from a uniform.
var<private> nothing: u32;

fn kept(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ nothing); }
fn kept3(x: vec3f) -> vec3f { return bitcast<vec3f>(bitcast<vec3u>(x) ^ vec3u(nothing)); }
fn kept4(x: vec4f) -> vec4f { return bitcast<vec4f>(bitcast<vec4u>(x) ^ vec4u(nothing)); }

fn dotOf(a: vec3f, b: vec3f) -> f32 {
  let c = kept3(a * b);
  return kept(kept(c.x + c.y) + c.z);
}

const HIDDEN = 0x800000u; // the leading bit of a mantissa, which is not stored

// a / b, rounded to the nearest f32. b is not 0, and nothing leaves the range of normal numbers. The remainder of an approximate quotient
// of the mantissas tells the exact one; it is small, so its lowest 32 bits suffice.
fn over(a: f32, b: f32) -> f32 {
  let x = bitcast<u32>(a);
  let y = bitcast<u32>(b);
  let m = (x & 0x7fffffu) | HIDDEN;
  let n = (y & 0x7fffffu) | HIDDEN;
  let less = select(0u, 1u, m < n);
  let inverse = 1.0 / f32(n);
  var quotient = i32(f32(m << less) * inverse * 8388608.0);
  var rest = i32((m << (23u + less)) - u32(quotient) * n);
  let near = i32(round(f32(rest) * inverse));
  quotient += near;
  rest -= near * i32(n);
  quotient += select(0, 1, 2 * rest > i32(n)) - select(0, 1, 2 * rest < -i32(n));
  let exponent = ((x >> 23u) & 255u) + 126u - ((y >> 23u) & 255u) - less;
  let bits = ((x ^ y) & 0x80000000u) | ((exponent << 23u) + u32(quotient));
  return select(bitcast<f32>(bits), 0.0, a == 0.0);
}

// The square root of a positive number, rounded to the nearest f32.
fn root(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let m = (bits & 0x7fffffu) | HIDDEN;
  let exponent = i32(bits >> 23u) - 150;
  let wide = 24u - ((bits >> 23u) & 1u);
  var near = i32(sqrt(f32(m) * select(8388608.0, 16777216.0, wide == 24u)));
  var rest = i32((m << wide) - u32(near) * u32(near));
  let step = i32(round(f32(rest) / f32(2 * near)));
  rest -= 2 * near * step + step * step;
  near += step;
  near += select(0, 1, rest > near) - select(0, 1, rest <= -near);
  return bitcast<f32>((((exponent - i32(wide)) / 2 + 149) << 23u) + near);
}
