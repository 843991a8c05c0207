// #import "../core/exact.wgsl"
// #import "./state.wgsl"
// #import "./keyframePlanes.wgsl"
// Kernel 1 (pipeline/README.md). An invocation: 4 × 4 pixels. A workgroup: 32 × 32 pixels. It leaves: the pyramid, and a new keyframe's
// planes.
// The pyramid of a frame: its depth in metres at 1/2, 1/4 and 1/8 of its size. A pixel is the mean of those of its 2 × 2 that lie within
// 3 % of the nearest; 0 is invalid. A workgroup makes 16 × 16, 8 × 8 and 4 × 4 pixels of 32 × 32:
//
//     each invocation: ┌──┬──┐ 4 × 4 of depth → 2 × 2 of level 0 → 1 of level 1;  a quarter of them: 1 of level 2
//                      └──┴──┘
//
// If the frame before is the new keyframe, each invocation also leaves that frame's planes (keyframePlanes.wgsl) in the places of its own
// pixels. A dispatch for planes alone would have nothing to do for nearly all frames, and would cost as much as this one.
override ROW: u32; // words per row of depth

const TILE = 8u;

@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read_write> pyramid: array<f32>;
@group(0) @binding(2) var<storage, read> before: Known;

var<workgroup> level1: array<f32, TILE * TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_id) own: vec3u) {
  hideConstants(shape.zero);
  // Loaded with the pixels, so that nothing waits for it later.
  let isKey = before.isKey != 0u;
  var two: array<f32, 4>;
  for (var i = 0u; i < 4u; i++) {
    let place = 2u * at.xy + vec2u(i & 1u, i >> 1u);
    two[i] = 0.0;
    if (all(place < vec2u(shape.levels[0].width, shape.levels[0].height))) {
      // A word of depth has two pixels side by side.
      let above = depth[2u * place.y * ROW + place.x];
      let below = depth[(2u * place.y + 1u) * ROW + place.x];
      let four = vec4f(vec4u(above & 0xffffu, above >> 16u, below & 0xffffu, below >> 16u));
      two[i] = times(meanOf(four), shape.metresPerUnit);
      pyramid[place.y * shape.levels[0].width + place.x] = two[i];
    }
  }
  let one = meanOf(vec4f(two[0], two[1], two[2], two[3]));
  if (all(at.xy < vec2u(shape.levels[1].width, shape.levels[1].height))) {
    pyramid[shape.levels[1].first + at.y * shape.levels[1].width + at.x] = one;
  }
  level1[own.y * TILE + own.x] = one;
  if (isKey) { leavePlanes(at.xy); }
  workgroupBarrier();
  let half = at.xy / 2u;
  if (any((own.xy & vec2u(1u)) != vec2u()) || half.x >= shape.levels[2].width || half.y >= shape.levels[2].height) { return; }
  let i = own.y * TILE + own.x;
  let coarse = meanOf(vec4f(level1[i], level1[i + 1u], level1[i + TILE], level1[i + TILE + 1u]));
  pyramid[shape.levels[2].first + half.y * shape.levels[2].width + half.x] = coarse;
}

fn meanOf(four: vec4f) -> f32 {
  let far = select(four, vec4f(1e9), four == vec4f());
  let least = min(min(far.x, far.y), min(far.z, far.w));
  let isNear = far <= vec4f(least * (1.0 + SURFACE));
  let near = select(vec4f(), four, isNear);
  let count = countOneBits(dot(select(vec4u(), vec4u(1u, 2u, 4u, 8u), isNear), vec4u(1u)));
  let sum = summed(summed(summed(near.x + near.y) + near.z) + near.w);
  let perCount = select(select(1.0, 0.5, count == 2u), select(1.0 / 3.0, 0.25, count == 4u), count > 2u);
  return select(times(sum, perCount), 0.0, least > 1e8);
}
