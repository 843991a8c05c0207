// Median 3×3 as in size3.wgsl, two pixels at a time: a word is two f16, of which a GPU takes two minima in one instruction.
//
// Depths 0 … 30719 plus 1024 are the bits of positive normal f16 (0x0400 … 0x7bff), which are in order as their bits are.
// A minimum or maximum is one of its operands, bit by bit: nothing is computed in f16 and nothing rounds, so this is exact.
//
//    a vec4 of depth    1 0 | 3 2 | 5 4 | 7 6       halves are four pixels apart, lanes two:
//    even, odd          4 0 | 6 2,  5 1 | 7 3       even.x, odd.x, even.y, odd.y are the columns 0, 1, 2, 3 (and 4 … 7)
//
// Holes are as in size3.wgsl, a bit for each half: 0x0400 turns into 0x7bff by an addition.
// An invocation that meets a depth over 30719 does its pixels again, one after the other, by bisection.
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
// Eight pixels of a row and its neighbours: sides.x is (x + 8, x - 1). `all` has the bits of all of them.
struct Row { even: Value, odd: Value, sides: Value, all: u32 }
// Sorted lists; bit 0 of a half of parity is set where the list holds an odd number of zeros, turned ones included.
struct Two { low: vec2u, high: vec2u, parity: vec2u }
struct Column { low: vec2u, middle: vec2u, high: vec2u, parity: vec2u }
// What two columns are to a window: the larger low, both middles, the smaller high.
struct Pair { low: vec2u, middle0: vec2u, middle1: vec2u, high: vec2u, parity: vec2u }

@compute @workgroup_size(WORKGROUP_X, WORKGROUP_Y)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = id.x;
  let y = id.y * 2u;
  if (x >= ROW_VECTORS || y >= HEIGHT) { return; }
  let r0 = readRow(x, y - 1u);
  let r1 = readRow(x, y);
  let r2 = readRow(x, y + 1u);
  let r3 = readRow(x, y + 2u);
  let even = sortTwo(r1.even, r2.even);
  let odd = sortTwo(r1.odd, r2.odd);
  let sides = sortTwo(r1.sides, r2.sides);
  let at = y * ROW_VECTORS + x;
  filtered[at] = medians(insert(even, r0.even), insert(odd, r0.odd), insert(sides, r0.sides), r1);
  if (y + 1u < HEIGHT) {
    filtered[at + ROW_VECTORS] = medians(insert(even, r3.even), insert(odd, r3.odd), insert(sides, r3.sides), r2);
  }
  // Depths below 16384 are near enough without another look.
  if (((r0.all | r1.all | r2.all | r3.all) & 0xc000c000u) != 0u && isFar(x, y)) { redo(x, y); }
}

// Of each half of two words.
fn least(a: u32, b: u32) -> u32 { return bitcast<u32>(min(bitcast<vec2<f16>>(a), bitcast<vec2<f16>>(b))); }
fn most(a: u32, b: u32) -> u32 { return bitcast<u32>(max(bitcast<vec2<f16>>(a), bitcast<vec2<f16>>(b))); }

fn lesser(a: vec2u, b: vec2u) -> vec2u { return vec2u(least(a.x, b.x), least(a.y, b.y)); }
fn greater(a: vec2u, b: vec2u) -> vec2u { return vec2u(most(a.x, b.x), most(a.y, b.y)); }

fn lows(a: vec2u, b: vec2u) -> vec2u { return (a & vec2u(0xffffu)) | (b << vec2u(16u)); }
fn highs(a: vec2u, b: vec2u) -> vec2u { return (a >> vec2u(16u)) | (b & vec2u(0xffff0000u)); }

// Outside the image all is invalid; the row above it wraps around to a large number and is outside too.
fn readRow(x: u32, y: u32) -> Row {
  let at = min(y, HEIGHT - 1u) * ROW_VECTORS + x;
  let isInside = y < HEIGHT;
  let w = select(vec4u(), depth[at], isInside);
  let left = select(0u, depth[max(at, 1u) - 1u].w, isInside && x > 0u);
  let right = select(0u, depth[min(at + 1u, ROW_VECTORS * HEIGHT - 1u)].x, isInside && x + 1u < ROW_VECTORS);
  let sides = vec2u((left >> 16u) | (right << 16u), 0u);
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

fn sortTwo(a: Value, b: Value) -> Two {
  let parity = counted(vec2u(), a);
  let second = turned(parity, b);
  return Two(lesser(a.v, second), greater(a.v, second), counted(parity, b));
}

fn insert(two: Two, x: Value) -> Column {
  let third = turned(two.parity, x);
  let rest = greater(two.low, third);
  return Column(lesser(two.low, third), lesser(rest, two.high), greater(rest, two.high), counted(two.parity, x));
}

// b where the mask is set.
fn pick(a: vec2u, b: vec2u, mask: vec2u) -> vec2u { return (a & ~mask) | (b & mask); }

// The column with one more zero turned in the halves where an odd number of zeros meets its own.
fn join(parity: vec2u, l: Column) -> Column {
  let shift = (parity & l.parity) * 0xffffu;
  return Column(
    pick(l.low, l.middle, shift), pick(l.middle, l.high, shift), pick(l.high, ALL, shift),
    parity ^ l.parity,
  );
}

fn mergeColumns(left: Column, second: Column) -> Pair {
  let right = join(left.parity, second);
  return Pair(
    greater(left.low, right.low),
    lesser(left.middle, right.middle),
    greater(left.middle, right.middle),
    lesser(left.high, right.high),
    right.parity,
  );
}

fn median(pair: Pair, outer: Column) -> vec2u {
  let third = join(pair.parity, outer);
  let low = greater(pair.low, third.low);
  let middle = greater(pair.middle0, lesser(pair.middle1, third.middle));
  let high = lesser(pair.high, third.high);
  return greater(lesser(low, middle), lesser(greater(low, middle), high));
}

// The columns before the even ones, from the odd ones, and after the odd ones.
fn before(side: u32, odd: vec2u) -> vec2u { return vec2u((side & 0xffffu) | (odd.y << 16u), odd.x); }
fn after(even: vec2u, side: u32) -> vec2u { return vec2u(even.y, (even.x >> 16u) | (side & 0xffff0000u)); }

fn medians(even: Column, odd: Column, sides: Column, centre: Row) -> vec4u {
  let pair = mergeColumns(even, odd);
  let left = Column(
    before(sides.low.x, odd.low), before(sides.middle.x, odd.middle), before(sides.high.x, odd.high),
    before(sides.parity.x, odd.parity),
  );
  let right = Column(
    after(even.low, sides.low.x), after(even.middle, sides.middle.x), after(even.high, sides.high.x),
    after(even.parity, sides.parity.x),
  );
  let evens = unbiased(median(pair, left), centre.even);
  let odds = unbiased(median(pair, right), centre.odd);
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
  for (var i = 0u; i < 24u; i++) {
    let two = word(4u * x + i % 6u - 1u, y + i / 6u - 1u);
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
  let u = x + i % 3u - 1u;
  return (word(u / 2u, y + i / 3u - 1u) >> (16u * (u % 2u))) & 0xffffu;
}

// The greatest value with no more than floor((n - 1) / 2) of the n valid ones below it.
fn bisect(x: u32, y: u32) -> u32 {
  if (inWindow(x, y, 4u) == 0u) { return 0u; }
  var valid = 0u;
  for (var i = 0u; i < 9u; i++) { valid += u32(inWindow(x, y, i) > 0u); }
  var found = 0u;
  for (var bit = 0x8000u; bit > 0u; bit >>= 1u) {
    var below = 0u;
    for (var i = 0u; i < 9u; i++) { below += u32(inWindow(x, y, i) - 1u < (found | bit) - 1u); }
    if (below <= (valid - 1u) / 2u) { found |= bit; }
  }
  return found;
}
