// Part of planeFit: what the pixels of a column lie off its own planes, for planeRefit.
const NOTHING = 0xffffffffu;

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
