// The disparity of least cost of each pixel, in parts of a px by a parabola; 0 where it is none: where another one, not beside it, costs
// less than a share more; where the right image's pixel sees something farther; where it is the search's first. A pixel whose place in the
// right image sees something nearer is hidden there, and keeps the disparity that its surface continues with.
//
// One workgroup has one row. First each pixel finds its disparity and offers each of its costs to the right image's pixel there; the key,
// cost before disparity, makes the least one the same in any order. Then the row is judged, and the sums are cleared for the next frame.
override WIDTH: u32;
override HEIGHT: u32;
override COUNT: u32;
override FROM: u32;

const PARTS = 256u;
const WORKGROUP = 256u;
const NEVER = 0xffffffffu;

struct Choice { uniqueness: u32 } // %

@group(0) @binding(0) var<uniform> choice: Choice;
@group(0) @binding(1) var<storage, read_write> sums: array<vec4u>; // eight costs
@group(0) @binding(2) var<storage, read_write> disparities: array<u32>;

var<workgroup> rights: array<atomic<u32>, WIDTH>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let y = group.x;
  for (var x = lane; x < WIDTH; x += WORKGROUP) { atomicStore(&rights[x], NEVER); }
  workgroupBarrier();
  for (var x = lane; x < WIDTH; x += WORKGROUP) {
    var best = NEVER;
    for (var v = 0u; v < COUNT / 8u; v++) {
      let costs = sums[(y * WIDTH + x) * COUNT / 8u + v];
      for (var i = 0u; i < 8u; i++) {
        let d = 8u * v + i;
        let key = costOf(costs, i) * 512u + d;
        best = min(best, key);
        if (x >= d + FROM) { atomicMin(&rights[x - d - FROM], key); }
      }
    }
    disparities[y * WIDTH + x] = best;
  }
  workgroupBarrier();
  for (var x = lane; x < WIDTH; x += WORKGROUP) {
    let at = y * WIDTH + x;
    disparities[at] = judged(x, at, disparities[at]);
    for (var v = 0u; v < COUNT / 8u; v++) { sums[at * COUNT / 8u + v] = vec4u(); }
  }
}

fn costOf(costs: vec4u, i: u32) -> u32 {
  return (costs[i / 2u] >> (16u * (i & 1u))) & 0xffffu;
}

fn cost(at: u32, d: u32) -> i32 {
  return i32(costOf(sums[(at * COUNT + d) / 8u], d & 7u));
}

fn judged(x: u32, at: u32, key: u32) -> u32 {
  let d = key & 511u;
  let own = key / 512u;
  if (d == 0u || x < d + FROM) { return 0u; }
  let theirs = atomicLoad(&rights[x - d - FROM]) & 511u;
  if (d > theirs + 1u) { return 0u; }
  var second = 0xffffu;
  for (var v = 0u; v < COUNT / 8u; v++) {
    let costs = sums[at * COUNT / 8u + v];
    for (var i = 0u; i < 8u; i++) {
      let e = 8u * v + i;
      if (e + 1u < d || e > d + 1u) { second = min(second, costOf(costs, i)); }
    }
  }
  if (second * (100u - choice.uniqueness) < own * 100u) { return 0u; }
  var fraction = 0i;
  if (d + 1u < COUNT) {
    let before = cost(at, d - 1u);
    let after = cost(at, d + 1u);
    let bend = before + after - 2 * i32(own);
    if (bend > 0) { fraction = (before - after) * i32(PARTS / 2u) / bend; }
  }
  return u32(i32((FROM + d) * PARTS) + fraction);
}
