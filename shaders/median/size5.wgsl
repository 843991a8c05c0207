// #import "./thin.wgsl"
// Kernel 2 (pipeline/README.md). An invocation: 8 neighbouring outputs in each of 2 rows. A workgroup: a strip of the image. It leaves:
// filtered depth.
// Median 5×5 of the valid values: the value of rank (n - 1) >> 1 among the n values of the window that are not 0.
//
// One invocation writes 8 pixels in each of 2 rows. Each vec4 lane holds a pair of columns, E (even x) and O (odd x), and computes a pair
// of outputs, which share four of their columns:
//
//    columns             x-2   x-1    x   | x+1   x+2   x+3
//                        E     O      E   | O     E     O
//    output x            outer [ pair P ]   [ pair Q ]
//    output x+1                [ pair P ]   [ pair Q ]   outer         Q of a lane is P of the next lane
//
// 1. Sort each column: the four rows that both output rows use once, then insert the fifth (18 min or max).
// 2. Merge two columns into a sorted list of ten (Batcher's odd-even merge, 26), shared between lanes.
// 3. Of the 20 values in P and Q only ranks 7 to 12 can be the median of 25: the same merge, pruned to those (36).
// 4. The median is rank 5 of those six and the five of the outer column, both sorted: min of max along the diagonal (10).
// This takes 54 min or max per output (K. E. Batcher 1968; sharing after A. Adams 2021, "Fast median filters using separable sorting
// networks").
//
// Holes: of the k zeros in a window, floor(k / 2) are turned into 65535, so that rank 12 of 25 is the lower median of the other values. A
// column turns every second of its zeros. If two lists that both hold an odd number of zeros are merged, the second turns one more, which
// shifts its sorted values by one place. So outputs can still share columns. Lines one pixel wide stay (thin.wgsl).
const ALL = vec4i(0xffff);

// Eight pixels of a row and their neighbours; `sides` is (x - 2, x - 1, x + 9, x + 8).
struct Row { even: vec4i, odd: vec4i, sides: vec4i }
// Sorted lists. `parity` is 65535 if the list holds an odd number of zeros, counting those turned into 65535.
struct Four { a: vec4i, b: vec4i, c: vec4i, d: vec4i, parity: vec4i }
struct Five { a: vec4i, b: vec4i, c: vec4i, d: vec4i, e: vec4i, parity: vec4i }
struct Ten {
  a: vec4i, b: vec4i, c: vec4i, d: vec4i, e: vec4i, f: vec4i, g: vec4i, h: vec4i, i: vec4i, j: vec4i,
  parity: vec4i,
}
struct Six { a: vec4i, b: vec4i, c: vec4i, d: vec4i, e: vec4i, f: vec4i, parity: vec4i }

@compute @workgroup_size(WORKGROUP_X, WORKGROUP_Y) fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let x = id.x;
  let y = id.y * 2u;
  let r0 = readRow(x, y - 2u);
  let r1 = readRow(x, y - 1u);
  let r2 = readRow(x, y);
  let r3 = readRow(x, y + 1u);
  let r4 = readRow(x, y + 2u);
  let r5 = readRow(x, y + 3u);
  let even = sortFour(r1.even, r2.even, r3.even, r4.even);
  let odd = sortFour(r1.odd, r2.odd, r3.odd, r4.odd);
  let sides = sortFour(r1.sides, r2.sides, r3.sides, r4.sides);
  let upper = Eight(r2.even, r2.odd);
  let lower = Eight(r3.even, r3.odd);
  let above = medians(insert(even, r0.even), insert(odd, r0.odd), insert(sides, r0.sides), upper);
  let below = medians(insert(even, r5.even), insert(odd, r5.odd), insert(sides, r5.sides), lower);
  let far = farOf(above, upper) | (farOf(below, lower) << 8u);
  let stays = stayingOf(select(0u, far, x < ROW_VECTORS), lane, group.xy);
  if (x >= ROW_VECTORS || y >= HEIGHT) { return; }
  let at = y * ROW_VECTORS + x;
  filtered[at] = packed(above, upper, stays);
  if (y + 1u < HEIGHT) { filtered[at + ROW_VECTORS] = packed(below, lower, stays >> 8u); }
}

// Outside the image all is invalid. Rows above it wrap around to large numbers, which are outside too.
fn readRow(x: u32, y: u32) -> Row {
  let at = min(y, HEIGHT - 1u) * ROW_VECTORS + x;
  let words = bitcast<vec4i>(depth[at]);
  let left = select(0u, depth[max(at, 1u) - 1u].w, x > 0u);
  let right = select(0u, depth[min(at + 1u, ROW_VECTORS * HEIGHT - 1u)].x, x + 1u < ROW_VECTORS);
  let sides = bitcast<vec4i>(vec4u(left, left >> 16u, right >> 16u, right));
  let inside = select(vec4i(), ALL, vec4<bool>(y < HEIGHT));
  return Row(words & inside, (words >> vec4u(16u)) & inside, sides & inside);
}

fn holes(v: vec4i) -> vec4i {
  return select(vec4i(), ALL, v == vec4i());
}

fn sortFour(r0: vec4i, r1: vec4i, r2: vec4i, r3: vec4i) -> Four {
  let odd1 = holes(r0);
  let holes1 = holes(r1);
  let odd2 = odd1 ^ holes1;
  let holes2 = holes(r2);
  let odd3 = odd2 ^ holes2;
  let holes3 = holes(r3);
  let v1 = r1 | (odd1 & holes1);
  let v2 = r2 | (odd2 & holes2);
  let v3 = r3 | (odd3 & holes3);
  let a = min(r0, v1);
  let b = max(r0, v1);
  let c = min(v2, v3);
  let d = max(v2, v3);
  let e = max(a, c);
  let f = min(b, d);
  return Four(min(a, c), min(e, f), max(e, f), max(b, d), odd3 ^ holes3);
}

fn insert(four: Four, v: vec4i) -> Five {
  let hole = holes(v);
  let fifth = v | (four.parity & hole);
  let b = max(four.a, fifth);
  let c = max(four.b, b);
  let d = max(four.c, c);
  return Five(
    min(four.a, fifth), min(four.b, b), min(four.c, c), min(four.d, d), max(four.d, d),
    four.parity ^ hole,
  );
}

// The list, with one more zero turned into 65535 in the lanes where both it and the list before hold an odd number of zeros.
fn joinColumn(parity: vec4i, l: Five) -> Five {
  let shift = (parity & l.parity) != vec4i();
  return Five(
    select(l.a, l.b, shift), select(l.b, l.c, shift), select(l.c, l.d, shift), select(l.d, l.e, shift),
    select(l.e, ALL, shift),
    parity ^ l.parity,
  );
}

fn joinPair(parity: vec4i, l: Ten) -> Ten {
  let shift = (parity & l.parity) != vec4i();
  return Ten(
    select(l.a, l.b, shift), select(l.b, l.c, shift), select(l.c, l.d, shift), select(l.d, l.e, shift),
    select(l.e, l.f, shift), select(l.f, l.g, shift), select(l.g, l.h, shift), select(l.h, l.i, shift),
    select(l.i, l.j, shift), select(l.j, ALL, shift),
    parity ^ l.parity,
  );
}

fn mergeColumns(left: Five, right: Five) -> Ten {
  let l = left;
  let r = joinColumn(left.parity, right);
  // Merges the even places and the odd places, then neighbours.
  let ends0 = max(l.a, r.a);
  let ends1 = min(l.e, r.e);
  let inner0 = min(ends0, ends1);
  let inner1 = max(ends0, ends1);
  let middle0 = min(l.c, r.c);
  let middle1 = max(l.c, r.c);
  let e1 = min(middle0, inner0);
  let e2 = max(middle0, inner0);
  let e3 = min(middle1, inner1);
  let e4 = max(middle1, inner1);
  let o0 = min(l.b, r.b);
  let between0 = max(l.b, r.b);
  let between1 = min(l.d, r.d);
  let o3 = max(l.d, r.d);
  let o1 = min(between0, between1);
  let o2 = max(between0, between1);
  return Ten(
    min(l.a, r.a), min(o0, e1), max(o0, e1), min(o1, e2), max(o1, e2),
    min(o2, e3), max(o2, e3), min(o3, e4), max(o3, e4), max(l.e, r.e),
    r.parity,
  );
}

// Ranks 3 and 4, and ranks 5 and 6, of two sorted lists of five; the two values of a couple are not in order yet.
struct Middle { a: vec4i, b: vec4i, c: vec4i, d: vec4i }
fn middle(
  l0: vec4i, l1: vec4i, l2: vec4i, l3: vec4i, l4: vec4i,
  r0: vec4i, r1: vec4i, r2: vec4i, r3: vec4i, r4: vec4i,
) -> Middle {
  let ends0 = max(l0, r0);
  let ends1 = min(l4, r4);
  let between0 = max(l1, r1);
  let between1 = min(l3, r3);
  return Middle(
    min(between0, between1),
    max(min(l2, r2), min(ends0, ends1)),
    max(between0, between1),
    min(max(l2, r2), max(ends0, ends1)),
  );
}

// Ranks 7 to 12 of two sorted lists of ten.
fn middleSix(p: Ten, second: Ten) -> Six {
  let q = joinPair(p.parity, second);
  let even = middle(p.a, p.c, p.e, p.g, p.i, q.a, q.c, q.e, q.g, q.i);
  let odd = middle(p.b, p.d, p.f, p.h, p.j, q.b, q.d, q.f, q.h, q.j);
  let e4 = max(even.a, even.b);
  let e5 = min(even.c, even.d);
  let e6 = max(even.c, even.d);
  let o3 = min(odd.a, odd.b);
  let o4 = max(odd.a, odd.b);
  let o5 = min(odd.c, odd.d);
  return Six(min(o3, e4), max(o3, e4), min(o4, e5), max(o4, e5), min(o5, e6), max(o5, e6), q.parity);
}

fn median(s: Six, outer: Five) -> vec4i {
  let o = joinColumn(s.parity, outer);
  let low = min(min(max(s.e, o.a), max(s.d, o.b)), max(s.c, o.c));
  return min(min(low, s.f), min(max(s.b, o.d), max(s.a, o.e)));
}

fn medians(even: Five, odd: Five, sides: Five, centre: Eight) -> Eight {
  let p = mergeColumns(shiftUp(sides, odd), even);
  // Only the last lane of `last` is used: the pair to the right of the eight pixels.
  let last = mergeColumns(odd, sides);
  let six = middleSix(p, nextPair(p, last));
  let before = Five(
    vec4i(sides.a.x, even.a.xyz), vec4i(sides.b.x, even.b.xyz), vec4i(sides.c.x, even.c.xyz),
    vec4i(sides.d.x, even.d.xyz), vec4i(sides.e.x, even.e.xyz), vec4i(sides.parity.x, even.parity.xyz),
  );
  let after = Five(
    vec4i(odd.a.yzw, sides.a.z), vec4i(odd.b.yzw, sides.b.z), vec4i(odd.c.yzw, sides.c.z),
    vec4i(odd.d.yzw, sides.d.z), vec4i(odd.e.yzw, sides.e.z), vec4i(odd.parity.yzw, sides.parity.z),
  );
  return Eight(
    select(median(six, before), vec4i(), centre.even == vec4i()),
    select(median(six, after), vec4i(), centre.odd == vec4i()),
  );
}

fn shiftUp(sides: Five, l: Five) -> Five {
  return Five(
    vec4i(sides.a.y, l.a.xyz), vec4i(sides.b.y, l.b.xyz), vec4i(sides.c.y, l.c.xyz),
    vec4i(sides.d.y, l.d.xyz), vec4i(sides.e.y, l.e.xyz), vec4i(sides.parity.y, l.parity.xyz),
  );
}

fn nextPair(p: Ten, last: Ten) -> Ten {
  return Ten(
    vec4i(p.a.yzw, last.a.w), vec4i(p.b.yzw, last.b.w), vec4i(p.c.yzw, last.c.w), vec4i(p.d.yzw, last.d.w),
    vec4i(p.e.yzw, last.e.w), vec4i(p.f.yzw, last.f.w), vec4i(p.g.yzw, last.g.w), vec4i(p.h.yzw, last.h.w),
    vec4i(p.i.yzw, last.i.w), vec4i(p.j.yzw, last.j.w), vec4i(p.parity.yzw, last.parity.w),
  );
}
