// Depth from disparities, after sub-pixel steps (Lucas and Kanade 1981): each step goes three quarters of the way to where the right image,
// between its pixels, would be like the left one, over the pixels of the window that lie on the same surface: those whose disparity is near
// the centre's. The farther from the centre, the less they weigh. A pixel with few sure ones among them is a speckle, or what chance found,
// and is invalid. All is in whole numbers; a row's sum is at most 100 · 1022 · 1022, and their sum 625 times that.
//
// One invocation is one pixel of a workgroup's 16 × 16, whose words (median.wgsl) and those around lie in workgroup memory.
override WIDTH: u32;
override HEIGHT: u32;
override STRIDE: u32;
override SCALE: u32; // the depth of a disparity of one part

const PARTS = 256u;
const COARSE = 32u;
const SURE = 32768u;
const MOST_CONTRAST = 511;
const HALF = 9u;
const SIDE = 2u * HALF + 1u;
const REACH = 48u;
const STEPS = 2u;
const LONGEST = 128i;
const DRIFT = 384u;
const FEWEST = 80u;
const TILE = 16u;
const WIDE = TILE + 2u * HALF;
const WORKGROUP = 256u;

@group(0) @binding(0) var<storage, read> medians: array<u32>;
@group(0) @binding(1) var<storage, read> contrasts: array<i32>;
@group(0) @binding(2) var<storage, read_write> depth: array<u32>;

var<workgroup> tile: array<u32, WIDE * WIDE>;
var<workgroup> found: array<u32, WORKGROUP>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let lane = local.y * TILE + local.x;
  for (var i = lane; i < WIDE * WIDE; i += WORKGROUP) {
    // Left of the image and above it, numbers wrap around to large ones, which are outside too.
    let x = id.x - local.x + i % WIDE - HALF;
    let y = id.y - local.y + i / WIDE - HALF;
    var word = 0u;
    if (x < WIDTH && y < HEIGHT) { word = medians[y * WIDTH + x]; }
    tile[i] = word;
  }
  workgroupBarrier();
  found[lane] = 0u;
  if (id.x < WIDTH && id.y < HEIGHT) {
    let parts = refined(id.x, id.y, local.y * WIDE + local.x);
    let z = (SCALE + parts / 2u) / max(parts, 1u);
    found[lane] = select(z, 0u, parts == 0u || z > 65535u);
  }
  workgroupBarrier();
  if (lane % 2u == 0u && id.x < STRIDE && id.y < HEIGHT) {
    depth[(id.y * STRIDE + id.x) / 2u] = found[lane] | (found[lane + 1u] << 16u);
  }
}

// A pixel of a row of contrasts; one outside is not used.
fn at(row: u32, x: i32) -> i32 {
  return contrasts[row + u32(clamp(x, 0, i32(WIDTH) - 1))];
}

// `corner` is the window's first word.
fn refined(x: u32, y: u32, corner: u32) -> u32 {
  let own = tile[corner + HALF * WIDE + HALF] % SURE;
  if (own == 0u) { return 0u; }
  let start = own * (PARTS / COARSE);
  var parts = start;
  for (var step = 0u; step < STEPS; step++) {
    let whole = parts / PARTS;
    let part = i32(parts % PARTS);
    var sure = 0u;
    var top = 0i;
    var bottom = 0i;
    for (var j = 0u; j < SIDE; j++) {
      // The right image's row slides by: two of its pixels, and three values between pixels.
      let row = (HEIGHT + min(max(y + j, HALF) - HALF, HEIGHT - 1u)) * WIDTH;
      let first = i32(x) - i32(HALF + whole);
      var right = vec2i(at(row, first - 1), at(row, first));
      var values = vec3i(0, 0, right.y + (((right.x - right.y) * part + 128) >> 8u));
      values.y = right.x + (((at(row, first - 2) - right.x) * part + 128) >> 8u);
      var rowTop = 0i;
      var rowBottom = 0i;
      for (var i = 0u; i < SIDE; i++) {
        right = vec2i(right.y, at(row, first + i32(i) + 1));
        values = vec3i(values.yz, right.y + (((right.x - right.y) * part + 128) >> 8u));
        let word = tile[corner + j * WIDE + i];
        let other = word % SURE;
        if (other == 0u || max(other, own) - min(other, own) >= REACH) { continue; }
        sure += (word / SURE) & 1u;
        let u = x + i - HALF;
        if (u < whole + 2u || u - whole + 1u >= WIDTH) { continue; }
        let slope = values.z - values.x;
        let weighted = slope * i32(min(i, SIDE - 1u - i) + 1u);
        rowTop += weighted * (values.y - (i32(word >> 16u) - MOST_CONTRAST));
        rowBottom += weighted * slope;
      }
      let weight = i32(min(j, SIDE - 1u - j) + 1u);
      top += (rowTop * weight) >> 4u;
      bottom += (rowBottom * weight) >> 4u;
    }
    if (sure < FEWEST) { return 0u; }
    let weight = (bottom >> 7u) / 3;
    if (weight == 0) { break; }
    parts = u32(max(1, i32(parts) + clamp(top / weight, -LONGEST, LONGEST)));
  }
  return select(start, parts, max(parts, start) - min(parts, start) < DRIFT);
}
