// Depth from disparities, after sub-pixel steps (Lucas and Kanade 1981): each step goes three quarters of the way to where the right image,
// between its pixels, would be like the left one, over the pixels of the window that lie on the same surface: those whose disparity is near
// the centre's. The farther from the centre, the less they weigh. A pixel with few sure ones among them is a speckle, or what chance found,
// and is invalid. All is in whole numbers; a row's sum is at most 100 · 1022 · 1022, and their sum 625 times that.
//
// One invocation is one pixel of a workgroup's 16 × 16, whose words (median.wgsl) and those around lie in workgroup memory. GPUs add whole
// numbers at half the speed of others, so that the loops have as few operations as possible.
override WIDTH: u32;
override HEIGHT: u32;
override STRIDE: u32;
override SCALE: u32; // the depth of a disparity of one part
override SPAN = max(WIDTH, 3u) - 3u; // how many of a row's pixels have two before them and one behind

const PARTS = 256u;
const COARSE = 32u;
const SURE = 32768u;
const NOTHING = 32767u;
const HALF = 9u;
const NEAR = 6u;
const SIDE = 2u * HALF + 1u;
const NEAR_SIDE = 2u * NEAR + 1u;
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
    var word = NOTHING;
    if (x < WIDTH && y < HEIGHT) { word = medians[y * WIDTH + x]; }
    tile[i] = word;
  }
  workgroupBarrier();
  found[lane] = 0u;
  if (id.x < WIDTH && id.y < HEIGHT) {
    let parts = refined(id.x, id.y, (local.y + HALF) * WIDE + local.x + HALF);
    let z = (SCALE + parts / 2u) / max(parts, 1u);
    found[lane] = select(z, 0u, parts == 0u || z > 65535u);
  }
  workgroupBarrier();
  if (lane % 2u == 0u && id.x < STRIDE && id.y < HEIGHT) {
    depth[(id.y * STRIDE + id.x) / 2u] = found[lane] | (found[lane + 1u] << 16u);
  }
}

// `middle` is the pixel's place in the tile.
fn refined(x: u32, y: u32, middle: u32) -> u32 {
  let own = tile[middle] & NOTHING;
  if (own == NOTHING) { return 0u; }
  let start = own * (PARTS / COARSE);
  var parts = start;
  for (var step = 1u; step < STEPS; step++) {
    var sums = Sums();
    let first = rowFrom(own, parts, x - NEAR);
    for (var j = 0u; j < NEAR_SIDE; j++) {
      var row = begun(first, y + j, NEAR);
      var line = Sums();
      for (var i = 0u; i < NEAR_SIDE; i++) {
        let weight = i32(min(i, NEAR_SIDE - 1u - i) + HALF + 1u - NEAR);
        add(&line, &row, tile[middle - NEAR * (WIDE + 1u) + j * WIDE + i], weight);
      }
      addRow(&sums, line, i32(min(j, NEAR_SIDE - 1u - j) + HALF + 1u - NEAR));
    }
    parts = moved(parts, sums);
  }
  var sums = Sums();
  let first = rowFrom(own, parts, x - HALF);
  for (var j = 0u; j < SIDE; j++) {
    var row = begun(first, y + j, HALF);
    var line = Sums();
    for (var i = 0u; i < SIDE; i++) {
      add(&line, &row, tile[middle - HALF * (WIDE + 1u) + j * WIDE + i], i32(min(i, SIDE - 1u - i) + 1u));
    }
    addRow(&sums, line, i32(min(j, SIDE - 1u - j) + 1u));
  }
  if (sums.sure < FEWEST * SURE) { return 0u; }
  parts = moved(parts, sums);
  return select(start, parts, max(parts, start) - min(parts, start) < DRIFT);
}

// Sums over a window, or a row of one. `sure` counts in units of SURE.
struct Sums { top: i32, bottom: i32, sure: u32 }

// How far a window's row is: the least disparity of the same surface; the place between pixels; the right image's column that belongs to
// the next pixel, and its index; the right image's pixel there; and values between pixels, at the two columns before and there.
struct Row { lowest: u32, part: i32, column: u32, index: u32, last: i32, values: vec3i }

fn rowFrom(own: u32, parts: u32, x: u32) -> Row {
  return Row(own + 1u - REACH, i32(parts % PARTS), x - parts / PARTS, 0u, 0, vec3i());
}

// A row at its beginning. Pixels that are not in the image's row are not used, and a row outside the image has no word on any surface.
fn begun(first: Row, y: u32, reach: u32) -> Row {
  let index = (HEIGHT + min(max(y, reach) - reach, HEIGHT - 1u)) * WIDTH + first.column;
  let before = contrasts[index - 1u];
  let last = contrasts[index];
  let values = vec3i(0, between(before, contrasts[index - 2u], first.part), between(last, before, first.part));
  return Row(first.lowest, first.part, first.column, index, last, values);
}

fn between(pixel: i32, before: i32, part: i32) -> i32 {
  return pixel + (((before - pixel) * part + 128) >> 8u);
}

fn add(line: ptr<function, Sums>, row: ptr<function, Row>, word: u32, weight: i32) {
  let column = (*row).column;
  let next = contrasts[(*row).index + 1u];
  let values = vec3i((*row).values.yz, between(next, (*row).last, (*row).part));
  (*row).column++;
  (*row).index++;
  (*row).last = next;
  (*row).values = values;
  if ((word & NOTHING) - (*row).lowest >= 2u * REACH - 1u) { return; }
  (*line).sure += word & SURE;
  if (column - 2u >= SPAN) { return; }
  let slope = values.z - values.x;
  let weighted = slope * weight;
  (*line).top += weighted * (values.y - (i32(word) >> 16u));
  (*line).bottom += weighted * slope;
}

fn addRow(sums: ptr<function, Sums>, line: Sums, weight: i32) {
  (*sums).top += (line.top * weight) >> 4u;
  (*sums).bottom += (line.bottom * weight) >> 4u;
  (*sums).sure += line.sure;
}

fn moved(parts: u32, sums: Sums) -> u32 {
  let weight = (sums.bottom >> 7u) / 3;
  let change = select(0, sums.top / max(weight, 1), weight > 0);
  return u32(max(1, i32(parts) + clamp(change, -LONGEST, LONGEST)));
}
