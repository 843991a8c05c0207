enable f16;
// Multiply-adds of 16-bit floats, 256 in each round of an invocation, as arithmetic.wgsl does them with 32 bits.
override ROUNDS: u32;

@group(0) @binding(0) var<storage, read_write> results: array<vec4u>;

@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
  let start = vec4h(vec4f(vec4u(id.x, id.x + 1u, id.x + 2u, id.x + 3u) & vec4u(63u)));
  let factor = vec4h(0.75);
  let term = vec4h(0.5);
  var a = start;
  var b = start + vec4h(0.25);
  var c = start + vec4h(0.5);
  var d = start + vec4h(0.75);
  for (var round = 0u; round < ROUNDS; round++) {
    for (var i = 0u; i < 16u; i++) {
      a = fma(a, factor, term);
      b = fma(b, factor, term);
      c = fma(c, factor, term);
      d = fma(d, factor, term);
    }
  }
  results[id.x] = bitcast<vec4u>(vec4f(a + b + c + d));
}
