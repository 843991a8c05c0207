// accumulate.wgsl for a CPU that plays a GPU: one invocation makes one tile, 8 px wide and 4 px high, all of whose pixels
// it has in registers. How a splat is laid over a pixel is told there.
//
// Such a CPU charges for a word loaded as much as for thirty operations. So nobody asks which pixels a splat touches: it is
// loaded once, and laid over all of them. Boxes are the product of a row and a column of weights; a list has discs at its near
// and at its far end and boxes between them, so each kind has a loop of its own:
//
//   list   d d d b b b b b b b b b b d d        near ──► far
//          └ one by one ┘└ by fours ┘└ one by one
//
// By fours, because after a trip of a loop every pixel is put away by a mask, for lanes that may have left it: that costs as
// much as laying down a splat.

// Of the aperture; fewer than five: it is round.
override BLADES: u32 = 0u;
override SECTOR = 6.2831853 / f32(max(BLADES, 5u));

const CRUMB = 0.03;
const UNDRAWN = 0.51;
const NO_ROOM = 0x80000000u;
const MOST_TRIPS = 0x1000000u;

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

@group(0) @binding(0) var<uniform> film: Film;
@group(0) @binding(1) var<uniform> grid: Grid;
@group(0) @binding(2) var<storage, read> splats: array<vec4u>; // two each, see project.serial.wgsl
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read> ends: array<u32>;
@group(0) @binding(5) var<storage, read> list: array<vec4i>; // codes, sorted
@group(0) @binding(6) var<storage, read> bases: array<vec2u>; // of the codes
@group(0) @binding(7) var color: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(8) var depth: texture_storage_2d<r32float, write>;

// A splat, its outline from the tile's first pixel on.
struct Node {
  centre: vec2f,
  reach: vec2f,
  slope: vec2f, // of its edges
  peak: f32,
  turned: f32, // −1: the aperture is upside down
  light: vec3f,
  distance: f32,
  isDisc: bool,
}

// Four pixels side by side.
struct Pixels {
  red: vec4f,
  green: vec4f,
  blue: vec4f,
  room: vec4f,
  distance: vec4f, // of the splat that left no more room than UNDRAWN
}

struct Tile {
  a: Pixels, b: Pixels, // the first row
  c: Pixels, d: Pixels,
  e: Pixels, f: Pixels,
  g: Pixels, h: Pixels,
}

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let tile = min(id.x, grid.tiles.x * grid.tiles.y - 1u);
  let start = starts[tile];
  let end = select(ends[tile], start, start == NO_ROOM);
  let codes = bases[tile];
  let corner = vec2u(tile % grid.tiles.x, tile / grid.tiles.x) * vec2u(8u, 4u);
  let origin = vec2f(corner);
  var t = Tile();
  t.a.room = vec4f(1.0); t.b.room = vec4f(1.0);
  t.c.room = vec4f(1.0); t.d.room = vec4f(1.0);
  t.e.room = vec4f(1.0); t.f.room = vec4f(1.0);
  t.g.room = vec4f(1.0); t.h.room = vec4f(1.0);
  var at = start;
  for (var turn = 0u; turn < MOST_TRIPS; turn++) {
    for (var trip = 0u; trip < MOST_TRIPS; trip++) {
      let four = list[min(at, end) / 4u];
      let first = nodeAt(four.x, at < end, codes, origin);
      let second = nodeAt(four.y, at + 1u < end, codes, origin);
      let third = nodeAt(four.z, at + 2u < end, codes, origin);
      let fourth = nodeAt(four.w, at + 3u < end, codes, origin);
      if ((at >= end) | first.isDisc | second.isDisc | third.isDisc | fourth.isDisc) {
        break;
      }
      layBox(&t, first);
      layBox(&t, second);
      layBox(&t, third);
      layBox(&t, fourth);
      at = select(at + 4u, end, isFull(t));
    }
    for (var trip = 0u; trip < MOST_TRIPS; trip++) {
      let four = list[min(at, end) / 4u];
      let node = nodeAt(select(select(four.x, four.y, at % 4u == 1u), select(four.z, four.w, at % 4u == 3u), at % 4u > 1u), at < end, codes, origin);
      if ((at >= end) | ((trip > 0u) & (at % 4u == 0u) & !node.isDisc)) {
        break;
      }
      layAny(&t, node);
      at = select(at + 1u, end, isFull(t));
    }
    if (at >= end) {
      break;
    }
  }
  let background = film;
  var rows = array<Pixels, 8>(t.a, t.c, t.e, t.g, t.b, t.d, t.f, t.h);
  for (var q = 0u; q < 8u; q++) {
    develop(rows[q], corner + vec2u(q & 4u, q & 3u), background);
  }
}

fn nodeAt(code: i32, there: bool, codes: vec2u, origin: vec2f) -> Node {
  let point = codes.x + (u32(code) & codes.y);
  let place = bitcast<vec4f>(splats[2u * point]);
  let rest = splats[2u * point + 1u];
  let soft = bitcast<f32>(rest.x);
  let half = abs(place.zw);
  let q = abs(soft);
  let steep = bitcast<vec2f>(min(bitcast<vec2i>(half), vec2i(bitcast<i32>(q))));
  // Square roots of light, 11, 11 and 10 bits. A high one is converted where it is: a shift costs more than that.
  let red = f32(i32(rest.z & 0x7ffu)) * (1.0 / 2047.0);
  let green = f32(i32(rest.z & 0x3ff800u)) * (1.0 / (2047.0 * 2048.0));
  let blue = f32(rest.z & 0xffc00000u) * (1.0 / (1023.0 * 4194304.0));
  return Node(
    place.xy - origin, half + q, 0.5 / steep, select(0.0, bitcast<f32>(rest.y), there), sign(place.w),
    vec3f(red * red, green * green, blue * blue), bitcast<f32>(rest.w), there & (soft < 0.0),
  );
}

// Whether no pixel has room for what comes behind: 0 has no bits.
fn isFull(t: Tile) -> bool {
  let left = bitcast<vec4u>(t.a.room) | bitcast<vec4u>(t.c.room) | bitcast<vec4u>(t.e.room) | bitcast<vec4u>(t.g.room);
  let right = bitcast<vec4u>(t.b.room) | bitcast<vec4u>(t.d.room) | bitcast<vec4u>(t.f.room) | bitcast<vec4u>(t.h.room);
  let both = left | right;
  return (both.x | both.y | both.z | both.w) == 0u;
}

fn layBox(t: ptr<function, Tile>, node: Node) {
  let columns = vec4f(0.0, 1.0, 2.0, 3.0);
  let left = saturated((node.reach.x - abs(columns - node.centre.x)) * node.slope.x);
  let y = node.peak * saturated((node.reach.y - abs(columns - node.centre.y)) * node.slope.y);
  lay(&(*t).a, left * y.x, node);
  lay(&(*t).c, left * y.y, node);
  lay(&(*t).e, left * y.z, node);
  lay(&(*t).g, left * y.w, node);
  let right = saturated((node.reach.x - abs(columns + 4.0 - node.centre.x)) * node.slope.x);
  lay(&(*t).b, right * y.x, node);
  lay(&(*t).d, right * y.y, node);
  lay(&(*t).f, right * y.z, node);
  lay(&(*t).h, right * y.w, node);
}

fn layAny(t: ptr<function, Tile>, node: Node) {
  let columns = vec4f(0.0, 1.0, 2.0, 3.0);
  let left = abs(columns - node.centre.x);
  let y = columns - node.centre.y;
  lay(&(*t).a, weights(left, y.x, node), node);
  lay(&(*t).c, weights(left, y.y, node), node);
  lay(&(*t).e, weights(left, y.z, node), node);
  lay(&(*t).g, weights(left, y.w, node), node);
  let right = abs(columns + 4.0 - node.centre.x);
  lay(&(*t).b, weights(right, y.x, node), node);
  lay(&(*t).d, weights(right, y.y, node), node);
  lay(&(*t).f, weights(right, y.z, node), node);
  lay(&(*t).h, weights(right, y.w, node), node);
}

// From 0 to 1. The bits of floats that are not negative are in their order, and whole numbers are compared in a third of the time.
fn saturated(x: vec4f) -> vec4f {
  return bitcast<vec4f>(clamp(bitcast<vec4i>(x), vec4i(0), vec4i(0x3f800000)));
}

fn weights(x: vec4f, y: f32, node: Node) -> vec4f {
  let box = saturated((node.reach.x - x) * node.slope.x) * saturated(vec4f((node.reach.y - abs(y)) * node.slope.y));
  let disc = saturated((node.reach.x - radius(x, y, node.turned)) * node.slope.x);
  return node.peak * select(box, disc, node.isDisc);
}

// Of the aperture's outline through a place: of its corners, one of which is up. `x` is not negative: half of the edges do.
fn radius(x: vec4f, y: f32, turned: f32) -> vec4f {
  if (BLADES < 5u) { return sqrt(x * x + y * y); }
  var edge = vec2f(sin(0.5 * SECTOR), -cos(0.5 * SECTOR));
  var most = vec4f(0.0);
  for (var i = 0u; i < (BLADES + 1u) / 2u; i++) {
    most = max(most, x * edge.x + y * (turned * edge.y));
    edge = mat2x2f(cos(SECTOR), sin(SECTOR), -sin(SECTOR), cos(SECTOR)) * edge;
  }
  return most / cos(0.5 * SECTOR);
}

// A splat takes its weight of the room in each pixel, or the rest of it.
fn lay(it: ptr<function, Pixels>, weight: vec4f, node: Node) {
  let room = (*it).room;
  let left = room - weight;
  let after = select(left, vec4f(0.0), left < vec4f(CRUMB));
  let share = room - after;
  (*it).red += share * node.light.r;
  (*it).green += share * node.light.g;
  (*it).blue += share * node.light.b;
  // The last to find more room than UNDRAWN is who left less: what comes after it does not change this.
  (*it).distance = select((*it).distance, vec4f(node.distance), room > vec4f(UNDRAWN));
  (*it).room = after;
}

// Divides the light by the cover, lays it over the background and writes the pixels.
fn develop(it: Pixels, corner: vec2u, film: Film) {
  let cover = 1.0 - it.room;
  let shown = saturated(cover / film.opaque);
  let gain = shown / max(cover, vec4f(1e-9));
  let red = encoded(it.red * gain + film.background.r * (1.0 - shown));
  let green = encoded(it.green * gain + film.background.g * (1.0 - shown));
  let blue = encoded(it.blue * gain + film.background.b * (1.0 - shown));
  let distance = select(vec4f(0.0), it.distance, it.room <= vec4f(UNDRAWN));
  // What is past the picture's edge is not written.
  textureStore(color, corner, vec4f(red.x, green.x, blue.x, 1.0));
  textureStore(color, corner + vec2u(1u, 0u), vec4f(red.y, green.y, blue.y, 1.0));
  textureStore(color, corner + vec2u(2u, 0u), vec4f(red.z, green.z, blue.z, 1.0));
  textureStore(color, corner + vec2u(3u, 0u), vec4f(red.w, green.w, blue.w, 1.0));
  textureStore(depth, corner, vec4f(distance.x));
  textureStore(depth, corner + vec2u(1u, 0u), vec4f(distance.y));
  textureStore(depth, corner + vec2u(2u, 0u), vec4f(distance.z));
  textureStore(depth, corner + vec2u(3u, 0u), vec4f(distance.w));
}

// Linear light to sRGB, IEC 61966-2-1; the polynomial in c^¼ is off by 0.01 steps of 255.
fn encoded(c: vec4f) -> vec4f {
  let t = sqrt(sqrt(c));
  let curved = (((0.08132171 * t - 0.33546824) * t + 1.12264005) * t + 0.19615588) * t - 0.06461471;
  return select(curved, c * 12.92, c <= vec4f(0.0031308));
}
