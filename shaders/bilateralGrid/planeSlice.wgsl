// #import "./planeParts.wgsl"
// Replaces each pixel by a weighted mean of the depths that the eight planes around it predict: those of four columns, in the two cells
// between whose centres its depth lies. An invocation writes one word, two pixels. Workgroups are narrow, so that adjacent invocations read
// the same planes.
override SPACE: u32 = 8u;
override INSET: u32 = 0u; // pixels by which the first tile begins left of the frame
override ROW: u32 = 320u; // words per row of depth
override COLUMNS: u32 = 80u;
override MASKS: u32 = 4u; // words of bits per column; one plane per bit

const NOTHING = 0xffffffffu;
const REACH = 3.0; // sigmas: no pixel moves farther

@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read> positionOf: array<u32, 65536>; // by depth: cells from the centre of cell −1, in 1/65536
@group(0) @binding(2) var<storage, read> planes: array<vec4f>; // written by planeFit and planeRefit
@group(0) @binding(3) var<storage, read_write> filtered: array<u32>;
@group(0) @binding(4) var<uniform> axis: PlaneAxis;
@group(0) @binding(5) var<uniform> band: Band;

fn planeSlice(own: u32, position: u32, x: u32, y: u32) -> u32 {
  if (position == NOTHING) {
    return own;
  }
  let d = f32(own);
  let sigma = max(1.0, axis.sigma + axis.growth * d * d);
  let steep = d / (axis.agreement * sigma);
  // The first of the four columns and of the two cells. Planes begin one column before the grid, but at the first cell.
  let place = vec2u(x + INSET, y);
  let corner = (2u * place + 1u + SPACE) / (2u * SPACE);
  let near = i32(position >> 16u) - 1;
  let cells = vec2u(u32(max(near, 0)), min(u32(near + 1), axis.cells - 1u));
  let z = f32(position & 0xffffu) / 65536.0;
  let share = vec2f(select(1.0 - z, 0.0, near < 0), select(z, 0.0, u32(near + 1) >= axis.cells));
  // The distance from the centre of the first column, in pixels.
  let away = vec2f(place + SPACE - corner * SPACE) - 0.5 * f32(SPACE - 1u);
  let across = away / f32(SPACE);
  var sum = 0.0;
  var weight = 0.0;
  for (var k = 0u; k < 4u; k++) {
    let right = vec2u(k % 2u, k / 2u);
    let column = corner + right;
    let first = ((column.y - band.first) * (COLUMNS + 2u) + column.x) * MASKS * 32u;
    let tap = select(1.0 - across, across, right == vec2u(1u));
    let aside = away - vec2f(right * SPACE);
    for (var far = 0u; far < 2u; far++) {
      let plane = planes[first + cells[far]];
      let inverse = plane.x + dot(plane.yz, aside);
      let off = (inverse * d - 1.0) * steep;
      let agrees = 1.0 / (1.0 + off * off);
      let w = tap.x * tap.y * share[far] * plane.w * agrees * agrees;
      sum += w * inverse;
      weight += w;
    }
  }
  let mean = select(d, weight / sum, sum > 0.0);
  let reach = REACH * sigma;
  return u32(floor(max(max(d - reach, 1.0), min(min(d + reach, axis.farthest), mean)) + 0.5));
}

@compute @workgroup_size(4, 16) fn main(@builtin(global_invocation_id) id: vec3u) {
  let y = band.top + id.y;
  if (id.x >= ROW || y >= band.bottom) {
    return;
  }
  let at = y * ROW + id.x;
  let two = depth[at];
  let own = vec2u(two & 0xffffu, two >> 16u);
  // Both loads start before either is needed.
  let positions = vec2u(positionOf[own.x], positionOf[own.y]);
  let left = planeSlice(own.x, positions.x, 2u * id.x, y);
  let right = planeSlice(own.y, positions.y, 2u * id.x + 1u, y);
  filtered[at] = left | (right << 16u);
}
