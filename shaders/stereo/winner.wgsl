// The disparity of least cost of each pixel, in coarse parts of a px by a parabola; 0 where it is none: where another one, not beside it,
// costs less than a share more; where the right image's pixel sees something farther; where it is the search's first. A pixel whose place
// in the right image sees something nearer is hidden there, and keeps the disparity that its surface continues with. The bit SURE marks
// costs that chance seldom gives.
//
// One workgroup has one row. First each pixel finds its disparity, offers each of its costs to the right image's pixel there, and clears
// its sums for the next frame; the key, cost before disparity, makes the least one the same in any order. Of the four least keys one at
// least is not beside the best. Then the row is judged.
override WIDTH: u32;
override HEIGHT: u32;
override COUNT: u32;
override FROM: u32;
override PATHS: u32;

const COARSE = 32;
const SURE = 32768u;
const CHANCE = 26u;
const WORKGROUP = 256u;
const NEVER = 0xffffffffu;
const BYTES = 0xff00ffu;

struct Choice { uniqueness: u32 } // %

@group(0) @binding(0) var<uniform> choice: Choice;
@group(0) @binding(1) var<storage, read_write> sums: array<vec4u>; // sixteen sums of two paths, for each of the lines
@group(0) @binding(2) var<storage, read_write> disparities: array<u32>;

var<workgroup> rights: array<atomic<u32>, WIDTH>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = group.x * WIDTH;
  for (var x = lane; x < WIDTH; x += WORKGROUP) { atomicStore(&rights[x], NEVER); }
  workgroupBarrier();
  for (var x = lane; x < WIDTH; x += WORKGROUP) {
    let first = (row + x) * COUNT / 16u;
    var least = vec4u(NEVER);
    for (var v = 0u; v < COUNT / 16u; v++) {
      var even = vec4u();
      var odd = vec4u();
      for (var line = 0u; line < PATHS / 2u; line++) {
        let two = sums[line * WIDTH * HEIGHT * COUNT / 16u + first + v];
        even += two & vec4u(BYTES);
        odd += (two >> vec4u(8u)) & vec4u(BYTES);
      }
      for (var i = 0u; i < 16u; i++) {
        let halves = select(even[i / 4u], odd[i / 4u], (i & 1u) == 1u);
        let d = 16u * v + i;
        let key = ((halves >> (8u * (i & 2u))) & 0xffffu) * 512u + d;
        least = kept(least, key);
        if (x >= d + FROM) { atomicMin(&rights[x - d - FROM], key); }
      }
    }
    disparities[row + x] = found(least, first) | ((least.x & 511u) << 16u);
    for (var v = 0u; v < COUNT / 16u; v++) {
      for (var line = 0u; line < PATHS / 2u; line++) { sums[line * WIDTH * HEIGHT * COUNT / 16u + first + v] = vec4u(); }
    }
  }
  workgroupBarrier();
  for (var x = lane; x < WIDTH; x += WORKGROUP) {
    let word = disparities[row + x];
    let d = word >> 16u;
    let isSeen = x >= d + FROM && d <= (atomicLoad(&rights[max(x, d + FROM) - d - FROM]) & 511u) + 1u;
    disparities[row + x] = select(0u, word & 0xffffu, isSeen);
  }
}

// The four least keys, in order.
fn kept(least: vec4u, key: u32) -> vec4u {
  let low = min(least, vec4u(key));
  return vec4u(low.x, min(max(least.x, key), least.y), min(max(least.y, key), least.z), min(max(least.z, key), least.w));
}

fn cost(first: u32, d: u32) -> i32 {
  var sum = 0u;
  for (var line = 0u; line < PATHS / 2u; line++) {
    let word = sums[line * WIDTH * HEIGHT * COUNT / 16u + first + d / 16u][(d / 4u) & 3u];
    sum += (word >> (8u * (d & 3u))) & 0xffu;
  }
  return i32(sum);
}

fn found(least: vec4u, first: u32) -> u32 {
  let d = least.x & 511u;
  let own = least.x / 512u;
  let others = least & vec4u(511u);
  let isBeside = (others + 1u >= vec4u(d)) & (others <= vec4u(d + 1u));
  let second = select(select(least.w, least.z, !isBeside.z), least.y, !isBeside.y) / 512u;
  if (d == 0u || second * (100u - choice.uniqueness) < own * 100u) { return 0u; }
  var fraction = 0i;
  if (d + 1u < COUNT) {
    let before = cost(first, d - 1u);
    let after = cost(first, d + 1u);
    let bend = before + after - 2 * i32(own);
    if (bend > 0) { fraction = (before - after) * (COARSE / 2) / bend; }
  }
  return u32(i32(FROM + d) * COARSE + fraction) | select(0u, SURE, own < CHANCE * PATHS);
}
