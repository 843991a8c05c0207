// Multiply-adds on registers alone, 256 in each round of an invocation. Each needs the result of the one before, and the last results are
// written, so that no compiler leaves any out: the kernel's time shows the GPU's clock rate.
override ROUNDS: u32;

struct Floats { a: vec4f, b: vec4f, c: vec4f, d: vec4f }

@group(0) @binding(0) var<storage, read_write> results: array<vec4f>;

@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
  let start = vec4f(vec4u(id.x) & vec4u(1023u)) + 1.0;
  var floats = Floats(start, start + 0.25, start + 0.5, start + 0.75);
  for (var round = 0u; round < ROUNDS; round++) {
    floats = multiplyAdd(multiplyAdd(multiplyAdd(multiplyAdd(floats))));
    floats = multiplyAdd(multiplyAdd(multiplyAdd(multiplyAdd(floats))));
    floats = multiplyAdd(multiplyAdd(multiplyAdd(multiplyAdd(floats))));
    floats = multiplyAdd(multiplyAdd(multiplyAdd(multiplyAdd(floats))));
  }
  results[id.x] = floats.a + floats.b + floats.c + floats.d;
}

fn multiplyAdd(x: Floats) -> Floats {
  let factor = vec4f(0.75);
  let term = vec4f(0.5);
  return Floats(fma(x.a, factor, term), fma(x.b, factor, term), fma(x.c, factor, term), fma(x.d, factor, term));
}
