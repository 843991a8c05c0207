// Part of count.wgsl, move.wgsl and lookBack.wgsl: the number of valid pixels among eight packed ones.
fn countValid(words: vec4u) -> u32 {
  let low = min(words & vec4u(0xffffu), vec4u(1u));
  let high = min(words >> vec4u(16u), vec4u(1u));
  let both = low + high;
  return both.x + both.y + both.z + both.w;
}
