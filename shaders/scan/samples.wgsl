// #import "./find.wgsl"
// Part of mesh.wgsl: the samples of a brick and of one voxel around it, and where the surface crosses the edges between them.
override WORKGROUP: u32 = 128u;
// Voxels of less weight are unknown.
override KNOWN: u32;

const SIDE = 10u;
const CELLS = 9u;
const SAMPLES = 1000u;
// As in scan/mesh/layout.ts.
const STEEPEST = 40958.75;

@group(0) @binding(2) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> pool: array<u32>;

// The first words of the 27 bricks in and around the place; NONE where there is none.
var<workgroup> around: array<u32, 27>;
// Distance (low half) and weight of each sample, x + 10 y + 100 z; sample (1, 1, 1) is the brick's first voxel.
var<workgroup> samples: array<u32, SAMPLES>;
// For each row of samples, y + 10 z: a bit for each known sample | a bit for each known and solid sample << 16.
var<workgroup> rows: array<u32, 100>;
// For each row and axis, axis + 3 (y + 10 z): a bit for each edge from a sample along the axis that the surface crosses.
var<workgroup> crossed: array<u32, 300>;
var<workgroup> signs: atomic<u32>;
var<workgroup> bothSigns: u32;

const NONE = 0xffffffffu;

// Reads the samples. Returns whether both signs occur.
fn gather(brick: u32, place: vec3i, local: u32) -> bool {
  if (local < 27u) {
    let beside = vec3i(vec3u(local % 3u, local / 3u % 3u, local / 9u)) - 1;
    let found = findBrick(place + beside);
    around[local] = select(u32(found) * BRICK_WORDS, NONE, found < 0);
  }
  workgroupBarrier();
  for (var i = local; i < SAMPLES; i += WORKGROUP) { samples[i] = sampleOf(i); }
  workgroupBarrier();
  if (local < 100u) {
    var bits = 0u;
    for (var x = 0u; x < SIDE; x++) {
      let sample = samples[local * SIDE + x];
      let isKnown = select(0u, 1u, sample >> 16u >= KNOWN);
      bits |= (isKnown | ((isKnown & (sample >> 15u)) << 16u)) << x;
    }
    rows[local] = bits;
    let solid = bits >> 16u;
    atomicOr(&signs, select(0u, 1u, solid != 0u) | select(0u, 2u, (bits & 0xffffu) != solid));
  }
  workgroupBarrier();
  if (local == 0u) { bothSigns = atomicLoad(&signs); }
  return workgroupUniformLoad(&bothSigns) == 3u;
}

// The brick and the voxel of a sample: its brick's first word, and its number there.
fn voxelOf(sample: u32) -> vec2u {
  let at = vec3u(sample % SIDE, sample / SIDE % SIDE, sample / (SIDE * SIDE)) + 7u;
  let beside = at >> vec3u(3u);
  let voxel = at & vec3u(7u);
  return vec2u(around[beside.x + 3u * beside.y + 9u * beside.z], voxel.x + 8u * voxel.y + 64u * voxel.z);
}

fn sampleOf(sample: u32) -> u32 {
  let voxel = voxelOf(sample);
  if (voxel.x == NONE) { return 0u; }
  let word = voxel.x + voxel.y / 2u;
  let shift = 16u * (voxel.y & 1u);
  return extractBits(pool[word], shift, 16u) | (extractBits(pool[word + 256u], shift, 16u) << 16u);
}

fn distanceOf(sample: u32) -> i32 { return extractBits(i32(samples[sample]), 0u, 16u); }

fn isSolid(x: u32, row: u32) -> bool { return ((rows[row] >> (16u + x)) & 1u) == 1u; }

// Finds the edges that the surface crosses: both ends are known, one of them is solid, and the distance changes by no more than STEEPEST.
fn findCrossings(local: u32) {
  for (var i = local; i < 300u; i += WORKGROUP) {
    let axis = i % 3u;
    let row = i / 3u;
    var bits = 0u;
    if (!(axis == 1u && row % SIDE == CELLS) && !(axis == 2u && row / SIDE == CELLS)) {
      let next = row + vec3u(0u, 1u, SIDE)[axis];
      let to = rows[next] >> select(0u, 1u, axis == 0u);
      bits = rows[row] & to & ((rows[row] ^ to) >> 16u) & 0x3ffu;
      let step = vec3u(1u, SIDE, SIDE * SIDE)[axis];
      for (var left = bits; left != 0u; left &= left - 1u) {
        let x = firstTrailingBit(left);
        let at = x + SIDE * row;
        if (f32(abs(distanceOf(at) - distanceOf(at + step))) > STEEPEST) { bits &= ~(1u << x); }
      }
    }
    crossed[i] = bits;
  }
}
