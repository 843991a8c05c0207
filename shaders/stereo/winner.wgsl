// Kernel 6 (pipeline/README.md). An invocation: 16 disparities of some pixels of a row. A workgroup: one row. It leaves: disparities. Finds
// the disparity of least cost of each pixel, in coarse parts of a px by a parabola. A pixel gets no disparity (0) if its best disparity is
// the search's first, if another disparity, not beside the best one, costs less than a share more, or if the right image's pixel sees
// something farther. A pixel whose place in the right image sees something nearer is hidden there; it keeps the disparity with which its
// surface continues. The bit SURE marks costs that chance seldom gives.
//
// One workgroup has one row, some pixels at a time. An invocation has sixteen costs of one pixel; LANES invocations have all of them. Each
// offers its costs to the right image's pixels; a key has the cost above the disparity, so the least key is the same in any order. Last the
// row is judged by what the right image's pixels see.
override WIDTH: u32;
override HEIGHT: u32;
override COUNT: u32;
override FROM: u32;
override PATHS: u32;
override JOINED: u32; // as in line.wgsl
override LANES = COUNT / 16u;
override VOLUME = WIDTH * HEIGHT * LANES;

const COARSE = 32;
const SURE = 32768u;
const CHANCE = 24u;
const WORKGROUP = 256u;
const NO_KEY = 0xffffffffu;
const BYTES = vec4u(0xff00ff);

struct Judging { uniqueness: u32 } // %

@group(0) @binding(0) var<uniform> choice: Judging;
@group(0) @binding(1) var<storage, read> sums: array<vec4u>; // sixteen sums of two paths, for each of the lines; eight of all paths, where JOINED is 1
@group(0) @binding(2) var<storage, read_write> disparities: array<u32>;

var<workgroup> rights: array<atomic<u32>, WIDTH>;
var<workgroup> leasts: array<u32, WORKGROUP>; // keys
var<workgroup> rivals: array<u32, WORKGROUP>; // costs
// The costs before and behind a pixel's least cost, where its first invocation is.
var<workgroup> before: array<u32, WORKGROUP>;
var<workgroup> behind: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = group.x * WIDTH;
  for (var x = lane; x < WIDTH; x += WORKGROUP) { atomicStore(&rights[x], NO_KEY); }
  workgroupBarrier();
  let first = lane - lane % LANES;
  for (var start = 0u; start < WIDTH; start += WORKGROUP / LANES) {
    let x = start + lane / LANES;
    let isInside = x < WIDTH;
    var costs: array<u32, 16>;
    if (isInside) {
      costs = taken((row + x) * LANES + lane % LANES);
      leasts[lane] = offered(&costs, x, lane % LANES * 16u);
    }
    workgroupBarrier();
    var key = NO_KEY;
    for (var i = 0u; i < LANES; i++) { key = min(key, leasts[first + i]); }
    let d = key & 511u;
    var rival = 0xffffu;
    for (var i = 0u; i < 16u; i++) {
      let e = lane % LANES * 16u + i;
      if (e + 1u == d) { before[first] = costs[i]; }
      if (e == d + 1u) { behind[first] = costs[i]; }
      if (e + 1u < d || e > d + 1u) { rival = min(rival, costs[i]); }
    }
    rivals[lane] = rival;
    workgroupBarrier();
    if (isInside && lane == first) {
      var second = 0xffffu;
      for (var i = 0u; i < LANES; i++) { second = min(second, rivals[first + i]); }
      disparities[row + x] = found(d, key / 512u, second, vec2i(vec2u(before[first], behind[first]))) | (d << 16u);
    }
    workgroupBarrier();
  }
  storageBarrier();
  for (var x = lane; x < WIDTH; x += WORKGROUP) {
    let word = disparities[row + x];
    let d = word >> 16u;
    let isSeen = x >= d + FROM && d <= (atomicLoad(&rights[max(x, d + FROM) - d - FROM]) & 511u) + 1u;
    disparities[row + x] = select(0u, word & 0xffffu, isSeen);
  }
}

fn taken(at: u32) -> array<u32, 16> {
  var even = vec4u();
  var odd = vec4u();
  if (JOINED == 1u) {
    even = sums[2u * at];
    odd = sums[2u * at + 1u];
  }
  for (var line = 0u; line < (1u - JOINED) * PATHS / 2u; line++) {
    let two = sums[line * VOLUME + at];
    even += two & BYTES;
    odd += (two >> vec4u(8u)) & BYTES;
  }
  var costs: array<u32, 16>;
  for (var i = 0u; i < 16u; i++) {
    let halves = select(even[i / 4u], odd[i / 4u], (i & 1u) == 1u);
    costs[i] = (halves >> (8u * (i & 2u))) & 0xffffu;
  }
  return costs;
}

// The least key of sixteen costs from the disparity `lowest` on, which are offered to the right image's pixels.
fn offered(costs: ptr<function, array<u32, 16>>, x: u32, lowest: u32) -> u32 {
  var least = NO_KEY;
  for (var i = 0u; i < 16u; i++) {
    let d = lowest + i;
    let key = (*costs)[i] * 512u + d;
    least = min(least, key);
    // Few keys are the right pixel's least so far, and reading that costs less than an atomic minimum.
    if (x >= d + FROM && key < atomicLoad(&rights[max(x, d + FROM) - d - FROM])) { atomicMin(&rights[x - d - FROM], key); }
  }
  return least;
}

fn found(d: u32, own: u32, second: u32, sides: vec2i) -> u32 {
  if (d == 0u || second * (100u - choice.uniqueness) < own * 100u) { return 0u; }
  let bend = sides.x + sides.y - 2 * i32(own);
  var fraction = 0i;
  if (d + 1u < COUNT && bend > 0) { fraction = (sides.x - sides.y) * (COARSE / 2) / bend; }
  return u32(i32(FROM + d) * COARSE + fraction) | select(0u, SURE, own < CHANCE * PATHS);
}
