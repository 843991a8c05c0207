// Tells flying pixels, which hang in the air between two surfaces, and small islands. They become 0, or with SNAP the nearer of the
// two surfaces. Both tests see the image as it came.
//
// One invocation writes 8 pixels of a row. Two pixels are one word, so that an even pixel's partners two and four pixels away are even
// pixels one and two words away, in the same row and in the rows two and four away:
//
//      a2 . . . a2 . . . a2     z hangs between a and b where it is more than `step` from both, they are more than 3 steps apart
//       .               .       and more than twice what goes on beside them, |a2 - a| + |b - b2|: noise and steep slopes go on
//       .   a . a . a   .       there as they do between, an edge does not. Where a2 or b2 is invalid the other stands for it;
//       .               .       where both are nobody can tell, and it does not hang.
//      a2   a   z   b   b2
//       .               .       step = max(stepMm, share × z, noise × z²)
//       .   b . b . b   .
//       .               .       Of the 5 × 5 around it: a pixel with 9 within half a step of its depth is the corner of a
//      b2 . . . b2 . . . b2     surface and does not hang; one with fewer than `island` within a step is an island.
override ROW_VECTORS: u32;
override HEIGHT: u32;

const ONES = vec4u(0xffffu);
const SNAP = 1u;
const CORNER = 9;
// A count of pixels within a step, and NEAR times the count of those within half a step.
const NEAR = 32;

// In units of depth; `noise` is per unit squared.
struct Steps { least: f32, share: f32, noise: f32, island: u32, action: u32 }

@group(0) @binding(0) var<uniform> steps: Steps;
@group(0) @binding(1) var<storage, read> depth: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> cleaned: array<vec4u>;

// Eight pixels as four words, and the four words that begin one and two words before and after.
struct Row { before2: vec4u, before: vec4u, centre: vec4u, after: vec4u, after2: vec4u }

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= ROW_VECTORS || id.y >= HEIGHT) { return; }
  let up2 = readRow(id.x, id.y - 4u);
  let up = readRow(id.x, id.y - 2u);
  let above = readRow(id.x, id.y - 1u);
  let row = readRow(id.x, id.y);
  let below = readRow(id.x, id.y + 1u);
  let down = readRow(id.x, id.y + 2u);
  let down2 = readRow(id.x, id.y + 4u);
  let even = evens(row);
  let odd = odds(row);
  let evenZ = vec4i(even.centre);
  let oddZ = vec4i(odd.centre);
  let evenStep = stepAt(evenZ);
  let oddStep = stepAt(oddZ);
  let evenSurface = surfaceBeside(evenZ, evenStep, evens(up2), evens(up), even, evens(down), evens(down2));
  let oddSurface = surfaceBeside(oddZ, oddStep, odds(up2), odds(up), odd, odds(down), odds(down2));
  let evenAlike = alikeEven(evenZ, evenStep, up) + alikeEven(evenZ, evenStep, above) + alikeEven(evenZ, evenStep, row)
    + alikeEven(evenZ, evenStep, below) + alikeEven(evenZ, evenStep, down);
  let oddAlike = alikeOdd(oddZ, oddStep, up) + alikeOdd(oddZ, oddStep, above) + alikeOdd(oddZ, oddStep, row)
    + alikeOdd(oddZ, oddStep, below) + alikeOdd(oddZ, oddStep, down);
  let evenOut = cleanedFrom(evenZ, evenSurface, evenAlike);
  let oddOut = cleanedFrom(oddZ, oddSurface, oddAlike);
  cleaned[id.y * ROW_VECTORS + id.x] = vec4u(evenOut) | (vec4u(oddOut) << vec4u(16u));
}

// Outside the image all is invalid; a row above it wraps around to a large number and is outside too.
fn readRow(x: u32, y: u32) -> Row {
  if (y >= HEIGHT) { return Row(); }
  let at = y * ROW_VECTORS + x;
  let c = depth[at];
  let left = select(vec4u(), depth[max(at, 1u) - 1u], x > 0u);
  let right = select(vec4u(), depth[min(at + 1u, ROW_VECTORS * HEIGHT - 1u)], x + 1u < ROW_VECTORS);
  return Row(vec4u(left.zw, c.xy), vec4u(left.w, c.xyz), c, vec4u(c.yzw, right.x), vec4u(c.zw, right.xy));
}

fn evens(row: Row) -> Row {
  return Row(row.before2 & ONES, row.before & ONES, row.centre & ONES, row.after & ONES, row.after2 & ONES);
}

fn odds(row: Row) -> Row {
  let half = vec4u(16u);
  return Row(row.before2 >> half, row.before >> half, row.centre >> half, row.after >> half, row.after2 >> half);
}

// Products only, each rounded once, so that the twin has the same to the last unit.
fn stepAt(z: vec4i) -> vec4i {
  let f = vec4f(z);
  return vec4i(min(max(max(vec4f(steps.least), steps.share * f), steps.noise * (f * f)), vec4f(65535.0)));
}

// 0 where the pixel does not hang; else the surface nearest to it in depth of those it hangs between, of two the nearer one.
fn surfaceBeside(z: vec4i, step: vec4i, up2: Row, up: Row, row: Row, down: Row, down2: Row) -> vec4i {
  var best = vec4i();
  best = pair(best, z, step, row.before2, row.before, row.after, row.after2);
  best = pair(best, z, step, up2.centre, up.centre, down.centre, down2.centre);
  best = pair(best, z, step, up2.before2, up.before, down.after, down2.after2);
  return pair(best, z, step, up2.after2, up.after, down.before, down2.before2);
}

fn pair(best: vec4i, z: vec4i, step: vec4i, far0: vec4u, near0: vec4u, near1: vec4u, far1: vec4u) -> vec4i {
  let a = vec4i(near0);
  let b = vec4i(near1);
  let a2 = vec4i(far0);
  let b2 = vec4i(far1);
  let low = min(a, b);
  let high = max(a, b);
  let gap = high - low;
  let no = vec4i();
  let onA = select(abs(a2 - a), no, a2 == no);
  let onB = select(abs(b2 - b), no, b2 == no);
  let beside = select(onA, onB, a2 == no) + select(onB, onA, b2 == no);
  let hangs = (low != no) & ((a2 | b2) != no) & (z - low > step) & (high - z > step) & (gap > 3 * step) & (gap > 2 * beside);
  let surface = select(low, high, high - z < z - low);
  let isBetter = (best == no) | (abs(surface - z) < abs(best - z)) | ((abs(surface - z) == abs(best - z)) & (surface < best));
  return select(best, surface, hangs & isBetter);
}

fn alike(z: vec4i, step: vec4i, there: vec4u) -> vec4i {
  let v = vec4i(there);
  let off = abs(v - z);
  return select(vec4i(), select(vec4i(1), vec4i(1 + NEAR), 2 * off <= step), (v != vec4i()) & (off <= step));
}

// How many of the five pixels of a row around an even pixel are of its depth; and around an odd one.
fn alikeEven(z: vec4i, step: vec4i, row: Row) -> vec4i {
  let e = evens(row);
  let o = odds(row);
  return alike(z, step, e.before) + alike(z, step, o.before) + alike(z, step, e.centre) + alike(z, step, o.centre)
    + alike(z, step, e.after);
}

fn alikeOdd(z: vec4i, step: vec4i, row: Row) -> vec4i {
  let e = evens(row);
  let o = odds(row);
  return alike(z, step, o.before) + alike(z, step, e.centre) + alike(z, step, o.centre) + alike(z, step, e.after)
    + alike(z, step, o.after);
}

// An invalid pixel is like nothing around it and hangs nowhere: it stays 0.
fn cleanedFrom(z: vec4i, surface: vec4i, count: vec4i) -> vec4i {
  let kept = select(z, vec4i(), (count & vec4i(NEAR - 1)) < vec4i(i32(steps.island)));
  let moved = select(vec4i(), surface, steps.action == SNAP);
  return select(select(kept, moved, (surface != vec4i()) & (count < vec4i(CORNER * NEAR))), vec4i(), z == vec4i());
}
