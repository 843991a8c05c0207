// Semi-global matching (Hirschmüller 2008, eq. 13): along each path, a pixel's cost at a disparity is its own (costs.wgsl), and the least
// cost of the pixel before, where a change of disparity costs more. All directions' costs are added up.
//
//     rows      W + H − 1 diagonals      one workgroup walks one path; its lanes share the disparities, here 32 lanes 128:
//     →  →  →      ↘ ↘ ↘                 lane 0: 0 1 2 3 | lane 1: 4 5 6 7 | …
//     ←  ←  ←      ↖ ↖ ↖  …
//
// A path's costs are never written, only sums of the two directions of a line: a path's cost is at most 62 + LARGE_STEP, so that the sum of
// two fits in a byte, and one atomic adds four of them, in any order to the same bits. Where a byte for each line takes too much memory
// (JOINED is 1), the sums of all paths have 16 bits each, and an atomic adds two of them: of sixteen sums, four words have those of even
// disparities, and four more those of odd ones. paths.wgsl and pathsOfSubgroups.wgsl differ in how
// the lanes tell each other the least cost, and their neighbours their first and last one.
override WIDTH: u32;
override HEIGHT: u32;
override COUNT: u32; // disparities
override LANES = 32u;
override EACH = COUNT / LANES; // disparities of a lane
override JOINED: u32;

const SMALL_STEP = 10u;
const LARGE_STEP = 60u;
const NEVER = 0xffffu;
const MOST_EACH = 16u;
const BYTES = 0xff00ffu;

@group(0) @binding(0) var<storage, read> costs: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>>;

// `sums` is where the sums of the path's line begin. A path's first pixel and its step are indices.
struct Path { first: u32, step: u32, length: u32, sums: u32 }

// Rows right and left, columns down and up, diagonals in four directions.
fn pathOf(index: u32) -> Path {
  let width = i32(WIDTH);
  let height = i32(HEIGHT);
  if (index < 2u * HEIGHT) {
    let way = 1 - 2 * i32(index & 1u);
    return pathFrom(vec2i(select(width - 1, 0, way > 0), i32(index / 2u)), vec2i(way, 0), WIDTH, 0u);
  }
  if (index < 2u * (HEIGHT + WIDTH)) {
    let column = index - 2u * HEIGHT;
    let way = 1 - 2 * i32(column & 1u);
    return pathFrom(vec2i(i32(column / 2u), select(height - 1, 0, way > 0)), vec2i(0, way), HEIGHT, 1u);
  }
  let diagonal = index - 2u * (HEIGHT + WIDTH);
  let number = i32(diagonal / 4u);
  let flips = vec2u(diagonal & 1u, (diagonal >> 1u) & 1u);
  let way = vec2i(flips) * -2 + 1;
  let start = vec2i(max(number - height + 1, 0), max(height - 1 - number, 0));
  let length = min(width - start.x, height - start.y);
  return pathFrom(select(vec2i(width, height) - 1 - start, start, way > vec2i()), way, u32(length), 2u + (flips.x ^ flips.y));
}

fn pathFrom(at: vec2i, way: vec2i, length: u32, line: u32) -> Path {
  let row = i32(WIDTH);
  return Path(u32(at.y * row + at.x), u32(way.y * row + way.x), length, (1u - JOINED) * line * WIDTH * HEIGHT * COUNT);
}

// A lane's own costs at a pixel, four a word. Numbers read behind a path's end are not used.
fn ownOf(pixel: u32, lane: u32) -> vec4u {
  let at = pixel * COUNT + lane * EACH;
  var own = vec4u(costs[at / 4u] >> (8u * (at & 3u)));
  for (var i = 1u; i < EACH / 4u; i++) { own[i] = costs[at / 4u + i]; }
  return own;
}

// Turns a lane's costs at the pixel before into those at the next one. `below` and `above` are the costs of the disparities beside the
// lane's, `low` is the least of all. Returns the lane's least cost.
fn walk(lanes: ptr<function, array<u32, MOST_EACH>>, own: vec4u, low: u32, below: u32, above: u32) -> u32 {
  var before = below;
  var least = NEVER;
  for (var i = 0u; i < EACH; i++) {
    let now = (*lanes)[i];
    let after = select(above, (*lanes)[min(i + 1u, MOST_EACH - 1u)], i + 1u < EACH);
    let best = min(min(now, low + LARGE_STEP), min(before, after) + SMALL_STEP) - low;
    before = now;
    (*lanes)[i] = ((own[i / 4u] >> (8u * (i & 3u))) & 0xffu) + best;
    least = min(least, (*lanes)[i]);
  }
  return least;
}

// Costs past EACH are 0.
fn addSums(lanes: ptr<function, array<u32, MOST_EACH>>, at: u32) {
  for (var i = 0u; i < EACH; i += 4u) {
    let word = (*lanes)[i] | ((*lanes)[i + 1u] << 8u) | ((*lanes)[i + 2u] << 16u) | ((*lanes)[i + 3u] << 24u);
    let four = word << (8u * (at & 3u));
    let into = (at + i) / 4u;
    if (JOINED == 0u) {
      atomicAdd(&sums[into], four);
    } else {
      atomicAdd(&sums[into / 4u * 8u + into % 4u], four & BYTES);
      atomicAdd(&sums[into / 4u * 8u + into % 4u + 4u], (four >> 8u) & BYTES);
    }
  }
}
