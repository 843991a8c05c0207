// Depth from disparities, after sub-pixel steps (Lucas and Kanade 1981): each step goes where the right image, between its pixels, would be
// like the left one, over the pixels of the window that lie on the same surface: those whose disparity is near the centre's. A pixel with
// few of them is a speckle, and one whose windows differ by as much as images that have nothing in common is invalid. All is in whole
// numbers, so that the order of sums does not matter; a sum is at most 225 · 1022 · 1022.
//
// One invocation writes one word, two pixels.
override WIDTH: u32;
override HEIGHT: u32;
override STRIDE: u32;
override SCALE: u32; // the depth of a disparity of one part

const PARTS = 256u;
const HALF = 7u;
const SIDE = 2u * HALF + 1u;
const REACH = 384u;
const STEPS = 4u;
const LONGEST = 128i;
const DRIFT = 384u;
const FEWEST = 40u;
const MOST_DIFFERENT = 3i; // quarters of the windows' energy

@group(0) @binding(0) var<storage, read> disparities: array<u32>;
@group(0) @binding(1) var<storage, read> contrasts: array<i32>;
@group(0) @binding(2) var<storage, read_write> depth: array<u32>;

@compute @workgroup_size(16, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = 2u * id.x;
  if (x >= STRIDE || id.y >= HEIGHT) { return; }
  depth[(id.y * STRIDE + x) / 2u] = depthAt(x, id.y) | (depthAt(x + 1u, id.y) << 16u);
}

fn depthAt(x: u32, y: u32) -> u32 {
  if (x >= WIDTH) { return 0u; }
  let parts = refined(x, y, disparities[y * WIDTH + x]);
  if (parts == 0u) { return 0u; }
  let z = (SCALE + parts / 2u) / parts;
  return select(z, 0u, z > 65535u);
}

// A pixel of a row of contrasts; one outside is not used.
fn at(row: u32, x: i32) -> i32 {
  return contrasts[row + u32(clamp(x, 0, i32(WIDTH) - 1))];
}

fn refined(x: u32, y: u32, start: u32) -> u32 {
  if (start == 0u) { return 0u; }
  var parts = start;
  for (var step = 0u; step < STEPS; step++) {
    let whole = parts / PARTS;
    let part = i32(parts % PARTS);
    let rest = i32(PARTS) - part;
    var count = 0u;
    var top = 0i;
    var bottom = 0i;
    var difference = 0i;
    var energy = 0i;
    for (var j = 0u; j < SIDE; j++) {
      // Above the image, numbers wrap around to large ones, which are outside too.
      let v = y + j - HALF;
      if (v >= HEIGHT) { continue; }
      // The right image's row slides by: one more of its pixels for each of the left image's.
      let rows = (HEIGHT + v) * WIDTH;
      let first = i32(x) - i32(HALF + whole);
      var right = vec4i(0, at(rows, first - 2), at(rows, first - 1), at(rows, first));
      for (var i = 0u; i < SIDE; i++) {
        let u = x + i - HALF;
        right = vec4i(right.yzw, at(rows, first + i32(i) + 1));
        if (u >= WIDTH) { continue; }
        let other = disparities[v * WIDTH + u];
        if (other == 0u || max(other, start) - min(other, start) >= REACH) { continue; }
        count++;
        if (u < whole + 2u || u - whole + 1u >= WIDTH) { continue; }
        let value = (right.z * rest + right.y * part + 128) >> 8u;
        let slope = ((right.w - right.y) * rest + (right.z - right.x) * part + 128) >> 8u;
        let own = contrasts[v * WIDTH + u];
        top += slope * (value - own);
        bottom += slope * slope;
        difference += (value - own) * (value - own);
        energy += value * value + own * own;
      }
    }
    if (count < FEWEST || difference >= MOST_DIFFERENT * (energy >> 2u)) { return 0u; }
    let weight = bottom >> 9u;
    if (weight == 0) { break; }
    parts = u32(max(1, i32(parts) + clamp(top / weight, -LONGEST, LONGEST)));
  }
  return select(start, parts, max(parts, start) - min(parts, start) < DRIFT);
}
