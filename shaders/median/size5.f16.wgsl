// Median 5×5 as in size5.wgsl, two pixels at a time as f16: size3.f16.wgsl tells how depths become f16, why that is exact, how
// eight pixels lie in even and odd, and what happens to depths over 30719.
//
// The columns 0, 1, 2, 3 of a half are even.x, odd.x, even.y, odd.y; sides holds two more at either end:
//
//    half   columns                              P of the two lanes        Q
//    low    -2 -1 | 0 1 2 3 | 4 5                (-1 0)  (1 2)             (1 2)  (3 4)
//    high    2  3 | 4 5 6 7 | 8 9                ( 3 4)  (5 6)             (5 6)  (7 8)
//            sides.x y     sides.x y
enable f16;
override ROW_VECTORS: u32;
override HEIGHT: u32;
override WORKGROUP_X: u32 = 32u;
override WORKGROUP_Y: u32 = 4u;

const BIAS = 0x04000400u;
const ONES = 0x00010001u;
const ALL = vec2u(0x7bff7bffu);
const RISE = 0x77ffu; // from 0 to 30719, of a half

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> filtered: array<vec4u>;

// Four pixels with bias; bit 0 of each half of `valid` tells whether there is one, the others are BIAS.
struct Value { v: vec2u, valid: vec2u }
// Eight pixels of a row and its neighbours: sides is (x + 8, x - 2) and (x + 9, x - 1). `all` has the bits of all of them.
struct Row { even: Value, odd: Value, sides: Value, all: u32 }
// Sorted lists; bit 0 of a half of parity is set where the list holds an odd number of zeros, turned ones included.
struct Four { a: vec2u, b: vec2u, c: vec2u, d: vec2u, parity: vec2u }
struct Column { a: vec2u, b: vec2u, c: vec2u, d: vec2u, e: vec2u, parity: vec2u }
struct Pair {
  a: vec2u, b: vec2u, c: vec2u, d: vec2u, e: vec2u, f: vec2u, g: vec2u, h: vec2u, i: vec2u, j: vec2u,
  parity: vec2u,
}
struct Six { a: vec2u, b: vec2u, c: vec2u, d: vec2u, e: vec2u, f: vec2u, parity: vec2u }

@compute @workgroup_size(WORKGROUP_X, WORKGROUP_Y)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = id.x;
  let y = id.y * 2u;
  if (x >= ROW_VECTORS || y >= HEIGHT) { return; }
  let r0 = readRow(x, y - 2u);
  let r1 = readRow(x, y - 1u);
  let r2 = readRow(x, y);
  let r3 = readRow(x, y + 1u);
  let r4 = readRow(x, y + 2u);
  let r5 = readRow(x, y + 3u);
  let even = sortFour(r1.even, r2.even, r3.even, r4.even);
  let odd = sortFour(r1.odd, r2.odd, r3.odd, r4.odd);
  let sides = sortFour(r1.sides, r2.sides, r3.sides, r4.sides);
  let at = y * ROW_VECTORS + x;
  filtered[at] = medians(insert(even, r0.even), insert(odd, r0.odd), insert(sides, r0.sides), r2);
  if (y + 1u < HEIGHT) {
    filtered[at + ROW_VECTORS] = medians(insert(even, r5.even), insert(odd, r5.odd), insert(sides, r5.sides), r3);
  }
  // Depths below 16384 are near enough without another look.
  let all = r0.all | r1.all | r2.all | r3.all | r4.all | r5.all;
  if ((all & 0xc000c000u) != 0u && isFar(x, y)) { redo(x, y); }
}

// Of each half of two words.
fn least(a: u32, b: u32) -> u32 { return bitcast<u32>(min(bitcast<vec2<f16>>(a), bitcast<vec2<f16>>(b))); }
fn most(a: u32, b: u32) -> u32 { return bitcast<u32>(max(bitcast<vec2<f16>>(a), bitcast<vec2<f16>>(b))); }

fn lesser(a: vec2u, b: vec2u) -> vec2u { return vec2u(least(a.x, b.x), least(a.y, b.y)); }
fn greater(a: vec2u, b: vec2u) -> vec2u { return vec2u(most(a.x, b.x), most(a.y, b.y)); }

fn lows(a: vec2u, b: vec2u) -> vec2u { return (a & vec2u(0xffffu)) | (b << vec2u(16u)); }
fn highs(a: vec2u, b: vec2u) -> vec2u { return (a >> vec2u(16u)) | (b & vec2u(0xffff0000u)); }

// Outside the image all is invalid; rows above it wrap around to large numbers and are outside too.
fn readRow(x: u32, y: u32) -> Row {
  let at = min(y, HEIGHT - 1u) * ROW_VECTORS + x;
  let isInside = y < HEIGHT;
  let w = select(vec4u(), depth[at], isInside);
  let left = select(0u, depth[max(at, 1u) - 1u].w, isInside && x > 0u);
  let right = select(0u, depth[min(at + 1u, ROW_VECTORS * HEIGHT - 1u)].x, isInside && x + 1u < ROW_VECTORS);
  let sides = vec2u((left & 0xffffu) | (right << 16u), (left >> 16u) | (right & 0xffff0000u));
  return Row(
    value(lows(w.xy, w.zw)), value(highs(w.xy, w.zw)), value(sides),
    w.x | w.y | w.z | w.w | left | right,
  );
}

fn value(words: vec2u) -> Value {
  let v = words + BIAS;
  return Value(v, lesser(v, vec2u(BIAS + ONES)));
}

// A hole becomes the greatest value where an odd number of them came before.
fn turned(parity: vec2u, x: Value) -> vec2u { return x.v + (parity & ~x.valid) * RISE; }
fn counted(parity: vec2u, x: Value) -> vec2u { return parity ^ (~x.valid & vec2u(ONES)); }

fn sortFour(r0: Value, r1: Value, r2: Value, r3: Value) -> Four {
  let odd1 = counted(vec2u(), r0);
  let odd2 = counted(odd1, r1);
  let odd3 = counted(odd2, r2);
  let v1 = turned(odd1, r1);
  let v2 = turned(odd2, r2);
  let v3 = turned(odd3, r3);
  let a = lesser(r0.v, v1);
  let b = greater(r0.v, v1);
  let c = lesser(v2, v3);
  let d = greater(v2, v3);
  let e = greater(a, c);
  let f = lesser(b, d);
  return Four(lesser(a, c), lesser(e, f), greater(e, f), greater(b, d), counted(odd3, r3));
}

fn insert(four: Four, x: Value) -> Column {
  let fifth = turned(four.parity, x);
  let b = greater(four.a, fifth);
  let c = greater(four.b, b);
  let d = greater(four.c, c);
  return Column(
    lesser(four.a, fifth), lesser(four.b, b), lesser(four.c, c), lesser(four.d, d), greater(four.d, d),
    counted(four.parity, x),
  );
}

// b where the mask is set.
fn pick(a: vec2u, b: vec2u, mask: vec2u) -> vec2u { return (a & ~mask) | (b & mask); }

// The list with one more zero turned in the halves where an odd number of zeros meets its own.
fn joinColumn(parity: vec2u, l: Column) -> Column {
  let m = (parity & l.parity) * 0xffffu;
  return Column(
    pick(l.a, l.b, m), pick(l.b, l.c, m), pick(l.c, l.d, m), pick(l.d, l.e, m), pick(l.e, ALL, m),
    parity ^ l.parity,
  );
}

fn joinPair(parity: vec2u, l: Pair) -> Pair {
  let m = (parity & l.parity) * 0xffffu;
  return Pair(
    pick(l.a, l.b, m), pick(l.b, l.c, m), pick(l.c, l.d, m), pick(l.d, l.e, m), pick(l.e, l.f, m),
    pick(l.f, l.g, m), pick(l.g, l.h, m), pick(l.h, l.i, m), pick(l.i, l.j, m), pick(l.j, ALL, m),
    parity ^ l.parity,
  );
}

fn mergeColumns(left: Column, right: Column) -> Pair {
  let l = left;
  let r = joinColumn(left.parity, right);
  // The even places, and the odd ones; then neighbours.
  let ends0 = greater(l.a, r.a);
  let ends1 = lesser(l.e, r.e);
  let inner0 = lesser(ends0, ends1);
  let inner1 = greater(ends0, ends1);
  let middle0 = lesser(l.c, r.c);
  let middle1 = greater(l.c, r.c);
  let e1 = lesser(middle0, inner0);
  let e2 = greater(middle0, inner0);
  let e3 = lesser(middle1, inner1);
  let e4 = greater(middle1, inner1);
  let o0 = lesser(l.b, r.b);
  let between0 = greater(l.b, r.b);
  let between1 = lesser(l.d, r.d);
  let o3 = greater(l.d, r.d);
  let o1 = lesser(between0, between1);
  let o2 = greater(between0, between1);
  return Pair(
    lesser(l.a, r.a), lesser(o0, e1), greater(o0, e1), lesser(o1, e2), greater(o1, e2),
    lesser(o2, e3), greater(o2, e3), lesser(o3, e4), greater(o3, e4), greater(l.e, r.e),
    r.parity,
  );
}

// Ranks 3 and 4, and 5 and 6, of two sorted lists of five; the two of a couple are not in order yet.
struct Middle { a: vec2u, b: vec2u, c: vec2u, d: vec2u }
fn middle(
  l0: vec2u, l1: vec2u, l2: vec2u, l3: vec2u, l4: vec2u,
  r0: vec2u, r1: vec2u, r2: vec2u, r3: vec2u, r4: vec2u,
) -> Middle {
  let ends0 = greater(l0, r0);
  let ends1 = lesser(l4, r4);
  let between0 = greater(l1, r1);
  let between1 = lesser(l3, r3);
  return Middle(
    lesser(between0, between1),
    greater(lesser(l2, r2), lesser(ends0, ends1)),
    greater(between0, between1),
    lesser(greater(l2, r2), greater(ends0, ends1)),
  );
}

// Ranks 7 to 12 of two sorted lists of ten.
fn middleSix(p: Pair, second: Pair) -> Six {
  let q = joinPair(p.parity, second);
  let even = middle(p.a, p.c, p.e, p.g, p.i, q.a, q.c, q.e, q.g, q.i);
  let odd = middle(p.b, p.d, p.f, p.h, p.j, q.b, q.d, q.f, q.h, q.j);
  let e4 = greater(even.a, even.b);
  let e5 = lesser(even.c, even.d);
  let e6 = greater(even.c, even.d);
  let o3 = lesser(odd.a, odd.b);
  let o4 = greater(odd.a, odd.b);
  let o5 = lesser(odd.c, odd.d);
  return Six(lesser(o3, e4), greater(o3, e4), lesser(o4, e5), greater(o4, e5), lesser(o5, e6), greater(o5, e6), q.parity);
}

fn median(s: Six, outer: Column) -> vec2u {
  let o = joinColumn(s.parity, outer);
  let low = lesser(lesser(greater(s.e, o.a), greater(s.d, o.b)), greater(s.c, o.c));
  return lesser(lesser(low, s.f), lesser(greater(s.b, o.d), greater(s.a, o.e)));
}

// The columns before the even ones or the odd ones, of which lane i of sides is the first; and after them, where it is the last.
fn before(s: Column, i: u32, l: Column) -> Column {
  return Column(
    ahead(s.a[i], l.a), ahead(s.b[i], l.b), ahead(s.c[i], l.c), ahead(s.d[i], l.d), ahead(s.e[i], l.e),
    ahead(s.parity[i], l.parity),
  );
}
fn ahead(side: u32, v: vec2u) -> vec2u { return vec2u((side & 0xffffu) | (v.y << 16u), v.x); }

fn after(l: Column, s: Column, i: u32) -> Column {
  return Column(
    behind(l.a, s.a[i]), behind(l.b, s.b[i]), behind(l.c, s.c[i]), behind(l.d, s.d[i]), behind(l.e, s.e[i]),
    behind(l.parity, s.parity[i]),
  );
}
fn behind(v: vec2u, side: u32) -> vec2u { return vec2u(v.y, (v.x >> 16u) | (side & 0xffff0000u)); }

fn medians(even: Column, odd: Column, sides: Column, centre: Row) -> vec4u {
  let p = mergeColumns(before(sides, 1u, odd), even);
  // The first lane of this is the second of p: a compiler computes it once.
  let q = mergeColumns(odd, after(even, sides, 0u));
  let six = middleSix(p, q);
  let evens = unbiased(median(six, before(sides, 0u, even)), centre.even);
  let odds = unbiased(median(six, after(odd, sides, 1u)), centre.odd);
  return vec4u(lows(evens, odds), highs(evens, odds));
}

// 0 where the centre is a hole.
fn unbiased(m: vec2u, centre: Value) -> vec2u {
  return lesser(m, (centre.valid - BIAS) * RISE + BIAS) - BIAS;
}

// Two pixels; 0 outside the image, where numbers wrap around to large ones.
fn word(x: u32, y: u32) -> u32 {
  let i = min(y, HEIGHT - 1u) * ROW_VECTORS * 4u + min(x, ROW_VECTORS * 4u - 1u);
  return select(0u, depth[i / 4u][i % 4u], x < ROW_VECTORS * 4u && y < HEIGHT);
}

fn isFar(x: u32, y: u32) -> bool {
  var far = 0u;
  for (var i = 0u; i < 36u; i++) {
    let two = word(4u * x + i % 6u - 1u, y + i / 6u - 2u);
    far |= two | ((two & 0x7fff7fffu) + 0x08000800u);
  }
  return (far & 0x80008000u) != 0u;
}

fn redo(x: u32, y: u32) {
  for (var row = y; row < min(y + 2u, HEIGHT); row++) {
    var words = vec4u();
    for (var i = 0u; i < 8u; i++) { words[i / 2u] |= bisect(8u * x + i, row) << (16u * (i % 2u)); }
    filtered[row * ROW_VECTORS + x] = words;
  }
}

fn inWindow(x: u32, y: u32, i: u32) -> u32 {
  let u = x + i % 5u - 2u;
  return (word(u / 2u, y + i / 5u - 2u) >> (16u * (u % 2u))) & 0xffffu;
}

// The greatest value with no more than floor((n - 1) / 2) of the n valid ones below it.
fn bisect(x: u32, y: u32) -> u32 {
  if (inWindow(x, y, 12u) == 0u) { return 0u; }
  var valid = 0u;
  for (var i = 0u; i < 25u; i++) { valid += u32(inWindow(x, y, i) > 0u); }
  var found = 0u;
  for (var bit = 0x8000u; bit > 0u; bit >>= 1u) {
    var below = 0u;
    for (var i = 0u; i < 25u; i++) { below += u32(inWindow(x, y, i) - 1u < (found | bit) - 1u); }
    if (below <= (valid - 1u) / 2u) { found |= bit; }
  }
  return found;
}
