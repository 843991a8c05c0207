// order.wgsl for a CPU that plays a GPU: one invocation sorts one tile's list by (distance, point), 32 entries at a time, all
// of them in registers: there a comparison costs a tenth of a word loaded, and no loop.
//
// The codes are those of order.wgsl. A list begins at a whole window, and what is behind its end sorts last.
//
//   window   8 vec4: four columns of 8, each sorted by a network of 19 comparisons, then two and two are merged
//
// Lists longer than a window go on to merge.serial.wgsl.

struct Grid {
  size: vec2u, // of the picture, px
  tiles: vec2u, // columns and rows
  entries: u32, // room in the lists
  maxReach: f32, // px; no splat reaches farther
}

@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> ends: array<u32>;
@group(0) @binding(3) var<storage, read> splats: array<vec4u>; // two each, the last word is the distance
@group(0) @binding(4) var<storage, read_write> list: array<vec4i>; // points; sorted: codes
@group(0) @binding(5) var<storage, read_write> bases: array<vec2u>; // by tile: its first point, and which bits of a code tell how far behind

const WINDOW = 8u; // vec4s
const NONE = 0x7fffffff;
const NO_ROOM = 0x80000000u;
const MOST_TRIPS = 0x1000000u;

// How a tile makes its codes: of a distance less the least the bits `kept`, times `scale`, and the point less the first. The
// bits of a point fit below.
struct Codes {
  base: vec2u,
  kept: u32,
  scale: u32,
  points: u32, // the bits of a code that are the point's
}

struct Window {
  a: vec4i, b: vec4i, c: vec4i, d: vec4i,
  e: vec4i, f: vec4i, g: vec4i, h: vec4i,
}

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let tile = id.x;
  let tiles = grid.tiles.x * grid.tiles.y;
  let start = starts[min(tile, tiles - 1u)];
  let there = (tile < tiles) & (start < NO_ROOM);
  let size = select(0u, ends[min(tile, tiles - 1u)] - start, there);
  let first = start / 4u;
  let codes = measure(first, size);
  let windows = (size + 31u) / 32u;
  for (var w = 0u; w < MOST_TRIPS; w++) {
    if (w >= windows) {
      break;
    }
    put(first + WINDOW * w, sorted(coded(first + WINDOW * w, size - 32u * w, codes)));
  }
  if (tile < tiles) {
    bases[tile] = vec2u(codes.base.y, codes.points);
  }
}

fn distanceOf(point: i32) -> u32 {
  return splats[2u * u32(point) + 1u].w;
}

fn distancesOf(points: vec4i) -> vec4u {
  return vec4u(distanceOf(points.x), distanceOf(points.y), distanceOf(points.z), distanceOf(points.w));
}

// The range of the tile's distances (as bits) and points.
fn measure(first: u32, size: u32) -> Codes {
  var low = vec2i(NONE);
  var high = vec2i(0);
  for (var k = 0u; k < MOST_TRIPS; k++) {
    if (4u * k >= size) {
      break;
    }
    let points = list[first + k];
    // Behind the end the first entry counts again.
    let here = vec4u(4u * k) + vec4u(0u, 1u, 2u, 3u) < vec4u(size);
    let p = select(points.xxxx, points, here);
    let d = vec4i(distancesOf(p));
    low = min(low, vec2i(min(min(d.x, d.y), min(d.z, d.w)), min(min(p.x, p.y), min(p.z, p.w))));
    high = max(high, vec2i(max(max(d.x, d.y), max(d.z, d.w)), max(max(p.x, p.y), max(p.z, p.w))));
  }
  let bits = vec2u(32u) - countLeadingZeros(vec2u(max(high - low, vec2i(0))));
  let dropped = max(bits.x + bits.y, 31u) - 31u;
  return Codes(vec2u(low), ~((1u << dropped) - 1u), 1u << (bits.y - dropped), (1u << bits.y) - 1u);
}

fn code4(points: vec4i, left: u32, place: u32, codes: Codes) -> vec4i {
  let here = vec4u(place) + vec4u(0u, 1u, 2u, 3u) < vec4u(left);
  let p = select(vec4i(i32(codes.base.y)), points, here);
  let distances = (distancesOf(p) - codes.base.x) & vec4u(codes.kept);
  return select(vec4i(NONE), vec4i(distances * codes.scale + (vec4u(p) - codes.base.y)), here);
}

fn coded(at: u32, left: u32, codes: Codes) -> Window {
  return Window(
    code4(list[at], left, 0u, codes), code4(list[at + 1u], left, 4u, codes),
    code4(list[at + 2u], left, 8u, codes), code4(list[at + 3u], left, 12u, codes),
    code4(list[at + 4u], left, 16u, codes), code4(list[at + 5u], left, 20u, codes),
    code4(list[at + 6u], left, 24u, codes), code4(list[at + 7u], left, 28u, codes),
  );
}

fn put(at: u32, w: Window) {
  list[at] = w.a;
  list[at + 1u] = w.b;
  list[at + 2u] = w.c;
  list[at + 3u] = w.d;
  list[at + 4u] = w.e;
  list[at + 5u] = w.f;
  list[at + 6u] = w.g;
  list[at + 7u] = w.h;
}

// Puts the smaller of each two in front.
fn four(x: ptr<function, vec4i>, y: ptr<function, vec4i>) {
  let low = min(*x, *y);
  *y = max(*x, *y);
  *x = low;
}

fn sorted(given: Window) -> Window {
  var a = given.a; var b = given.b; var c = given.c; var d = given.d;
  var e = given.e; var f = given.f; var g = given.g; var h = given.h;
  // Each column: Batcher's network for eight.
  four(&a, &b); four(&c, &d); four(&e, &f); four(&g, &h);
  four(&a, &c); four(&b, &d); four(&e, &g); four(&f, &h);
  four(&b, &c); four(&f, &g); four(&a, &e); four(&d, &h);
  four(&b, &f); four(&c, &g);
  four(&b, &e); four(&d, &g);
  four(&c, &e); four(&d, &f);
  four(&d, &e);
  // Columns x and y, and z and w, end to end; then xy and zw.
  var w = ends2(Window(a, b, c, d, e, f, g, h));
  w = down(w);
  w = ends4(w);
  w = halves(w);
  w = down(w);
  // Columns to rows.
  return Window(
    vec4i(w.a.x, w.b.x, w.c.x, w.d.x), vec4i(w.e.x, w.f.x, w.g.x, w.h.x),
    vec4i(w.a.y, w.b.y, w.c.y, w.d.y), vec4i(w.e.y, w.f.y, w.g.y, w.h.y),
    vec4i(w.a.z, w.b.z, w.c.z, w.d.z), vec4i(w.e.z, w.f.z, w.g.z, w.h.z),
    vec4i(w.a.w, w.b.w, w.c.w, w.d.w), vec4i(w.e.w, w.f.w, w.g.w, w.h.w),
  );
}

// Compares the columns x and z of one vec4 with y and w of another.
fn two(x: vec4i, y: vec4i) -> vec4i {
  return vec4i(min(x.xz, y.yw), max(x.xz, y.yw)); // the low ones for x, the high ones for y
}

fn ends2(w: Window) -> Window {
  let ah = two(w.a, w.h);
  let bg = two(w.b, w.g);
  let cf = two(w.c, w.f);
  let de = two(w.d, w.e);
  let ed = two(w.e, w.d);
  let fc = two(w.f, w.c);
  let gb = two(w.g, w.b);
  let ha = two(w.h, w.a);
  // What was compared upwards of a column stays where its lower one was.
  return Window(
    vec4i(ah.x, ha.z, ah.y, ha.w), vec4i(bg.x, gb.z, bg.y, gb.w),
    vec4i(cf.x, fc.z, cf.y, fc.w), vec4i(de.x, ed.z, de.y, ed.w),
    vec4i(ed.x, de.z, ed.y, de.w), vec4i(fc.x, cf.z, fc.y, cf.w),
    vec4i(gb.x, bg.z, gb.y, bg.w), vec4i(ha.x, ah.z, ha.y, ah.w),
  );
}

// The columns x and y of one vec4 with w and z of another.
fn ends4(w: Window) -> Window {
  let a = min(w.a.xy, w.h.wz); let h = max(w.a.xy, w.h.wz);
  let b = min(w.b.xy, w.g.wz); let g = max(w.b.xy, w.g.wz);
  let c = min(w.c.xy, w.f.wz); let f = max(w.c.xy, w.f.wz);
  let d = min(w.d.xy, w.e.wz); let e = max(w.d.xy, w.e.wz);
  let i = min(w.e.xy, w.d.wz); let p = max(w.e.xy, w.d.wz);
  let j = min(w.f.xy, w.c.wz); let o = max(w.f.xy, w.c.wz);
  let k = min(w.g.xy, w.b.wz); let n = max(w.g.xy, w.b.wz);
  let l = min(w.h.xy, w.a.wz); let m = max(w.h.xy, w.a.wz);
  return Window(
    vec4i(a, m.yx), vec4i(b, n.yx), vec4i(c, o.yx), vec4i(d, p.yx), vec4i(i, e.yx), vec4i(j, f.yx), vec4i(k, g.yx), vec4i(l, h.yx),
  );
}

fn half(v: vec4i) -> vec4i {
  let low = min(v.xz, v.yw);
  let high = max(v.xz, v.yw);
  return vec4i(low.x, high.x, low.y, high.y);
}

fn halves(w: Window) -> Window {
  return Window(half(w.a), half(w.b), half(w.c), half(w.d), half(w.e), half(w.f), half(w.g), half(w.h));
}

// Columns that rise and fall, to columns that rise.
fn down(given: Window) -> Window {
  var a = given.a; var b = given.b; var c = given.c; var d = given.d;
  var e = given.e; var f = given.f; var g = given.g; var h = given.h;
  four(&a, &e); four(&b, &f); four(&c, &g); four(&d, &h);
  four(&a, &c); four(&b, &d); four(&e, &g); four(&f, &h);
  four(&a, &b); four(&c, &d); four(&e, &f); four(&g, &h);
  return Window(a, b, c, d, e, f, g, h);
}
