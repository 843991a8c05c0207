// Second half of order.serial.wgsl: one invocation makes one list of several sorted windows of 32 a sorted list, in place.
//
// A bitonic merge of 2, 4, 8 … windows at a time: first they are compared end to end, then at half the distance each time, and at last
// each within itself. Every comparison is upwards, so a list need not have a power of two of them. One loop for all
// the steps, and a dispatch of their own for the lists that are so long: a loop's body runs once at least.

@group(0) @binding(0) var<storage, read> long: array<u32>; // tiles
@group(0) @binding(1) var<storage, read> longArgs: vec4u; // workgroups, 1, 1, tiles
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> ends: array<u32>;
@group(0) @binding(4) var<storage, read_write> list: array<vec4i>; // codes

const WINDOW = 8u; // vec4s
const MOST_TRIPS = 0x1000000u;

struct Window {
  a: vec4i, b: vec4i, c: vec4i, d: vec4i,
  e: vec4i, f: vec4i, g: vec4i, h: vec4i,
}

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let there = id.x < longArgs.w;
  let tile = long[select(0u, id.x, there)];
  let start = starts[tile];
  let first = start / 4u;
  let windows = select(0u, (ends[tile] - start + 31u) / 32u, there);
  var run = 2u;
  var step = 1u;
  var pair = 0u;
  for (var trip = 0u; trip < MOST_TRIPS; trip++) {
    let a = 2u * pair - (pair & (step - 1u));
    if (run >= 2u * windows) {
      break;
    }
    let flip = 2u * step == run;
    let b = select(a + step, a ^ (2u * step - 1u), flip);
    let paired = b < windows;
    let last = step == 1u;
    let x = windowAt(first + WINDOW * a);
    let y = turned(windowAt(first + WINDOW * select(a, b, paired)), flip);
    let low = Window(min(x.a, y.a), min(x.b, y.b), min(x.c, y.c), min(x.d, y.d), min(x.e, y.e), min(x.f, y.f), min(x.g, y.g), min(x.h, y.h));
    let high = Window(max(x.a, y.a), max(x.b, y.b), max(x.c, y.c), max(x.d, y.d), max(x.e, y.e), max(x.f, y.f), max(x.g, y.g), max(x.h, y.h));
    let kept = either(low, x, paired);
    put(first + WINDOW * a, either(merged(kept), kept, last));
    if (paired) {
      put(first + WINDOW * b, either(merged(high), turned(high, flip), last));
    }
    pair++;
    if (2u * pair - (pair & (step - 1u)) >= windows) {
      pair = 0u;
      run = select(run, 2u * run, last);
      step = select(step / 2u, run / 2u, last);
    }
  }
}

fn windowAt(at: u32) -> Window {
  return Window(list[at], list[at + 1u], list[at + 2u], list[at + 3u], list[at + 4u], list[at + 5u], list[at + 6u], list[at + 7u]);
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

// A window by rows that rises and falls, to one that rises.
fn merged(given: Window) -> Window {
  var a = given.a; var b = given.b; var c = given.c; var d = given.d;
  var e = given.e; var f = given.f; var g = given.g; var h = given.h;
  four(&a, &e); four(&b, &f); four(&c, &g); four(&d, &h);
  four(&a, &c); four(&b, &d); four(&e, &g); four(&f, &h);
  four(&a, &b); four(&c, &d); four(&e, &f); four(&g, &h);
  return Window(inRow(a), inRow(b), inRow(c), inRow(d), inRow(e), inRow(f), inRow(g), inRow(h));
}

fn inRow(v: vec4i) -> vec4i {
  let s = vec4i(min(v.xy, v.zw), max(v.xy, v.zw));
  return half(s);
}

fn half(v: vec4i) -> vec4i {
  let low = min(v.xz, v.yw);
  let high = max(v.xz, v.yw);
  return vec4i(low.x, high.x, low.y, high.y);
}

// From the last to the first, if `flip`.
fn turned(w: Window, flip: bool) -> Window {
  return either(Window(w.h.wzyx, w.g.wzyx, w.f.wzyx, w.e.wzyx, w.d.wzyx, w.c.wzyx, w.b.wzyx, w.a.wzyx), w, flip);
}

fn either(x: Window, y: Window, first: bool) -> Window {
  return Window(
    select(y.a, x.a, first), select(y.b, x.b, first), select(y.c, x.c, first), select(y.d, x.d, first),
    select(y.e, x.e, first), select(y.f, x.f, first), select(y.g, x.g, first), select(y.h, x.h, first),
  );
}
