// Writes the depth to show: raw depth left of a column, filtered depth from that column on. One invocation writes one word, two pixels. If
// the filtered image is smaller than the raw one, a pixel takes the raw pixel at its centre.
override WIDTH: u32;
override HEIGHT: u32;
override STRIDE: u32;
override RAW_WIDTH: u32;
override RAW_HEIGHT: u32;
override RAW_STRIDE: u32;

struct Cut { column: u32 }

@group(0) @binding(0) var<uniform> cut: Cut;
@group(0) @binding(1) var<storage, read> raw: array<u32>;
@group(0) @binding(2) var<storage, read> filtered: array<u32>;
@group(0) @binding(3) var<storage, read_write> shown: array<u32>;

@compute @workgroup_size(16, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = 2u * id.x;
  if (x >= STRIDE || id.y >= HEIGHT) { return; }
  let at = (id.y * STRIDE + x) / 2u;
  let word = filtered[at];
  let left = select(word & 0xffffu, rawAt(x, id.y), x < cut.column);
  let right = select(word >> 16u, rawAt(x + 1u, id.y), x + 1u < cut.column);
  shown[at] = left | (right << 16u);
}

// The raw depth at a pixel. In a row's padding the value does not matter, since the column never lies there.
fn rawAt(x: u32, y: u32) -> u32 {
  let own = (2u * vec2u(x, y) + 1u) * vec2u(RAW_WIDTH, RAW_HEIGHT) / (2u * vec2u(WIDTH, HEIGHT));
  let at = own.y * RAW_STRIDE + own.x;
  return (raw[at / 2u] >> (16u * (at & 1u))) & 0xffffu;
}
