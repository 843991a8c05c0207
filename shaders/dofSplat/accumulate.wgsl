// #import "./srgb.wgsl"
// #import "./splats.wgsl"
// Kernel 5 (pipeline/README.md). An invocation: 2 × 2 pixels. A workgroup: one 16 × 16 tile, front to back with early out. It leaves:
// picture and distance.
// One workgroup renders one tile of 16 × 16 pixels; each lane has a block of 2 × 2. The workgroup composites the tile's splats front to
// back, a chunk at a time, until every pixel is full.
//
// A pixel has room for a coverage of 1. Each splat takes as much of the room as it covers of the pixel, or what room is left. Patches of
// one surface lie side by side, so their coverages add up; what lies behind a full pixel never shows.
//
//   a chunk ──► for each of 8 columns and 8 rows of blocks ──► a block takes the splats of its column and its row,
//               a bit for each splat that touches it           in order, and no others
// Selgrad, Franke, Stamminger 2016: Tiled Depth of Field Splatting.

// Blades of the aperture; with fewer than five it is round.
override BLADES: u32 = 0u;
override SECTOR = 6.2831853 / f32(max(BLADES, 5u));

const BLOCKS = 64u; // of 2 × 2 pixels, one per lane
const CHUNK = BLOCKS; // splats composited between two barriers, one per lane
const WORDS = CHUNK / 32u; // one bit per splat of a chunk
const NEARER = 0x3eu; // the alpha of a disc nearer than the focus, see patch.wgsl
// A splat that would leave less room than this in a pixel takes all of it: the weights of a surface add up to 1 only within 2 %, and no
// hole may remain.
const CRUMB = 0.03;
// A pixel with more room than this has no distance. Not 0.5, where whole patches end exactly and rounding would decide.
const UNDRAWN = 0.51;
// A pixel with more room than this has had no splat yet. A pixel without a distance is filled as its first splat requires.
const UNTOUCHED = 0.99;
// In focus `fill` counts only by this factor, since a sharp outline has pixels that really are covered in part.
const SHARP = 0.6;
// The smallest coverage that may count as a full pixel.
const OPAQUE = 0.000001;

struct Film {
  background: vec3f, // linear light
  fill: f32, // the share of a pixel that may be missing and still count as full, where the pixel is out of focus
  blur: f32, // px · m: four times the camera's, so that `fill` counts fully from a radius of a quarter of a pixel
  inverseFocus: f32,
}

@group(0) @binding(0) var<uniform> film: Film;
@group(0) @binding(1) var<uniform> grid: Grid;
@group(0) @binding(3) var<storage, read> splats: array<Splat>;
@group(0) @binding(4) var<storage, read> starts: array<u32>;
@group(0) @binding(5) var<storage, read> list: array<vec2u>; // sorted; y is the index of the point
@group(0) @binding(6) var<storage, read_write> counts: array<u32>;
@group(0) @binding(7) var color: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(8) var depth: texture_storage_2d<r32float, write>;

// A splat as the blocks use it.
struct Node {
  outline: vec4f, // centre, px; its reach along and across, in patches. For a disc: its reach, px, and its orientation (±1)
  axes: vec4f, // per px to the right and down: patches along (xy) and across (zw). For a disc: x is its edge's slope, < 0
  light: vec4f, // linear colour and peak
  key: u32, // order of distance
}

var<workgroup> fullBlocks: atomic<u32>;
var<workgroup> fullBefore: u32;
// The current chunk. `spans` has, for each splat, the columns (bits 0 to 7) and rows (8 to 15) of blocks that it touches; `touching` is its
// transpose: for each column (0 to 7) and row (8 to 15), the splats that touch it.
var<workgroup> outlines: array<vec4f, CHUNK>;
var<workgroup> axes: array<vec4f, CHUNK>;
var<workgroup> lights: array<vec4f, CHUNK>;
var<workgroup> keys: array<u32, CHUNK>;
var<workgroup> spans: array<u32, CHUNK>;
var<workgroup> touching: array<u32, 16u * WORDS>;

// The four pixels of a block: upper left, upper right, lower left, lower right.
struct Block {
  red: vec4f,
  green: vec4f,
  blue: vec4f,
  room: vec4f,
  key: vec4u, // of the splat that left no more room than UNDRAWN; until then of the first splat
}

@compute @workgroup_size(BLOCKS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let tile = group.y * grid.tiles.x + group.x;
  let place = vec2u(lane % 8u, lane / 8u);
  let corner = group.xy * TILE + 2u * place;
  // Pixels beyond the picture's edge are full from the start.
  let past = vec4u(corner, corner + 1u) >= vec4u(grid.size, grid.size);
  var it = Block();
  it.room = select(vec4f(1.0), vec4f(0.0), past.xzxz | past.yyww);
  // A tile whose list had no room shows nothing.
  let first = starts[tile];
  let last = select(first, starts[tile + 1u], starts[tile + 1u] <= grid.entries);
  var next = splatAt(first + lane, last);
  for (var at = first; at < last; at += CHUNK) {
    workgroupBarrier();
    if (lane == 0u) { fullBefore = atomicLoad(&fullBlocks); }
    if (at + lane < last) { stage(group.xy, lane, nodeOf(next)); } else { spans[lane] = 0u; }
    if (workgroupUniformLoad(&fullBefore) == BLOCKS) { break; }
    // The loads of the next chunk overlap with compositing this one.
    next = splatAt(at + CHUNK + lane, last);
    for (var i = lane; i < 16u * WORDS; i += BLOCKS) { touching[i] = turned(i / 16u, i % 16u); }
    workgroupBarrier();
    if (any(it.room > vec4f(0.0))) {
      layChunk(&it, place, corner);
      if (all(it.room == vec4f(0.0))) { atomicAdd(&fullBlocks, 1u); }
    }
  }
  develop(it, corner);
  if (lane == 0u) { counts[tile] = 0u; } // for the next frame
}

fn splatAt(at: u32, last: u32) -> Splat {
  if (at >= last) { return Splat(); }
  return splats[list[at].y];
}

fn nodeOf(splat: Splat) -> Node {
  if (splat.soft < 0.0) { // a disc
    let q = -splat.soft;
    let w = splat.along.x;
    let colour = bitcast<u32>(splat.along.y);
    let turned = select(1.0, -1.0, (colour >> 24u) == NEARER); // the lens turns the aperture's image upside down
    let light = vec4f(linear(unpack4x8unorm(colour).rgb), splat.across);
    return Node(vec4f(splat.centre, w + q, turned), vec4f(-0.5 / min(w, q), 0.0, 0.0, 0.0), light, splat.key);
  }
  let perPatch = vec2f(length(splat.along), 1.0 / splat.across);
  let soft = max(splat.soft * perPatch, vec2f(0.5));
  let acrossIt = vec2f(-splat.along.y, splat.along.x) * (perPatch.y / perPatch.x);
  let light = vec4f(linear(unpack4x8unorm(splat.colour).rgb), 0.25 / (soft.x * soft.y));
  return Node(vec4f(splat.centre, soft + 0.5), vec4f(splat.along, acrossIt), light, splat.key);
}

fn stage(tile: vec2u, i: u32, node: Node) {
  outlines[i] = node.outline;
  axes[i] = node.axes;
  lights[i] = node.light;
  keys[i] = node.key;
  let centre = node.outline.xy - vec2f(tile * TILE);
  let reach = reachOf(node);
  let first = vec2u(clamp(ceil(centre - reach), vec2f(0.0), vec2f(15.0))) / 2u;
  let last = vec2u(clamp(floor(centre + reach), vec2f(0.0), vec2f(15.0))) / 2u;
  let span = (vec2u(2u) << last) - (vec2u(1u) << first);
  spans[i] = span.x | (span.y << 8u);
}

// The splat's extent, in px to the right and down.
fn reachOf(node: Node) -> vec2f {
  if (node.axes.x < 0.0) { return node.outline.zz; }
  let far = node.outline.zw / vec2f(dot(node.axes.xy, node.axes.xy), dot(node.axes.zw, node.axes.zw));
  return abs(node.axes.xy) * far.x + abs(node.axes.zw) * far.y;
}

// One bit for each of 32 splats: whether it touches the given column or row of blocks.
fn turned(word: u32, line: u32) -> u32 {
  var bits = vec4u(0u);
  for (var i = 0u; i < 8u; i++) {
    let at = 32u * word + 4u * i;
    let four = vec4u(spans[at], spans[at + 1u], spans[at + 2u], spans[at + 3u]);
    bits |= ((four >> vec4u(line)) & vec4u(1u)) << vec4u(4u * i);
  }
  return bits.x | (bits.y << 1u) | (bits.z << 2u) | (bits.w << 3u);
}

// Composites those splats of a chunk that touch the block.
fn layChunk(it: ptr<function, Block>, place: vec2u, corner: vec2u) {
  let columns = vec2f(vec2u(corner.x, corner.x + 1u));
  let rows = vec2f(vec2u(corner.y, corner.y + 1u));
  // One loop over all words, so that the lanes wait for the busiest of a chunk, not of each word.
  var bits = 0u;
  var word = 0u; // the word behind the one that `bits` came from
  loop {
    for (; bits == 0u && word < WORDS; word++) { bits = touching[16u * word + place.x] & touching[16u * word + 8u + place.y]; }
    if (bits == 0u) { break; }
    let i = 32u * (word - 1u) + firstTrailingBit(bits);
    add(it, Node(outlines[i], axes[i], lights[i], keys[i]), columns, rows);
    bits &= bits - 1u;
  }
}

// Adds a splat: it takes its weight of the room in each pixel, or the rest of the room.
fn add(it: ptr<function, Block>, node: Node, columns: vec2f, rows: vec2f) {
  let dx = columns - node.outline.x;
  let dy = rows - node.outline.y;
  let room = (*it).room;
  let left = room - node.light.w * weights(dx, dy, node.outline.zw, node.axes);
  let after = select(left, vec4f(0.0), left < vec4f(CRUMB));
  let share = room - after;
  (*it).red += share * node.light.r;
  (*it).green += share * node.light.g;
  (*it).blue += share * node.light.b;
  // The key of the first splat, then that of the splat that leaves no more room than UNDRAWN.
  let most = select(max(after, vec4f(UNTOUCHED)), vec4f(UNDRAWN), after <= vec4f(UNDRAWN));
  (*it).key = select((*it).key, vec4u(node.key), room > most);
  (*it).room = after;
}

// The share of each pixel that a splat covers, by the pixels' columns and rows from its centre.
fn weights(dx: vec2f, dy: vec2f, reach: vec2f, axes: vec4f) -> vec4f {
  if (axes.x < 0.0) {
    return saturate((radius(abs(dx), dy, reach.y) - reach.x) * axes.x);
  }
  let along = abs((dx * axes.x).xyxy + dy.xxyy * axes.y);
  let across = abs((dx * axes.z).xyxy + dy.xxyy * axes.w);
  return saturate(reach.x - along) * saturate(reach.y - across);
}

// The radius of the aperture's outline through a place, measured to a corner; one corner points up. `x` must not be negative, so half of
// the edges suffice.
fn radius(x: vec2f, y: vec2f, turn: f32) -> vec4f {
  if (BLADES < 5u) { return sqrt((x * x).xyxy + y.xxyy * y.xxyy); }
  var edge = vec2f(sin(0.5 * SECTOR), -cos(0.5 * SECTOR));
  var most = vec4f(0.0);
  for (var i = 0u; i < (BLADES + 1u) / 2u; i++) {
    most = max(most, (x * edge.x).xyxy + y.xxyy * (turn * edge.y));
    edge = mat2x2f(cos(SECTOR), sin(SECTOR), -sin(SECTOR), cos(SECTOR)) * edge;
  }
  return most / cos(0.5 * SECTOR);
}

// Divides the light by the coverage, composites it over the background and writes the pixels.
fn develop(it: Block, corner: vec2u) {
  for (var i = 0u; i < 4u; i++) {
    let at = corner + vec2u(i & 1u, i >> 1u);
    if (any(at >= grid.size)) {
      continue;
    }
    let cover = 1.0 - it.room[i];
    let light = vec3f(it.red[i], it.green[i], it.blue[i]) / max(cover, 1e-9);
    let distance = bitcast<f32>((it.key[i] >> 5u) + bitcast<u32>(f32(NEAR)));
    let soft = min(film.blur * abs(film.inverseFocus - 1.0 / distance), 1.0);
    let opaque = max(1.0 - film.fill * mix(SHARP, 1.0, soft), OPAQUE);
    let shown = min(cover / opaque, 1.0);
    textureStore(color, at, vec4f(encoded(mix(film.background, light, shown)), 1.0));
    textureStore(depth, at, vec4f(select(0.0, distance, it.room[i] <= UNDRAWN)));
  }
}
