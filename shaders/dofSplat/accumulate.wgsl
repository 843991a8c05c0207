// One workgroup makes one tile of 16 × 16 pixels, each lane one or more blocks of 2 × 2: it lays the tile's splats down
// front to back, 64 at a time, until every pixel is full.
//
// A splat covers a pixel by its weight and takes that much of the room left in the pixel, or the rest of it: patches of
// one surface lie beside each other, so coverage adds up, and what a full pixel hides never shows.
//
//   64 splats ──► for each of 8 columns and 8 rows of blocks ──► a block takes the splats of its column and its row,
//                 a bit for each splat that touches it           in order, and no others
//
// Selgrad, Franke, Stamminger 2016: Tiled Depth of Field Splatting.

// Invocations to a tile: a power of two from 4 to 64, few where a barrier is dear.
override LANES: u32 = 64u;
override STEPS = BLOCKS / LANES;

const TILE = 16u;
const BLOCKS = 64u; // of 2 × 2 pixels
const MOST_STEPS = 16u;
const CHUNK = 64u;
const WORDS = CHUNK / 32u; // a bit for each splat of a chunk
const NEAR = 0.03125;
// Who leaves less room than this in a pixel takes it all. A surface's weights add up to 1 only within 2%: no hole is left.
const CRUMB = 0.03;
// A pixel has a distance if it has no more room than this. Whole patches on whole pixels make exact halves, so not 0.5:
// rounding would decide.
const UNDRAWN = 0.51;

struct Film {
  background: vec3f, // linear light
  opaque: f32, // the coverage from which a pixel shows nothing of the background
}

struct Grid {
  size: vec2u, // of the picture, px
  tiles: vec2u, // columns and rows
  entries: u32, // room in the lists
  maxReach: f32, // px; no splat reaches farther
}

struct Splat {
  centre: vec2f,
  half: vec2f,
  soft: f32,
  peak: f32,
  tiles: u32,
  key: u32,
}

@group(0) @binding(0) var<uniform> film: Film;
@group(0) @binding(1) var<uniform> grid: Grid;
@group(0) @binding(2) var<storage, read> points: array<vec4u>; // place, colour
@group(0) @binding(3) var<storage, read> splats: array<Splat>;
@group(0) @binding(4) var<storage, read> starts: array<u32>;
@group(0) @binding(5) var<storage, read> list: array<vec2u>; // sorted; y is the point
@group(0) @binding(6) var<storage, read_write> counts: array<u32>;
@group(0) @binding(7) var color: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(8) var depth: texture_storage_2d<r32float, write>;

var<workgroup> fullBlocks: atomic<u32>;
var<workgroup> fullBefore: u32;
// A chunk in work: centre and reach of each splat; slopes of its edges, negative for a disc; linear colour and peak; its
// order of distance; the columns (bits 0 to 7) and rows (8 to 15) of blocks it touches. And turned about: for each
// column (0 to 7) and row (8 to 15) the splats that touch it.
var<workgroup> outlines: array<vec4f, CHUNK>;
var<workgroup> slopes: array<vec2f, CHUNK>;
var<workgroup> lights: array<vec4f, CHUNK>;
var<workgroup> keys: array<u32, CHUNK>;
var<workgroup> spans: array<vec4u, CHUNK / 4u>;
var<workgroup> touching: array<array<u32, 16>, WORDS>;

// The pixels of a block: left and right of the upper row, left and right of the lower.
struct Block {
  red: vec4f,
  green: vec4f,
  blue: vec4f,
  room: vec4f,
  key: vec4u, // of the splat that left no more room than UNDRAWN
}

// A lane's blocks: every LANES-th of the tile's, row by row.
var<private> blocks: array<Block, MOST_STEPS>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let tile = group.y * grid.tiles.x + group.x;
  if (lane == 0u) {
    atomicStore(&fullBlocks, 0u);
  }
  for (var step = 0u; step < STEPS; step++) {
    // Pixels past the picture's edge are full from the start.
    let corner = cornerOf(group.xy, step, lane);
    let past = vec4u(corner, corner + 1u) >= vec4u(grid.size, grid.size);
    blocks[step].room = select(vec4f(1.0), vec4f(0.0), past.xzxz | past.yyww);
  }
  // A list that had no room shows nothing.
  let last = select(starts[tile], starts[tile + 1u], starts[tile + 1u] <= grid.entries);
  lay(group.xy, starts[tile], last, lane);
  for (var step = 0u; step < STEPS; step++) {
    develop(blocks[step], cornerOf(group.xy, step, lane));
  }
  if (lane == 0u) {
    counts[tile] = 0u; // for the next frame
  }
}

fn cornerOf(tile: vec2u, step: u32, lane: u32) -> vec2u {
  let b = step * LANES + lane;
  return tile * TILE + 2u * vec2u(b % 8u, b / 8u);
}

// Lays a sorted list over the tile, as far as a pixel has room.
fn lay(tile: vec2u, first: u32, last: u32, lane: u32) {
  for (var at = first; at < last; at += CHUNK) {
    workgroupBarrier();
    if (lane == 0u) {
      fullBefore = atomicLoad(&fullBlocks);
    }
    for (var i = lane; i < CHUNK; i += LANES) {
      if (at + i < last) {
        stage(tile, i, list[at + i].y);
      } else {
        spans[i / 4u][i % 4u] = 0u;
      }
    }
    if (workgroupUniformLoad(&fullBefore) == BLOCKS) {
      return;
    }
    for (var i = lane; i < 16u * WORDS; i += LANES) {
      touching[i / 16u][i % 16u] = turned(i / 16u, i % 16u);
    }
    workgroupBarrier();
    for (var step = 0u; step < STEPS; step++) {
      if (any(blocks[step].room > vec4f(0.0))) {
        layChunk(tile, step, lane);
      }
    }
  }
}

fn stage(tile: vec2u, i: u32, index: u32) {
  let splat = splats[index];
  let reach = splat.half + abs(splat.soft);
  outlines[i] = vec4f(splat.centre, reach);
  slopes[i] = 0.5 * sign(splat.soft) / min(splat.half, vec2f(abs(splat.soft)));
  lights[i] = vec4f(linear(unpack4x8unorm(points[index].w).rgb), splat.peak);
  keys[i] = splat.key;
  let corner = vec2f(tile * TILE);
  let first = vec2u(clamp(ceil(splat.centre - reach) - corner, vec2f(0.0), vec2f(15.0))) / 2u;
  let last = vec2u(clamp(floor(splat.centre + reach) - corner, vec2f(0.0), vec2f(15.0))) / 2u;
  let span = (vec2u(2u) << last) - (vec2u(1u) << first);
  spans[i / 4u][i % 4u] = span.x | (span.y << 8u);
}

// A bit for each of 32 splats: whether it touches the column or row of blocks.
fn turned(word: u32, line: u32) -> u32 {
  var bits = vec4u(0u);
  for (var i = 0u; i < 8u; i++) {
    bits |= ((spans[8u * word + i] >> vec4u(line)) & vec4u(1u)) << vec4u(4u * i);
  }
  return bits.x | (bits.y << 1u) | (bits.z << 2u) | (bits.w << 3u);
}

fn layChunk(tile: vec2u, step: u32, lane: u32) {
  let corner = cornerOf(tile, step, lane);
  let x = vec2f(vec2u(corner.x, corner.x + 1u));
  let y = vec2f(vec2u(corner.y, corner.y + 1u));
  let place = (corner % TILE) / 2u;
  var it = blocks[step];
  for (var word = 0u; word < WORDS; word++) {
    var bits = touching[word][place.x] & touching[word][8u + place.y];
    while (bits != 0u) {
      let i = 32u * word + firstTrailingBit(bits);
      bits &= bits - 1u;
      let outline = outlines[i];
      let light = lights[i];
      let weight = light.w * weights(abs(x - outline.x), abs(y - outline.y), outline.zw, slopes[i]);
      let share = select(weight, it.room, it.room - weight < vec4f(CRUMB));
      let left = it.room - share;
      it.red += share * light.r;
      it.green += share * light.g;
      it.blue += share * light.b;
      let crosses = (it.room > vec4f(UNDRAWN)) & (left <= vec4f(UNDRAWN));
      if (any(crosses)) {
        it.key = select(it.key, vec4u(keys[i]), crosses);
      }
      it.room = left;
    }
  }
  blocks[step] = it;
  if (all(it.room == vec4f(0.0))) {
    atomicAdd(&fullBlocks, 1u);
  }
}

fn weights(dx: vec2f, dy: vec2f, reach: vec2f, slope: vec2f) -> vec4f {
  if (slope.x < 0.0) {
    return saturate((sqrt(dx.xyxy * dx.xyxy + dy.xxyy * dy.xxyy) - reach.x) * slope.x);
  }
  return saturate((reach.x - dx) * slope.x).xyxy * saturate((reach.y - dy) * slope.y).xxyy;
}

// Divides the light by the cover, lays it over the background and writes the pixels.
fn develop(it: Block, corner: vec2u) {
  for (var i = 0u; i < 4u; i++) {
    let at = corner + vec2u(i & 1u, i >> 1u);
    if (any(at >= grid.size)) {
      continue;
    }
    let cover = 1.0 - it.room[i];
    let light = vec3f(it.red[i], it.green[i], it.blue[i]) / max(cover, 1e-9);
    let shown = mix(film.background, light, min(cover / film.opaque, 1.0));
    textureStore(color, at, vec4f(encoded(shown), 1.0));
    let distance = bitcast<f32>((it.key[i] >> 5u) + bitcast<u32>(f32(NEAR)));
    textureStore(depth, at, vec4f(select(0.0, distance, it.room[i] <= UNDRAWN)));
  }
}

// sRGB, IEC 61966-2-1.
fn linear(c: vec3f) -> vec3f {
  return select(pow((c + 0.055) / 1.055, vec3f(2.4)), c / 12.92, c <= vec3f(0.04045));
}

fn encoded(c: vec3f) -> vec3f {
  return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, c * 12.92, c <= vec3f(0.0031308));
}
