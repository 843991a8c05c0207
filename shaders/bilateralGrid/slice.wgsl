// Eight pixels of a row each: the blurred grid at the pixel's place and depth, trilinear, rounded once. Neighbouring
// invocations are below each other, where depth is alike.
//
//   columns   q          q+1      A pixel lies between the centres of four columns and of two depth cells: eight
//             ●───────────●       (sum, weight) pairs. Eight neighbouring pixels mostly lie between the same eight,
//             │  ░░░░░░░░ │       which are then loaded and mixed along y once for all of them: one trip of the loop.
//             ●───────────●
override SPACE: u32 = 16u;
override HEIGHT: u32 = 480u;
override ROW: u32 = 80u; // vec4u in a row of depth
override COLUMNS: u32 = 42u; // of the blurred grid
override COLUMN: u32 = 204u; // pairs in a column of it

const OFF_AXIS = 0xffffffffu;

@group(0) @binding(0) var<storage, read> depth: array<vec4u>;
@group(0) @binding(1) var<storage, read> positionOf: array<u32, 65536>; // by depth: cells from the centre of cell −1, in 1/65536
@group(0) @binding(2) var<storage, read> blurred: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> filtered: array<vec4u>;

// (sum, weight) = a + x·b + z·(c + x·d) in the box whose first pair is at `at`, `fy` of the way down.
struct Box {
  a: vec2f,
  b: vec2f,
  c: vec2f,
  d: vec2f,
}

fn boxAt(at: u32, fy: f32) -> Box {
  let down = at + COLUMN * COLUMNS;
  let a = mix(blurred[at], blurred[down], fy);
  let b = mix(blurred[at + COLUMN], blurred[down + COLUMN], fy) - a;
  let c = mix(blurred[at + 1u], blurred[down + 1u], fy) - a;
  let d = mix(blurred[at + COLUMN + 1u], blurred[down + COLUMN + 1u], fy) - a - b - c;
  return Box(a, b, c, d);
}

// Depths at places `x`, `z` of one box. 2²³ + mean has the mean, rounded, in its low bits; it is 1 at least, being a mean of
// depths that are.
fn means(box: Box, x: vec4f, z: vec4f) -> vec4u {
  let sum = box.a.x + x * box.b.x + z * (box.c.x + x * box.d.x);
  let weight = box.a.y + x * box.b.y + z * (box.c.y + x * box.d.y);
  return bitcast<vec4u>(sum / weight + 8388608.0) & vec4u(0xffffu);
}

fn least(a: vec4u, b: vec4u) -> u32 {
  let four = min(a, b);
  return min(min(four.x, four.y), min(four.z, four.w));
}

@compute @workgroup_size(2, 32) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= ROW || id.y >= HEIGHT) {
    return;
  }
  let at = id.y * ROW + id.x;
  let eight = depth[at];
  var low = eight & vec4u(0xffffu);
  var high = eight >> vec4u(16u);
  let lowAt = vec4u(positionOf[low.x], positionOf[low.y], positionOf[low.z], positionOf[low.w]);
  let highAt = vec4u(positionOf[high.x], positionOf[high.y], positionOf[high.z], positionOf[high.w]);
  // In 1/(2 SPACE) of a column from the centre of the column before the first: whole, and odd, so never on a border.
  let v = 2u * id.y + 1u + SPACE;
  let fy = f32(i32(v % (2u * SPACE))) / f32(2u * SPACE);
  let above = v / (2u * SPACE) * COLUMN * COLUMNS;
  let u = 16u * id.x + 1u + SPACE;
  let x = f32(i32(u % (2u * SPACE))) * (0.5 / f32(SPACE));
  var lowX = x + vec4f(0.0, 2.0, 4.0, 6.0) * (1.0 / f32(SPACE));
  var highX = lowX + 1.0 / f32(SPACE);
  let column = above + u / (2u * SPACE) * COLUMN;
  var lowColumn = vec4u(column);
  var highColumn = vec4u(column);
  // Eight pixels may reach into the next column, and of the smallest sigma into the one after.
  if (SPACE % 16u != 0u) {
    lowColumn += vec4u(lowX) * COLUMN;
    highColumn += vec4u(highX) * COLUMN;
    lowX = fract(lowX);
    highX = fract(highX);
  }
  let lowZ = vec4f(vec4i(lowAt & vec4u(0xffffu))) * (1.0 / 65536.0);
  let highZ = vec4f(vec4i(highAt & vec4u(0xffffu))) * (1.0 / 65536.0);
  // The first pair of each pixel's box; pixels that stay as they are have none.
  let none = vec4u(OFF_AXIS);
  var lowBox = select(lowColumn + (lowAt >> vec4u(16u)), none, lowAt == none);
  var highBox = select(highColumn + (highAt >> vec4u(16u)), none, highAt == none);
  var next = least(lowBox, highBox);
  if (next == OFF_AXIS) {
    filtered[at] = eight;
    return;
  }
  for (var trip = 0u; trip < 8u; trip++) {
    let box = boxAt(next, fy);
    let inLow = lowBox == vec4u(next);
    let inHigh = highBox == vec4u(next);
    low = select(low, means(box, lowX, lowZ), inLow);
    high = select(high, means(box, highX, highZ), inHigh);
    lowBox = select(lowBox, none, inLow);
    highBox = select(highBox, none, inHigh);
    next = least(lowBox, highBox);
    // Here, and not where the loop begins: SwiftShader would run the body once more.
    if (next == OFF_AXIS) {
      break;
    }
  }
  filtered[at] = low | (high << vec4u(16u));
}
