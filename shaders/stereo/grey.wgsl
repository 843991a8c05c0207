// Both images of the pair: two u16 per word, rows of STRIDE pixels. Pixels outside are the nearest inside.
override WIDTH: u32;
override HEIGHT: u32;
override STRIDE: u32;

@group(0) @binding(0) var<storage, read> left: array<u32>;
@group(0) @binding(1) var<storage, read> right: array<u32>;

fn greyAt(at: vec2i, side: u32) -> u32 {
  let inside = vec2u(clamp(at, vec2i(), vec2i(vec2u(WIDTH, HEIGHT)) - 1));
  let pixel = inside.y * STRIDE + inside.x;
  var word = 0u;
  if (side == 0u) { word = left[pixel / 2u]; } else { word = right[pixel / 2u]; }
  return select(word & 0xffffu, word >> 16u, (pixel & 1u) == 1u);
}
