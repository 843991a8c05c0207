// Kernel 7 (pipeline/README.md). An invocation: one pixel. A workgroup: 16 × 16 pixels. It leaves: disparities without speckle.
// The median of the valid disparities of 5 × 5 pixels; of an even number of disparities, the higher of the middle two. An invalid pixel
// stays invalid unless at least FILL of the 25 pixels are valid. One invocation finds the median of one pixel, bit by bit: it seeks the
// largest number that at most half of the values lie below. (An array of 25 values that is indexed by a variable would lie in memory.) The
// median's word gets the pixel's SURE bit, and in the high half the pixel's contrast in the left image, for refine.wgsl. NOTHING, which is
// larger than any disparity, means that there is none.
override WIDTH: u32;
override HEIGHT: u32;

const SURE = 32768u;
const NOTHING = 32767u;
const FILL = 20u;

@group(0) @binding(0) var<storage, read> disparities: array<u32>;
@group(0) @binding(1) var<storage, read> contrasts: array<i32>;
@group(0) @binding(2) var<storage, read_write> medians: array<u32>;

struct Values { a: vec4u, b: vec4u, c: vec4u, d: vec4u, e: vec4u, f: vec4u, last: u32 }

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= WIDTH || id.y >= HEIGHT) { return; }
  let at = id.y * WIDTH + id.x;
  let own = disparities[at];
  let contrast = u32(contrasts[at]) << 16u;
  let corner = id.xy - 2u;
  var values = Values();
  values.a = four(corner, 0u);
  values.b = four(corner, 4u);
  values.c = four(corner, 8u);
  values.d = four(corner, 12u);
  values.e = four(corner, 16u);
  values.f = four(corner, 20u);
  values.last = pixelAt(corner, 24u);
  let count = below(values, NOTHING);
  if (own == 0u && count < FILL) {
    medians[at] = contrast | NOTHING;
    return;
  }
  let middle = count / 2u;
  var median = 0u;
  for (var bit = 0u; bit < 15u; bit++) {
    let higher = median | (16384u >> bit);
    median = select(median, higher, middle >= below(values, higher));
  }
  medians[at] = median | (own & SURE) | contrast;
}

fn four(corner: vec2u, i: u32) -> vec4u {
  return vec4u(pixelAt(corner, i), pixelAt(corner, i + 1u), pixelAt(corner, i + 2u), pixelAt(corner, i + 3u));
}

// Left of the image and above it, numbers wrap around to large ones, which are outside too.
fn pixelAt(corner: vec2u, i: u32) -> u32 {
  let at = corner + vec2u(i % 5u, i / 5u);
  if (at.x >= WIDTH || at.y >= HEIGHT) { return NOTHING; }
  let value = disparities[at.y * WIDTH + at.x] % SURE;
  return select(value, NOTHING, value == 0u);
}

fn below(v: Values, limit: u32) -> u32 {
  let most = vec4u(limit);
  var fours = vec4u(most > v.a);
  fours += vec4u(most > v.b);
  fours += vec4u(most > v.c);
  fours += vec4u(most > v.d);
  fours += vec4u(most > v.e);
  fours += vec4u(most > v.f);
  return fours.x + fours.y + fours.z + fours.w + u32(limit > v.last);
}
