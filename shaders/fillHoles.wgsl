// Fills holes from their rims. From an invalid pixel the search goes `reach` pixels far in eight directions; the first valid pixel in each
// direction belongs to the rim. A pixel with a rim in fewer than ENOUGH directions lies beside a surface, not in a hole, and stays invalid.
//
//     \ | /        nearest, farthest: the rim's smallest or largest depth
//     - o -        edge: finds the rim's median, each pixel weighted by 1 / its distance, then takes the mean, weighted likewise, of the
//     / | \              rim pixels on the same surface (SAME). So no pixel hangs between two surfaces, and a plane continues as a plane,
//                        since opposite rim pixels are interpolated.
//
// One invocation writes one word, two pixels. With MARK it also tints the filled pixels in the colour image.
override WIDTH: u32;
override HEIGHT: u32;
override STRIDE: u32;
override MARK: u32 = 0u;

const ENOUGH = 5u;
const FARTHEST = 1u;
const EDGE = 2u;
const SAME = 0.04;
const MOST_REACH = 64u;
// Half of the tint is magenta, the other half the pixel's own colour.
const TINT = 0xff7f007fu;

struct Choice { mode: u32, reach: u32 }
struct Rim { depths: array<u32, 8>, weights: array<u32, 8>, count: u32, total: u32 }

@group(0) @binding(0) var<uniform> choice: Choice;
@group(0) @binding(1) var<storage, read> depth: array<u32>;
@group(0) @binding(2) var<storage, read> colors: array<u32>;
@group(0) @binding(3) var<storage, read_write> filled: array<u32>;
@group(0) @binding(4) var<storage, read_write> marked: array<u32>;

@compute @workgroup_size(16, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = 2u * id.x;
  if (x >= STRIDE || id.y >= HEIGHT) { return; }
  filled[(id.y * STRIDE + x) / 2u] = fillAt(x, id.y) | (fillAt(x + 1u, id.y) << 16u);
}

fn fillAt(x: u32, y: u32) -> u32 {
  let before = depthAt(vec2i(vec2u(x, y)));
  var after = before;
  if (before == 0u && x < WIDTH) { after = fromRim(vec2i(vec2u(x, y))); }
  if (MARK != 0u) {
    let at = y * STRIDE + x;
    let color = colors[at];
    marked[at] = select(color, TINT + ((color >> 1u) & 0x7f7f7fu), after != before);
  }
  return after;
}

// Outside the image all is invalid.
fn depthAt(pixel: vec2i) -> u32 {
  if (any(pixel < vec2i()) || any(pixel >= vec2i(vec2u(WIDTH, HEIGHT)))) { return 0u; }
  let at = u32(pixel.y) * STRIDE + u32(pixel.x);
  return (depth[at / 2u] >> (16u * (at & 1u))) & 0xffffu;
}

fn fromRim(pixel: vec2i) -> u32 {
  var rim: Rim;
  for (var i = 0u; i < 9u; i++) {
    if (i != 4u) { look(pixel, vec2i(vec2u(i % 3u, i / 3u)) - 1, &rim); }
  }
  if (rim.count < ENOUGH) { return 0u; }
  if (choice.mode == EDGE) { return meanOfSurface(&rim); }
  var best = rim.depths[0];
  for (var i = 1u; i < 8u; i++) {
    if (i < rim.count) { best = select(min(best, rim.depths[i]), max(best, rim.depths[i]), choice.mode == FARTHEST); }
  }
  return best;
}

fn look(pixel: vec2i, way: vec2i, rim: ptr<function, Rim>) {
  for (var far = 1u; far <= MOST_REACH; far++) {
    if (far > choice.reach) { return; }
    let z = depthAt(pixel + way * i32(far));
    if (z != 0u) {
      // A diagonal step is √2 as long. The sum of eight weights times the largest depth fits in a word.
      let weight = select(8192u, 5793u, way.x != 0 && way.y != 0) / far;
      (*rim).depths[(*rim).count] = z;
      (*rim).weights[(*rim).count] = weight;
      (*rim).count++;
      (*rim).total += weight;
      return;
    }
  }
}

fn meanOfSurface(rim: ptr<function, Rim>) -> u32 {
  var median = 65535u;
  for (var i = 0u; i < 8u; i++) {
    if (i >= (*rim).count) { break; }
    var upTo = 0u;
    for (var j = 0u; j < 8u; j++) {
      if (j < (*rim).count && (*rim).depths[j] <= (*rim).depths[i]) { upTo += (*rim).weights[j]; }
    }
    if (2u * upTo >= (*rim).total) { median = min(median, (*rim).depths[i]); }
  }
  let same = u32(SAME * f32(median));
  var sum = 0u;
  var weight = 0u;
  for (var i = 0u; i < 8u; i++) {
    let z = (*rim).depths[i];
    if (i < (*rim).count && max(z, median) - min(z, median) <= same) {
      sum += (*rim).weights[i] * z;
      weight += (*rim).weights[i];
    }
  }
  return (sum + weight / 2u) / weight;
}
