// #import "./planeFit.wgsl"
// Part of planeFit: the sums of a cell's pixels, the plane through them, and what the column's own pixels lie off that plane.
const FLATNESS = 0.46; // stages/bilateralGrid/planes/fit.ts says what this and THIN mean
const THIN = 0.05;
const NOTHING = 0xffffffffu;

struct Sums {
  a: vec4f, // n, Σu, Σv, Σr
  b: vec4f, // Σuu, Σuv, Σvv, Σrr
  c: vec2f, // Σur, Σvr
}

// Sums the moments of 3 × 3 columns in one cell, relative to the centre of the middle column. All loads are independent, since the kernel
// spends most of its time waiting for them. Cells that are not occupied load some other data and multiply it by 0.
fn collect(entry: u32, chunk: u32) -> Sums {
  let cell = entry & 0xffffu;
  let at = (entry >> 16u) * WORDS + cell / 32u + 1u - chunk;
  let below = (1u << (cell % 32u)) - 1u;
  var sum = Sums();
  for (var i = 0u; i < 9u; i++) {
    let by = vec2u(i % 3u, i / 3u);
    let word = indices[at + (by.y * AROUND + by.x) * WORDS];
    let isThere = f32((word.x >> (cell % 32u)) & 1u);
    let first = 3u * (word.y + countOneBits(word.x & below));
    let a = moments[first];
    let b = moments[first + 1u];
    let c = moments[first + 2u].xy;
    let tap = isThere * select(1.0, 2.0, by.x == 1u) * select(1.0, 2.0, by.y == 1u);
    let offset = offsetOf(by);
    sum.a += tap * vec4f(a.x, a.yz + offset * a.x, a.w);
    sum.b += tap * vec4f(b.xyz + squaresMoved(offset, a.xyz), b.w);
    sum.c += tap * (c + offset * a.w);
  }
  return sum;
}

// Blurs the moments of the five cells around the one at `slot`, converted to that cell. `end` is the end of the list.
fn planeBlur(slot: u32, end: u32) -> Sums {
  let entry = listed[slot];
  let centre = centreOf[slot];
  var sum = Sums();
  for (var i = 0u; i < 5u; i++) {
    let at = clamp(slot + i, BLUR_REACH, end + BLUR_REACH - 1u) - BLUR_REACH;
    // An entry of another column differs by more.
    let away = max(listed[at], entry) - min(listed[at], entry);
    let isOne = away <= 2u && at + BLUR_REACH == slot + i;
    let k = select(0.0, select(select(1.0, 4.0, away == 1u), 6.0, away == 0u), isOne);
    let own = Sums(ones[at], squares[at], mixed[at]);
    // 1/depth = (1 − r/c)/c, so one cell's r is linear in another's.
    let ratio = centre / centreOf[at];
    let scale = ratio * ratio * axis.step;
    let base = centre * (1.0 - ratio);
    let r = scale * own.a.w + base * own.a.x;
    let rr = scale * (scale * axis.square * own.b.w + 2.0 * base * own.a.w) + base * base * own.a.x;
    sum.a += k * vec4f(own.a.xyz, r);
    sum.b += k * vec4f(own.b.xyz, rr);
    sum.c += k * (scale * own.c + base * own.a.yz);
  }
  return sum;
}

// Fits a plane, writes it at `place`, and lists it at `entry`. There are pixels in the cell or beside it, or it would not be asked for.
fn planeFit(sum: Sums, centre: f32, place: u32, entry: u32) -> vec3f {
  let n = sum.a.x;
  let share = 1.0 / n;
  let mean = sum.a.yzw * share;
  let spread = spreadOf(mean.xy, sum.b.xyz * share);
  let rr = sum.b.w * share - mean.z * mean.z;
  let r = sum.c * share - mean.xy * mean.z;
  let slope = vec2f(r.x * spread.z - r.y * spread.y, r.y * spread.x - r.x * spread.y) * (1.0 / spread.w);
  let flat = FLATNESS * max(1.0, axis.sigma + axis.growth * centre * centre);
  let off = 1.0 + max(0.0, rr - dot(slope, r)) / (flat * flat);
  // thin / (thin + THIN), where thin = determinant / (uu + vv)
  let weight = n * spread.w / ((spread.w + THIN * (spread.x + spread.z)) * (off * off * off * off));
  let inverse = 1.0 / centre;
  let plane = vec3f((1.0 - (mean.z - dot(slope, mean.xy)) * inverse) * inverse, -slope * inverse * inverse);
  planes[place] = vec4f(plane, weight);
  if (entry < arrayLength(&entries)) {
    entries[entry] = designOf(spread, share, mean.xy, place);
  }
  return plane;
}

// The slot of a cell's moments in one of the workgroup's four columns, or NOTHING. A cell before the first wraps around.
fn slotOf(part: u32, cell: u32, chunk: u32) -> u32 {
  let word = indices[(AROUND + part + 1u) * WORDS + (cell + 32u) / 32u - chunk];
  let bit = 1u << (cell % 32u);
  return select(NOTHING, word.y + countOneBits(word.x & (bit - 1u)), (word.x & bit) != 0u);
}

// Sums up the residuals of a column's pixels from the plane of one of its cells, relative to the column's centre. Moments are linear in r,
// so the residuals follow from the column's moments, blurred along depth, and the plane. They lie where their cell's pixels do: there are
// three places per slot of moments, for its cell and the one on each side. A column without pixels in these cells has no residual.
fn residualOf(part: u32, cell: u32, chunk: u32, plane: vec3f) {
  var slots: array<u32, 5>;
  for (var i = 0u; i < 5u; i++) {
    slots[i] = slotOf(part, cell + i - 2u, chunk);
  }
  let beside = select(select(NOTHING, 3u * slots[3], slots[3] != NOTHING), 3u * slots[1] + 2u, slots[1] != NOTHING);
  let home = select(beside, 3u * slots[2] + 1u, slots[2] != NOTHING);
  if (home == NOTHING) {
    return;
  }
  let centre = centres[cell];
  var a = vec4f(); // n, Σu, Σv, Σr
  var b = vec3f(); // Σuu, Σuv, Σvv
  var c = vec2f(); // Σur, Σvr
  for (var i = 0u; i < 5u; i++) {
    let isThere = slots[i] != NOTHING;
    let at = 3u * select(0u, slots[i], isThere);
    let tap = select(0.0, select(select(1.0, 4.0, i % 2u == 1u), 6.0, i == 2u), isThere);
    let own = moments[at];
    // 1/depth = (1 − r/c)/c, so one cell's r is linear in another's.
    let ratio = centre / centres[select(cell, cell + i - 2u, isThere)];
    let scale = ratio * ratio * axis.step;
    let base = centre * (1.0 - ratio);
    a += tap * vec4f(own.xyz, scale * own.w + base * own.x);
    b += tap * moments[at + 1u].xyz;
    c += tap * (scale * moments[at + 2u].xy + base * own.yz);
  }
  // From the tile's corner to its centre.
  let half = 0.5 * f32(SPACE - 1u);
  let u = a.y - half * a.x;
  let v = a.z - half * a.x;
  let square = vec3f(b.x - half * (a.y + u), b.y - half * (a.y + v), b.z - half * (a.z + v));
  let r = centre - centre * centre * plane.x;
  let slope = -centre * centre * plane.yz;
  residuals[home] = vec4f(
    a.w - r * a.x - dot(slope, vec2f(u, v)),
    c.x - half * a.w - r * u - dot(slope, square.xy),
    c.y - half * a.w - r * v - dot(slope, square.yz),
    0.0,
  );
}
