// #import "../core/exact.wgsl"
// #import "./planeParts.wgsl"
// Kernel 7 (pipeline/README.md). An invocation: one word of depth: 2 pixels. A workgroup: 8 × 16 pixels. It leaves: filtered depth.
// Replaces each pixel by a weighted mean of the depths that the eight planes around it predict: those of four columns, in the two cells
// between whose centres its depth lies. An invocation writes one word, two pixels. Workgroups are narrow, so that adjacent invocations read
// the same planes.
override SPACE: u32 = 8u;
override INSET: u32 = 0u; // pixels by which the first tile begins left of the frame
override ROW: u32 = 320u; // words per row of depth
override COLUMNS: u32 = 80u;
override PER_SPACE: f32 = 1.0 / f32(SPACE);
override MASKS: u32 = 4u; // words of bits per column; one plane per bit

const NOTHING = 0xffffffffu;
const REACH = 3.0; // sigmas: no pixel moves farther

@group(0) @binding(0) var<storage, read> depth: array<u32>;
// For each depth: cells from the centre of cell −1, in 1/65536; and the factor (f32) that scales a relative distance from a plane.
@group(0) @binding(1) var<storage, read> positionOf: array<vec2u, 65536>;
@group(0) @binding(2) var<storage, read> planes: array<vec4f>; // written by planeFit and planeRefit
@group(0) @binding(3) var<storage, read_write> filtered: array<u32>;
@group(0) @binding(4) var<uniform> axis: PlaneAxis;
@group(0) @binding(5) var<uniform> band: Band;

fn planeSlice(own: u32, at: vec2u, x: u32, y: u32) -> u32 {
  let position = at.x;
  if (position == NOTHING) {
    return own;
  }
  let d = f32(own);
  let steep = bitcast<f32>(at.y);
  let scaled = times(steep, d);
  // The first of the four columns and of the two cells. The first plane belongs to the column before the grid, and to the first cell.
  let place = vec2u(x + INSET, y);
  let corner = (2u * place + 1u + SPACE) / (2u * SPACE);
  let near = i32(position >> 16u) - 1;
  let cells = vec2u(u32(max(near, 0)), min(u32(near + 1), axis.cells - 1u));
  let isNear = near >= 0;
  let isFar = axis.cells > u32(near + 1);
  let z = f32(position & 0xffffu) / 65536.0;
  // The distance from the centre of the first column, in pixels.
  let away = vec2f(place + SPACE - corner * SPACE) - 0.5 * f32(SPACE - 1u);
  let across = vec2f(times(away.x, PER_SPACE), times(away.y, PER_SPACE));
  var sums: array<vec2f, 4>; // Σ weight · inverse depth and Σ weight, by column
  for (var k = 0u; k < 4u; k++) {
    let right = vec2u(k % 2u, k / 2u);
    let column = corner + right;
    let first = ((column.y - band.first) * (COLUMNS + 2u) + column.x) * MASKS * 32u;
    let taps = select(1.0 - across, across, right == vec2u(1u));
    let tap = times(taps.x, taps.y);
    let far = times(tap, z);
    let aside = away - vec2f(right * SPACE);
    let a = predicted(planes[first + cells.x], aside, scaled, steep, select(0.0, summed(tap - far), isNear));
    let b = predicted(planes[first + cells.y], aside, scaled, steep, select(0.0, far, isFar));
    sums[k] = vec2f(summed(times(a.x, a.y) + times(b.x, b.y)), summed(a.y + b.y));
  }
  let left = summed3(vec3f(sums[0] + sums[2], 0.0));
  let both = summed3(left + summed3(vec3f(sums[1] + sums[3], 0.0)));
  let mean = select(d, times(both.y, reciprocal(both.x)), both.x > 0.0);
  let reach = times(REACH, max(summed(axis.sigma + times(axis.growth, times(d, d))), 1.0));
  return u32(floor(max(max(summed(d - reach), 1.0), min(min(summed(d + reach), axis.farthest), mean)) + 0.5));
}

// The inverse depth at a place by a plane, and the weight that the plane has for the pixel.
fn predicted(plane: vec4f, aside: vec2f, scaled: f32, steep: f32, tap: f32) -> vec2f {
  let inverse = summed(plane.x + summed(times(plane.y, aside.x) + times(plane.z, aside.y)));
  let off = summed(times(inverse, scaled) - steep);
  let agreed = summed(times(off, off) + 1.0);
  return vec2f(inverse, times(times(tap, plane.w), nearlyReciprocal(times(agreed, agreed))));
}

@compute @workgroup_size(4, 16) fn main(@builtin(global_invocation_id) id: vec3u) {
  hideConstants(axis.zero);
  let y = band.top + id.y;
  if (id.x >= ROW || y >= band.bottom) {
    return;
  }
  let at = y * ROW + id.x;
  let two = depth[at];
  let own = vec2u(two & 0xffffu, two >> 16u);
  // Both loads start before either is needed.
  let positions = array(positionOf[own.x], positionOf[own.y]);
  let left = planeSlice(own.x, positions[0], 2u * id.x, y);
  let right = planeSlice(own.y, positions[1], 2u * id.x + 1u, y);
  filtered[at] = left | (right << 16u);
}
