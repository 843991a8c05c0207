// #import "./core/rim.wgsl"
// Kernel 1 (pipeline/README.md). An invocation: a vector of depth: 8 pixels, and their holes. A workgroup: 128 × 8 pixels. It leaves: depth
// to show: raw, filtered.
// Writes the depth to show: raw depth left of a column, filtered depth from that column on. One invocation writes a vector, eight pixels:
// with one word per invocation, too few loads are in flight to saturate an H200's memory. If the filtered image is smaller than the raw
// one, a pixel takes the raw pixel at its centre. Holes of the filtered side are filled where `choice.reach` is above 0.
override RAW_WIDTH: u32;
override RAW_HEIGHT: u32;
override RAW_STRIDE: u32;

struct Cut { column: u32 }

@group(0) @binding(2) var<uniform> cut: Cut;
@group(0) @binding(3) var<storage, read> raw: array<vec4u>;
@group(0) @binding(4) var<storage, read> filtered: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> shown: array<vec4u>;

@compute @workgroup_size(16, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = 8u * id.x;
  if (x >= STRIDE || id.y >= HEIGHT) { return; }
  let at = (id.y * STRIDE + x) / 8u;
  let even = vec4u(x, x + 2u, x + 4u, x + 6u);
  let column = vec4u(cut.column);
  // All ones where a pixel lies left of the column. Each image is read only where it is shown.
  let left = select(vec4u(), vec4u(0xffffu), even < column) | select(vec4u(), vec4u(0xffff0000u), even + 1u < column);
  var words = vec4u();
  if (x < cut.column) { words = rawAt(even, id.y) & left; }
  if (x + 8u > cut.column) { words |= filled(filtered[at], x, id.y) & ~left; }
  shown[at] = words;
}

// Filtered depth of eight adjacent pixels with filled holes. Past a row's end nothing is filled.
fn filled(words: vec4u, first: u32, y: u32) -> vec4u {
  var whole = words;
  for (var i = 0u; i < 8u; i++) {
    let x = first + i;
    let shift = 16u * (i & 1u);
    let isHole = ((words[i / 2u] >> shift) & 0xffffu) == 0u && x >= cut.column && x < WIDTH;
    if (isHole && choice.reach > 0u) { whole[i / 2u] |= fromRim(vec2i(vec2u(x, y))) << shift; }
  }
  return whole;
}

// Raw depth of eight adjacent pixels, by the even ones' columns. In a row's padding the value does not matter, since the column never lies
// there.
fn rawAt(even: vec4u, y: u32) -> vec4u {
  if (RAW_WIDTH == WIDTH && RAW_HEIGHT == HEIGHT) { return raw[(y * STRIDE + even.x) / 8u]; }
  let row = (2u * y + 1u) * RAW_HEIGHT / (2u * HEIGHT) * RAW_STRIDE;
  return vec4u(pairAt(row, even.x), pairAt(row, even.y), pairAt(row, even.z), pairAt(row, even.w));
}

fn pairAt(row: u32, x: u32) -> u32 {
  return pixelAt(row, x) | (pixelAt(row, x + 1u) << 16u);
}

fn pixelAt(row: u32, x: u32) -> u32 {
  let at = row + (2u * x + 1u) * RAW_WIDTH / (2u * WIDTH);
  return (raw[at / 8u][(at / 2u) & 3u] >> (16u * (at & 1u))) & 0xffffu;
}
