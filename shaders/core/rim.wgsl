// Part of fillHoles.wgsl and split.wgsl: the depth that fills a hole. From an invalid pixel the search goes `reach` pixels far in eight
// directions; the first valid pixel in each direction belongs to the rim. A pixel with a rim in fewer than ENOUGH directions lies beside a
// surface, not in a hole, and stays invalid.
//
//     \ | /        nearest, farthest: the rim's smallest or largest depth
//     - o -        edge: finds the rim's median, each pixel weighted by 1 / its distance, then takes the mean, weighted likewise, of the
//     / | \              rim pixels on the same surface (SAME). So no pixel hangs between two surfaces, and a plane continues as a plane,
//                        since opposite rim pixels are interpolated.
override WIDTH: u32;
override HEIGHT: u32;
override STRIDE: u32;

const ENOUGH = 5u;
const FARTHEST = 1u;
const EDGE = 2u;
const SAME = 0.04;
const MOST_REACH = 64u;
// The weights of a pixel one step from the hole; a diagonal step is √2 as long. Eight weights times the largest depth fit in a word.
const STRAIGHT = 8192u;
const DIAGONAL = 5793u;

struct Choice { mode: u32, reach: u32 }
// The first valid pixel in each direction, 0 where there is none: along rows and columns, and along diagonals.
struct Rim { straight: vec4u, diagonal: vec4u, straightWeights: vec4u, diagonalWeights: vec4u }

@group(0) @binding(0) var<uniform> choice: Choice;
@group(0) @binding(1) var<storage, read> depth: array<u32>;

// Outside the image all is invalid.
fn depthAt(pixel: vec2i) -> u32 {
  let isInside = all((pixel >= vec2i()) & (pixel < vec2i(vec2u(WIDTH, HEIGHT))));
  let at = select(0u, u32(pixel.y) * STRIDE + u32(pixel.x), isInside);
  return select(0u, (depth[at / 2u] >> (16u * (at & 1u))) & 0xffffu, isInside);
}

fn fromRim(pixel: vec2i) -> u32 {
  let rim = rimOf(pixel);
  let has = vec4u(rim.straight != vec4u()) + vec4u(rim.diagonal != vec4u());
  if (has.x + has.y + has.z + has.w < ENOUGH) { return 0u; }
  if (choice.mode == EDGE) { return meanOfSurface(rim); }
  let most = max(rim.straight, rim.diagonal);
  if (choice.mode == FARTHEST) { return max(max(most.x, most.y), max(most.z, most.w)); }
  // A missing depth is 0, below any depth; minus 1 it wraps around above any.
  let least = min(rim.straight - 1u, rim.diagonal - 1u);
  return min(min(least.x, least.y), min(least.z, least.w)) + 1u;
}

// Searches all directions at once, so that the eight loads of a round do not wait for each other.
fn rimOf(pixel: vec2i) -> Rim {
  var rim: Rim;
  for (var far = 1u; far <= min(choice.reach, MOST_REACH); far++) {
    let step = i32(far);
    let straight = vec4u(
      depthAt(pixel - vec2i(step, 0)), depthAt(pixel + vec2i(step, 0)),
      depthAt(pixel - vec2i(0, step)), depthAt(pixel + vec2i(0, step)),
    );
    let diagonal = vec4u(
      depthAt(pixel - vec2i(step, step)), depthAt(pixel + vec2i(step, step)),
      depthAt(pixel + vec2i(step, -step)), depthAt(pixel + vec2i(-step, step)),
    );
    rim.straightWeights = select(rim.straightWeights, vec4u(STRAIGHT / far), (rim.straight == vec4u()) & (straight != vec4u()));
    rim.diagonalWeights = select(rim.diagonalWeights, vec4u(DIAGONAL / far), (rim.diagonal == vec4u()) & (diagonal != vec4u()));
    rim.straight = select(rim.straight, straight, rim.straight == vec4u());
    rim.diagonal = select(rim.diagonal, diagonal, rim.diagonal == vec4u());
    if (all((rim.straight != vec4u()) & (rim.diagonal != vec4u()))) { break; }
  }
  return rim;
}

fn meanOfSurface(rim: Rim) -> u32 {
  let half = (sum(rim.straightWeights + rim.diagonalWeights) + 1u) / 2u;
  var median = 65535u;
  for (var i = 0u; i < 4u; i++) {
    median = min(median, select(65535u, rim.straight[i], weightUpTo(rim, rim.straight[i]) >= half));
    median = min(median, select(65535u, rim.diagonal[i], weightUpTo(rim, rim.diagonal[i]) >= half));
  }
  let same = vec4u(u32(SAME * f32(median)));
  let straight = select(vec4u(), rim.straightWeights, differenceOf(rim.straight, median) <= same);
  let diagonal = select(vec4u(), rim.diagonalWeights, differenceOf(rim.diagonal, median) <= same);
  let weight = sum(straight + diagonal);
  return (sum(straight * rim.straight + diagonal * rim.diagonal) + weight / 2u) / weight;
}

// Missing depths have weight 0.
fn weightUpTo(rim: Rim, z: u32) -> u32 {
  return sum(
    select(vec4u(), rim.straightWeights, rim.straight <= vec4u(z)) +
    select(vec4u(), rim.diagonalWeights, rim.diagonal <= vec4u(z))
  );
}

fn differenceOf(z: vec4u, median: u32) -> vec4u { return max(z, vec4u(median)) - min(z, vec4u(median)); }

fn sum(four: vec4u) -> u32 { return four.x + four.y + four.z + four.w; }
