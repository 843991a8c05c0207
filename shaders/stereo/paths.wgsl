// Semi-global matching (Hirschmüller 2008, eq. 13): along each path, a pixel's cost at a disparity is the Hamming distance of the censuses,
// and the least cost of the pixel before, where a change of disparity costs more. All directions' costs are added up.
//
//     rows      W + H − 1 diagonals      one workgroup walks one path; its 32 lanes share the disparities:
//     →  →  →      ↘ ↘ ↘                 lane 0: 0 1 2 3 | lane 1: 4 5 6 7 | …      (128 disparities)
//     ←  ←  ←      ↖ ↖ ↖  …
//
// Costs are never written, only their sums: two u16 a word, which atomics add, in any order to the same bits. A sum is at most
// 8 · (62 + LARGE_STEP), so that no half overflows. A lane knows its own costs of the pixel before; of its neighbours it needs the first
// and the last, and of all the least one. Both take turns between copies, so that a step has one barrier:
//
//     step t    reads least[t − 1], edges[t − 1]   adds to least[t], writes edges[t]   resets least[t + 1]
override WIDTH: u32;
override HEIGHT: u32;
override COUNT: u32; // disparities
override FROM: u32; // the first of them
override EACH = COUNT / 32u; // disparities of a lane

const SMALL_STEP = 10u;
const LARGE_STEP = 60u;
const LANES = 32u;
const NEVER = 0xffffu;

@group(0) @binding(0) var<storage, read> codes: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>>;

var<workgroup> least: array<atomic<u32>, 3>;
var<workgroup> edges: array<array<vec2u, LANES>, 2>; // a lane's first and last cost

struct Path { at: vec2i, step: vec2i, length: u32 }

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let path = pathOf(group.x);
  if (lane == 0u) { atomicStore(&least[0], NEVER); }
  workgroupBarrier();
  var costs: array<u32, 8>;
  var at = path.at;
  for (var t = 0u; t < path.length; t++) {
    let low = atomicLoad(&least[(t + 2u) % 3u]);
    let below = select(edges[(t + 1u) & 1u][max(lane, 1u) - 1u].y, NEVER, lane == 0u);
    let above = select(edges[(t + 1u) & 1u][min(lane + 1u, LANES - 1u)].x, NEVER, lane == LANES - 1u);
    let pixel = u32(at.y) * WIDTH + u32(at.x);
    let row = HEIGHT * WIDTH + u32(at.y) * WIDTH;
    let own = codes[pixel];
    var before = below;
    var min0 = NEVER;
    for (var i = 0u; i < EACH; i++) {
      let d = lane * EACH + i;
      let bits = countOneBits(own ^ codes[row + u32(max(0, at.x - i32(d + FROM)))]);
      let after = select(above, costs[min(i + 1u, 7u)], i + 1u < EACH);
      let best = min(min(costs[i], low + LARGE_STEP), min(before, after) + SMALL_STEP);
      before = costs[i];
      costs[i] = bits.x + bits.y + best - low;
      min0 = min(min0, costs[i]);
    }
    let word = (pixel * COUNT + lane * EACH) / 2u;
    for (var i = 0u; i < EACH / 2u; i++) { atomicAdd(&sums[word + i], costs[2u * i] | (costs[2u * i + 1u] << 16u)); }
    edges[t & 1u][lane] = vec2u(costs[0], costs[EACH - 1u]);
    atomicMin(&least[t % 3u], min0);
    if (lane == 0u) { atomicStore(&least[(t + 1u) % 3u], NEVER); }
    at += path.step;
    workgroupBarrier();
  }
}

// Rows right and left, columns down and up, diagonals in four directions.
fn pathOf(index: u32) -> Path {
  let size = vec2i(vec2u(WIDTH, HEIGHT));
  if (index < 2u * HEIGHT) {
    let way = 1 - 2 * i32(index & 1u);
    return Path(vec2i(select(size.x - 1, 0, way > 0), i32(index / 2u)), vec2i(way, 0), WIDTH);
  }
  if (index < 2u * (HEIGHT + WIDTH)) {
    let column = index - 2u * HEIGHT;
    let way = 1 - 2 * i32(column & 1u);
    return Path(vec2i(i32(column / 2u), select(size.y - 1, 0, way > 0)), vec2i(0, way), HEIGHT);
  }
  let diagonal = index - 2u * (HEIGHT + WIDTH);
  let number = i32(diagonal / 4u);
  let way = vec2i(vec2u(diagonal & 1u, (diagonal >> 1u) & 1u)) * -2 + 1;
  let start = vec2i(max(number - size.y + 1, 0), max(size.y - 1 - number, 0));
  let length = min(size.x - start.x, size.y - start.y);
  return Path(select(size - 1 - start, start, way > vec2i()), way, u32(length));
}
