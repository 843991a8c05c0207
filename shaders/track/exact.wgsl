// Part of the kernels of track and of temporal/warp.wgsl: arithmetic with the same bits on every device, and as the twins have it
// (stages/core/exact.ts). A compiler may fuse a product with a sum or regroup sums, which changes their last bits; a quotient or a root may
// be off by some of them. `kept` hides a product from the compiler: `nothing` is always 0, but comes from a uniform. `summed` hides a sum,
// at no price: the compiler may only fuse the product with `one`, which is always 1, with the next sum.
var<private> nothing: u32;
var<private> one: f32;

const FIRST_RECIPROCAL = 0x7ef311c7u;
const FIRST_ROOT = 0x5f375a86u;

fn kept(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ nothing); }
fn kept3(x: vec3f) -> vec3f { return bitcast<vec3f>(bitcast<vec3u>(x) ^ vec3u(nothing)); }
fn kept4(x: vec4f) -> vec4f { return bitcast<vec4f>(bitcast<vec4u>(x) ^ vec4u(nothing)); }

fn summed(x: f32) -> f32 { return x * one; }
fn summed3(x: vec3f) -> vec3f { return x * one; }
fn summed4(x: vec4f) -> vec4f { return x * one; }

fn dotOf(a: vec3f, b: vec3f) -> f32 {
  let c = kept3(a * b);
  return summed(summed(c.x + c.y) + c.z);
}

// 1 / x by three steps of Newton's method, in products and differences alone. The first guess, made of x's bits, is at most 5 % off, the
// result at most two units of the last place. x is not 0, and neither x nor the result leaves the range of normal numbers.
fn reciprocal(x: f32) -> f32 {
  let size = abs(x);
  var y = bitcast<f32>(FIRST_RECIPROCAL - bitcast<u32>(size));
  for (var i = 0u; i < 3u; i++) { y *= 2.0 - kept(size * y); }
  return select(y, -y, x < 0.0);
}

fn over(a: f32, b: f32) -> f32 { return kept(a * reciprocal(b)); }

// The inverse of the square root of a positive number, in the same way (Lomont 2003).
fn inverseRoot(x: f32) -> f32 {
  var y = bitcast<f32>(FIRST_ROOT - (bitcast<u32>(x) >> 1u));
  for (var i = 0u; i < 3u; i++) { y *= 1.5 - kept(0.5 * x * (y * y)); }
  return y;
}

fn root(x: f32) -> f32 { return kept(x * inverseRoot(x)); }
