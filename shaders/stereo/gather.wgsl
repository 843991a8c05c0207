// Sums over the surfaces of the 16 × 16 pixels of a workgroup: first along each pixel's arms in its row, then these sums along its arms in
// its column. A sum may wrap around: its difference from the sum of the weights times a disparity of the surface is small, and is right.
override WIDTH: u32;
override HEIGHT: u32;

const ARM = 5u;
const TILE = 16u;
const ARMED = TILE + 2u * ARM;
const WORKGROUP = 256u;

@group(0) @binding(0) var<storage, read> terms: array<vec4u>;

var<workgroup> weights: array<u32, ARMED * ARMED>;
var<workgroup> moved: array<u32, ARMED * ARMED>;
var<workgroup> counts: array<u32, ARMED * ARMED>;
var<workgroup> lineWeights: array<u32, TILE * ARMED>;
var<workgroup> lineMoved: array<u32, TILE * ARMED>;
var<workgroup> lineCounts: array<u32, TILE * ARMED>;

// Returns the sums of the three terms, and the pixel's own last word. Every invocation calls this function; pixels outside of the image
// have no terms.
fn gather(id: vec2u, local: vec2u) -> vec4u {
  let lane = local.y * TILE + local.x;
  let corner = id - local - ARM;
  for (var i = lane; i < ARMED * ARMED; i += WORKGROUP) {
    let term = termAt(corner + vec2u(i % ARMED, i / ARMED));
    weights[i] = term.x;
    moved[i] = term.y;
    counts[i] = term.z;
  }
  workgroupBarrier();
  for (var i = lane; i < TILE * ARMED; i += WORKGROUP) {
    let arms = termAt(corner + vec2u(i % TILE + ARM, i / TILE)).w >> 16u;
    let middle = i / TILE * ARMED + i % TILE + ARM;
    var sum = vec3u();
    for (var k = middle - ((arms >> 3u) & 7u); k <= middle + (arms & 7u); k++) { sum += vec3u(weights[k], moved[k], counts[k]); }
    lineWeights[i] = sum.x;
    lineMoved[i] = sum.y;
    lineCounts[i] = sum.z;
  }
  workgroupBarrier();
  let word = termAt(id).w;
  var sum = vec3u();
  for (var y = local.y + ARM - (word >> 25u); y <= local.y + ARM + ((word >> 22u) & 7u); y++) {
    let k = y * TILE + local.x;
    sum += vec3u(lineWeights[k], lineMoved[k], lineCounts[k]);
  }
  return vec4u(sum, word);
}

// Left of the image and above it, numbers wrap around to large ones, which are outside too.
fn termAt(at: vec2u) -> vec4u {
  if (at.x >= WIDTH || at.y >= HEIGHT) { return vec4u(); }
  return terms[at.y * WIDTH + at.x];
}
