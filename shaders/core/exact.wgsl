// Part of the kernels of track, of the planes of bilateralGrid and of temporal/warp.wgsl: arithmetic with the same bits on every device,
// and as the twins have it (stages/core/exact.ts). A compiler may fuse a product with a sum or regroup sums, which changes their last bits;
// a quotient or a root may be off by some units of the last place. `times` is a product that is fused already, with `nothing`, and `summed`
// a sum that is multiplied by `one`. The compiler cannot know that `nothing` is always -0 and `one` always 1, since both come from a
// uniform; they cost no instruction.
var<private> nothing: f32;
var<private> one: f32;

const FIRST_RECIPROCAL = 0x7ef311c7u;
const FIRST_ROOT = 0x5f375a86u;

// Every kernel calls this first, with the uniform's 0.
fn hideConstants(zero: u32) {
  nothing = bitcast<f32>(0x80000000u ^ zero);
  one = bitcast<f32>(0x3f800000u ^ zero);
}

fn times(a: f32, b: f32) -> f32 { return fma(a, b, nothing); }
fn times3(a: vec3f, b: vec3f) -> vec3f { return fma(a, b, vec3f(nothing)); }
fn times4(a: vec4f, b: vec4f) -> vec4f { return fma(a, b, vec4f(nothing)); }

fn summed(x: f32) -> f32 { return x * one; }
fn summed3(x: vec3f) -> vec3f { return x * one; }
fn summed4(x: vec4f) -> vec4f { return x * one; }

fn dotOf(a: vec3f, b: vec3f) -> f32 {
  let c = times3(a, b);
  return summed(summed(c.x + c.y) + c.z);
}

// 1 / x by a step of Newton's method, in products and differences alone, for weights. The first guess, made of x's bits, is at most 5 %
// off, the result a quarter of a percent. x is positive, and neither x nor the result leaves the range of normal numbers.
fn nearlyReciprocal(x: f32) -> f32 {
  let y = bitcast<f32>(FIRST_RECIPROCAL - bitcast<u32>(x));
  return times(y, 2.0 - times(x, y));
}

// 1 / x by two steps more, at most two units of the last place off. x is not 0.
fn reciprocal(x: f32) -> f32 {
  let size = abs(x);
  var y = nearlyReciprocal(size);
  for (var i = 0u; i < 2u; i++) { y = times(y, 2.0 - times(size, y)); }
  return select(y, -y, x < 0.0);
}

fn over(a: f32, b: f32) -> f32 { return times(a, reciprocal(b)); }

// The inverse of the square root of a positive number, in the same way (Lomont 2003).
fn inverseRoot(x: f32) -> f32 {
  var y = bitcast<f32>(FIRST_ROOT - (bitcast<u32>(x) >> 1u));
  for (var i = 0u; i < 3u; i++) { y = times(y, 1.5 - times(0.5 * x, y * y)); }
  return y;
}

fn root(x: f32) -> f32 { return times(x, inverseRoot(x)); }
