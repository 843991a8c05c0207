// #import "./core/rim.wgsl"
// Kernel 1 (pipeline/README.md). An invocation: 2 neighbouring pixels, eight directions each. A workgroup: 32 × 8 pixels. It leaves: filled
// depth, tinted colours.
// Fills holes from their rims, as core/rim.wgsl says.
//
// One invocation writes one word, two pixels. Few pixels are holes: a workgroup first lists its own, and then all invocations fill from
// that list, so that none waits for a neighbour's search. With MARK the filled pixels are tinted in the colour image.
override MARK: u32 = 0u;

const ACROSS = 16u; // words of a workgroup's row
const DOWN = 8u;
const LANES = ACROSS * DOWN;
// Half of the tint is magenta, the other half the pixel's own colour.
const TINT = 0xff7f007fu;

@group(0) @binding(2) var<storage, read> colors: array<u32>;
@group(0) @binding(3) var<storage, read_write> filled: array<u32>;
@group(0) @binding(4) var<storage, read_write> marked: array<u32>;

var<workgroup> found: atomic<u32>;
var<workgroup> holes: array<u32, 2u * LANES>; // pixels of the workgroup's tile; afterwards the depths that fill them

@compute @workgroup_size(ACROSS, DOWN)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let x = 2u * id.x;
  let isInside = x < STRIDE && id.y < HEIGHT;
  let at = select(0u, (id.y * STRIDE + x) / 2u, isInside);
  let word = depth[at];
  let isLeft = isInside && x < WIDTH && (word & 0xffffu) == 0u;
  let isRight = isInside && x + 1u < WIDTH && (word >> 16u) == 0u;
  var left = 0u;
  var right = 0u;
  if (isLeft) { left = list(2u * lane); }
  if (isRight) { right = list(2u * lane + 1u); }
  workgroupBarrier();
  let count = atomicLoad(&found);
  let corner = vec2i(vec2u(2u * ACROSS * group.x, DOWN * group.y));
  for (var i = lane; i < count; i += LANES) {
    holes[i] = fromRim(corner + vec2i(vec2u(holes[i] % (2u * ACROSS), holes[i] / (2u * ACROSS))));
  }
  workgroupBarrier();
  if (!isInside) { return; }
  let fill = select(0u, holes[left], isLeft) | (select(0u, holes[right], isRight) << 16u);
  filled[at] = word | fill;
  if (MARK != 0u) {
    tint(2u * at, (fill & 0xffffu) != 0u);
    tint(2u * at + 1u, fill > 0xffffu);
  }
}

// Adds a hole to the list, and gives its index there.
fn list(pixel: u32) -> u32 {
  let index = atomicAdd(&found, 1u);
  holes[index] = pixel;
  return index;
}

fn tint(at: u32, isFilled: bool) {
  let color = colors[at];
  marked[at] = select(color, TINT + ((color >> 1u) & 0x7f7f7fu), isFilled);
}
