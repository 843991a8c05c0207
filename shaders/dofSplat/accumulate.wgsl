// One workgroup makes one tile of 16 × 16 pixels, each of its 64 lanes a block of 2 × 2: it sorts the tile's splats by
// (distance, point) and lays them down front to back, until every pixel is full.
//
//   list ──► batch of the nearest, sorted in workgroup memory ──► 64 at a time ──► 4 pixels a lane
//    ▲                                                                                  │
//    └──────────── the next nearest, if the list is longer than CAPACITY ◄──────────────┘
//
// A splat covers a pixel by its weight and takes that much of the room left in the pixel, or the rest of it: patches of
// one surface lie beside each other, so coverage adds up, and what a full pixel hides never shows.
// Selgrad, Franke, Stamminger 2016: Tiled Depth of Field Splatting.

// Invocations to a tile, 64 at most: few where a barrier is dear.
override LANES: u32 = 64u;
// Splats sorted at a time: a power of two.
override CAPACITY: u32 = 1024u;
override STEPS = BLOCKS / LANES;

const TILE = 16u;
const BLOCKS = 64u; // of 2 × 2 pixels
const MOST_STEPS = 16u; // LANES is at least 4
const CHUNK = 64u;
const WORDS = CHUNK / 32u; // a bit for each splat of a chunk
const BINS = 256u;
const NEAR = 0.03125;
// Who leaves less room than this in a pixel takes it all. A surface's weights add up to 1 only within 2%: no hole is left.
const CRUMB = 0.03;
// A pixel has a distance if it has no more room than this. Whole patches on whole pixels make exact halves, so not 0.5:
// rounding would decide.
const UNDRAWN = 0.51;
const END = vec2u(0xffffffffu);
// The bits of (key.x, key.y) above the byte `level`, bytes counted from the top.
const ABOVE = array<vec2u, 8>(
  vec2u(0u, 0u), vec2u(0xff000000u, 0u), vec2u(0xffff0000u, 0u), vec2u(0xffffff00u, 0u),
  vec2u(0xffffffffu, 0u), vec2u(0xffffffffu, 0xff000000u), vec2u(0xffffffffu, 0xffff0000u), vec2u(0xffffffffu, 0xffffff00u),
);

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

struct Point {
  position: vec3f,
  colour: u32,
}

struct Splat {
  centre: vec2f,
  half: vec2f,
  soft: f32,
  peak: f32,
  tiles: u32,
  key: u32,
}

// Part of a list: `size` splats, all of those before `limit` that no earlier batch had.
struct Batch {
  limit: vec2u,
  size: u32,
  settled: u32,
}

@group(0) @binding(0) var<uniform> film: Film;
@group(0) @binding(1) var<storage, read> args: array<u32>;
@group(0) @binding(2) var<storage, read> splats: array<Splat>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read> list: array<u32>;
@group(0) @binding(5) var<storage, read_write> counts: array<u32>;
@group(0) @binding(6) var color: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(7) var depth: texture_storage_2d<r32float, write>;
@group(0) @binding(8) var<uniform> grid: Grid;
@group(0) @binding(9) var<storage, read> points: array<Point>;

var<workgroup> keys: array<vec2u, CAPACITY>; // distance, point
var<workgroup> bins: array<atomic<u32>, BINS>;
var<workgroup> batch: Batch;
var<workgroup> taken: atomic<u32>;
var<workgroup> fullBlocks: atomic<u32>;
var<workgroup> fullBefore: u32;
// A chunk in work: centre and reach of each splat; slopes of its edges, negative for a disc; linear colour and peak; the
// columns (bits 0 to 7) and rows (8 to 15) of blocks it touches. And turned about: for each column (0 to 7) and row (8 to
// 15) the splats that touch it.
var<workgroup> outlines: array<vec4f, CHUNK>;
var<workgroup> slopes: array<vec2f, CHUNK>;
var<workgroup> lights: array<vec4f, CHUNK>;
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
  let first = starts[tile];
  let last = starts[tile + 1u];
  if (lane == 0u) {
    atomicStore(&fullBlocks, 0u);
  }
  for (var step = 0u; step < STEPS; step++) {
    // Pixels past the picture's edge are full from the start.
    let corner = cornerOf(group.xy, step, lane);
    let past = vec4u(corner, corner + 1u) >= vec4u(grid.size, grid.size);
    blocks[step].room = select(vec4f(1.0), vec4f(0.0), past.xzxz | past.yyww);
  }
  if (last - first <= CAPACITY && last <= grid.entries) {
    for (var i = lane; i < last - first; i += LANES) {
      let splat = list[first + i];
      keys[i] = vec2u(splats[splat].key, splat);
    }
    sort(last - first, lane);
    lay(group.xy, last - first, lane);
  } else {
    var since = vec2u(0u);
    while (any(since != END)) {
      let next = choose(group.xy, first, last, since, lane);
      collect(group.xy, first, last, since, next.limit, lane);
      sort(next.size, lane);
      since = select(END, next.limit, lay(group.xy, next.size, lane));
    }
  }
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

// Lays `size` sorted splats over the tile. False if no pixel has room left.
fn lay(tile: vec2u, size: u32, lane: u32) -> bool {
  for (var at = 0u; at < size; at += CHUNK) {
    workgroupBarrier();
    if (lane == 0u) {
      fullBefore = atomicLoad(&fullBlocks);
    }
    for (var i = lane; i < CHUNK; i += LANES) {
      if (at + i < size) {
        stage(tile, i, keys[at + i].y);
      } else {
        spans[i / 4u][i % 4u] = 0u;
      }
    }
    if (workgroupUniformLoad(&fullBefore) == BLOCKS) {
      return false;
    }
    for (var i = lane; i < 16u * WORDS; i += LANES) {
      touching[i / 16u][i % 16u] = turned(i / 16u, i % 16u);
    }
    workgroupBarrier();
    for (var step = 0u; step < STEPS; step++) {
      if (any(blocks[step].room > vec4f(0.0))) {
        layChunk(tile, step, lane, at);
      }
    }
  }
  return true;
}

fn stage(tile: vec2u, i: u32, index: u32) {
  let splat = splats[index];
  let reach = splat.half + abs(splat.soft);
  outlines[i] = vec4f(splat.centre, reach);
  slopes[i] = 0.5 * sign(splat.soft) / min(splat.half, vec2f(abs(splat.soft)));
  lights[i] = vec4f(linear(unpack4x8unorm(points[index].colour).rgb), splat.peak);
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

fn layChunk(tile: vec2u, step: u32, lane: u32, at: u32) {
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
        it.key = select(it.key, vec4u(keys[at + i].x), crosses);
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

// Finds how far the next batch reaches: as far as whole bins of a histogram fit in, by the keys' first byte, and if
// that leaves the batch less than half full, by the next byte of the bin that did not fit, and so on. At the last byte
// a bin holds one splat. Reads the list once for each byte.
fn choose(tile: vec2u, first: u32, last: u32, since: vec2u, lane: u32) -> Batch {
  var limit = vec2u(0u);
  var size = 0u;
  for (var level = 0u; level < 8u; level++) {
    for (var bin = lane; bin < BINS; bin += LANES) {
      atomicStore(&bins[bin], 0u);
    }
    workgroupBarrier();
    let shift = 24u - 8u * (level % 4u);
    for (var i = lane; i < listLength(first, last); i += LANES) {
      let key = keyAt(tile, first, last, i);
      if (!before(key, since) && all(((key ^ limit) & ABOVE[level]) == vec2u(0u))) {
        atomicAdd(&bins[(select(key.x, key.y, level > 3u) >> shift) & 255u], 1u);
      }
    }
    workgroupBarrier();
    if (lane == 0u) {
      var bin = 0u;
      for (; bin < BINS; bin++) {
        let more = atomicLoad(&bins[bin]);
        if (size + more > CAPACITY) {
          break;
        }
        size += more;
      }
      limit |= select(vec2u(bin << shift, 0u), vec2u(0u, bin << shift), level > 3u);
      // All bins fit: only the first byte's can, and then this is the last batch.
      batch = Batch(select(limit, END, bin == BINS), size, u32(bin == BINS || size * 2u >= CAPACITY));
    }
    let found = workgroupUniformLoad(&batch);
    limit = found.limit;
    size = found.size;
    if (found.settled == 1u) {
      break;
    }
  }
  return Batch(limit, size, 1u);
}

fn collect(tile: vec2u, first: u32, last: u32, since: vec2u, limit: vec2u, lane: u32) {
  if (lane == 0u) {
    atomicStore(&taken, 0u);
  }
  workgroupBarrier();
  for (var i = lane; i < listLength(first, last); i += LANES) {
    let key = keyAt(tile, first, last, i);
    if (!before(key, since) && before(key, limit)) {
      keys[atomicAdd(&taken, 1u)] = key;
    }
  }
}

// A tile whose list had no room goes through every point there is: slow, and right.
fn listLength(first: u32, last: u32) -> u32 {
  return select(last - first, args[11], last > grid.entries);
}

// END for a splat that does not touch the tile.
fn keyAt(tile: vec2u, first: u32, last: u32, i: u32) -> vec2u {
  if (last <= grid.entries) {
    let splat = list[first + i];
    return vec2u(splats[splat].key, splat);
  }
  let range = (vec4u(splats[i].tiles) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(255u);
  let touches = all(range.xy <= tile) && all(tile <= range.zw);
  return select(END, vec2u(splats[i].key, i), touches);
}

fn before(a: vec2u, b: vec2u) -> bool {
  return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// Bitonic, every comparison upwards: a run's halves are compared end to end first, then at half the distance each time.
// So the keys past `size`, were they there, would be END and stay where they are: comparisons with them are left out.
fn sort(size: u32, lane: u32) {
  if (size < 2u) {
    return;
  }
  let pairs = 1u << (31u - countLeadingZeros(size - 1u));
  for (var run = 2u; run <= 2u * pairs; run <<= 1u) {
    for (var step = run >> 1u; step > 0u; step >>= 1u) {
      workgroupBarrier();
      for (var pair = lane; pair < pairs; pair += LANES) {
        let offset = pair & (step - 1u);
        let a = 2u * pair - offset;
        let b = select(a + step, a + run - 1u - 2u * offset, 2u * step == run);
        if (b < size) {
          let left = keys[a];
          let right = keys[b];
          if (before(right, left)) {
            keys[a] = right;
            keys[b] = left;
          }
        }
      }
    }
  }
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
