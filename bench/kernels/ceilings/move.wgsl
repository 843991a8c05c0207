// Reads words, writes words, or copies them: ROUNDS vec4s for each invocation. Neighbours touch neighbouring words, and an invocation's
// next vec4 lies STRIDE further, modulo the buffer's length, so that a small buffer is gone through again and again by other processors
// than before:
//
//    invocations   0 1 2 … 255 | 256 …        round 0: vec4s 0 1 2 …       round 1: STRIDE, STRIDE + 1, …
override READ: bool;
override WRITE: bool;
override LENGTH: u32; // vec4s of the buffers, a power of two
override STRIDE: u32;
override ROUNDS: u32;

@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> sink: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> sums: array<vec4u>; // what an invocation read, added up, where it does not write

@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
  var sum = vec4u();
  for (var round = 0u; round < ROUNDS; round++) {
    let at = (id.x + round * STRIDE) & (LENGTH - 1u);
    var words = vec4u(at, at ^ 1u, at ^ 2u, at ^ 3u);
    if (READ) { words = source[at]; }
    if (WRITE) { sink[at] = words; } else { sum += words; }
  }
  if (!WRITE) { sums[id.x] = sum; }
}
