// Kernel 2 (pipeline/README.md). An invocation: one pixel of the output. A workgroup: 8 × 8 pixels. It leaves: their colours.
// Replaces each block of FACTOR × FACTOR pixels by its mean colour, rounded for each channel, to match the smaller depth image.
override FACTOR: u32;
override FROM: u32; // words per row of the input
override TO: u32; // words per row of the output
override WIDTH: u32;
override HEIGHT: u32;

@group(0) @binding(0) var<storage, read> color: array<u32>;
@group(0) @binding(1) var<storage, read_write> smaller: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= TO || id.y >= HEIGHT) { return; }
  if (id.x >= WIDTH) {
    smaller[id.y * TO + id.x] = 0u;
    return;
  }
  var sum = vec4u();
  for (var v = 0u; v < FACTOR; v++) {
    for (var u = 0u; u < FACTOR; u++) {
      let word = color[(FACTOR * id.y + v) * FROM + FACTOR * id.x + u];
      sum += (vec4u(word) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(0xffu);
    }
  }
  let count = FACTOR * FACTOR;
  let mean = (2u * sum + vec4u(count)) / vec4u(2u * count);
  smaller[id.y * TO + id.x] = mean.x | (mean.y << 8u) | (mean.z << 16u) | (mean.w << 24u);
}
