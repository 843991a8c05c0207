// #import "./thin.wgsl"
// Kernel 1 (pipeline/README.md). An invocation: 8 neighbouring outputs. A workgroup: a strip of the image. It leaves: filtered depth.
// Median 3×3 of the valid values: the value of rank (n - 1) >> 1 among the n values of the window that are not 0.
//
// One invocation writes 8 pixels of a row. Each vec4 lane holds a pair of columns, E (even x) and O (odd x), and computes a pair of
// outputs, which share these two columns:
//
//    columns             x-1 |  x   x+1 | x+2
//                        O   |  E    O  |  E
//    output x            third [  pair  ]
//    output x+1                [  pair  ]  third
//
// Each column is sorted once. The median of nine is then the median of the largest low, the median middle and the smallest high value (A.
// W. Paeth, "Median finding on a 3×3 grid", Graphics Gems 1990, in its column form). This takes 16 min or max per output.
//
// Holes: of the k zeros in a window, floor(k / 2) are turned into 65535, so that rank 4 of nine is the lower median of the other values. A
// column turns every second of its zeros. If two lists that both hold an odd number of zeros are merged, the second turns one more, which
// shifts its sorted values by one place. So outputs can still share columns.
//
// Lines one pixel wide stay (thin.wgsl).
const ALL = vec4i(0xffff);

// Eight pixels of a row and their neighbours; `sides` is (x - 1, x + 8, unused, unused).
struct Row { even: vec4i, odd: vec4i, sides: vec4i }
// Sorted lists. `parity` is 65535 if the list holds an odd number of zeros, counting those turned into 65535.
struct Three { low: vec4i, middle: vec4i, high: vec4i, parity: vec4i }
// A window's values of two columns: the larger low, both middles, the smaller high.
struct Pair { low: vec4i, middle0: vec4i, middle1: vec4i, high: vec4i, parity: vec4i }

@compute @workgroup_size(WORKGROUP_X, WORKGROUP_Y) fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let x = id.x;
  let y = id.y;
  let isInside = x < ROW_VECTORS && y < HEIGHT;
  let up = readRow(x, y - 1u);
  let own = readRow(x, y);
  let down = readRow(x, y + 1u);
  let even = sortThree(own.even, down.even, up.even);
  let odd = sortThree(own.odd, down.odd, up.odd);
  let sides = sortThree(own.sides, down.sides, up.sides);
  let centre = Eight(own.even, own.odd);
  let found = medians(even, odd, sides, centre);
  let stays = stayingOf(select(0u, farOf(found, centre), isInside), lane, group.xy);
  if (isInside) { filtered[y * ROW_VECTORS + x] = packed(found, centre, stays); }
}

// Outside the image all is invalid. The row above it wraps around to a large number, which is outside too.
fn readRow(x: u32, y: u32) -> Row {
  let at = min(y, HEIGHT - 1u) * ROW_VECTORS + x;
  let words = bitcast<vec4i>(depth[at]);
  let left = select(0u, depth[max(at, 1u) - 1u].w >> 16u, x > 0u);
  let right = select(0u, depth[min(at + 1u, ROW_VECTORS * HEIGHT - 1u)].x, x + 1u < ROW_VECTORS);
  let inside = select(vec4i(), ALL, vec4<bool>(y < HEIGHT));
  let sides = bitcast<vec4i>(vec4u(left, right, 0u, 0u));
  return Row(words & inside, (words >> vec4u(16u)) & inside, sides & inside);
}

fn holes(v: vec4i) -> vec4i {
  return select(vec4i(), ALL, v == vec4i());
}

fn sortThree(a: vec4i, b: vec4i, c: vec4i) -> Three {
  let hole = holes(b);
  let odd = holes(a);
  let second = b | (odd & hole);
  let low = min(a, second);
  let high = max(a, second);
  let parity = odd ^ hole;
  let last = holes(c);
  let third = c | (parity & last);
  let rest = max(low, third);
  return Three(min(low, third), min(rest, high), max(rest, high), parity ^ last);
}

// The column, with one more zero turned into 65535 in the lanes where both it and the list before hold an odd number of zeros.
fn join(parity: vec4i, column: Three) -> Three {
  let shift = (parity & column.parity) != vec4i();
  return Three(
    select(column.low, column.middle, shift),
    select(column.middle, column.high, shift),
    select(column.high, ALL, shift),
    parity ^ column.parity,
  );
}

fn mergeColumns(left: Three, second: Three) -> Pair {
  let right = join(left.parity, second);
  return Pair(
    max(left.low, right.low),
    min(left.middle, right.middle),
    max(left.middle, right.middle),
    min(left.high, right.high),
    right.parity,
  );
}

fn median(pair: Pair, outer: Three) -> vec4i {
  let third = join(pair.parity, outer);
  let low = max(pair.low, third.low);
  let middle = max(pair.middle0, min(pair.middle1, third.middle));
  let high = min(pair.high, third.high);
  return max(min(low, middle), min(max(low, middle), high));
}

fn medians(even: Three, odd: Three, sides: Three, own: Eight) -> Eight {
  let pair = mergeColumns(even, odd);
  let before = Three(
    vec4i(sides.low.x, odd.low.xyz),
    vec4i(sides.middle.x, odd.middle.xyz),
    vec4i(sides.high.x, odd.high.xyz),
    vec4i(sides.parity.x, odd.parity.xyz),
  );
  let after = Three(
    vec4i(even.low.yzw, sides.low.y),
    vec4i(even.middle.yzw, sides.middle.y),
    vec4i(even.high.yzw, sides.high.y),
    vec4i(even.parity.yzw, sides.parity.y),
  );
  return Eight(
    select(median(pair, before), vec4i(), own.even == vec4i()),
    select(median(pair, after), vec4i(), own.odd == vec4i()),
  );
}
