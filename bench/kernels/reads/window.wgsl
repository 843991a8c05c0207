// Sums a window of (2·RADIUS + 1)² words around each pixel, weighted by a tent: RADIUS + 1 in the middle, 1 at the rim, in x and in y.
// An invocation has CHUNK neighbouring pixels, whose windows share what it reads:
//
//   CHUNK 1, RADIUS 2    reads 5 in a row for one sum          CHUNK 4    reads 8 in a row for four sums
//
// DOWN: the pixels of an invocation lie below each other, so that neighbouring invocations read neighbouring words; else side by side.
// windowReadWrite.wgsl is the same with `pixels` bound read-write.
override WIDTH: u32;
override HEIGHT: u32;
override RADIUS: u32;
override CHUNK: u32;
override DOWN: bool;

const MOST = 8u; // of CHUNK
const FARTHEST = 4u; // of RADIUS

@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(32, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let first = id.xy * select(vec2u(CHUNK, 1u), vec2u(1u, CHUNK), DOWN);
  if (first.x >= WIDTH || first.y >= HEIGHT) { return; }
  var own = array<u32, MOST>();
  for (var i = 0u; i <= 2u * RADIUS; i++) {
    var line = array<u32, MOST + 2u * FARTHEST>();
    for (var j = 0u; j < CHUNK + 2u * RADIUS; j++) {
      let offset = select(vec2u(j, i), vec2u(i, j), DOWN);
      line[j] = pixelAt(vec2i(first + offset) - i32(RADIUS));
    }
    for (var c = 0u; c < CHUNK; c++) {
      for (var j = 0u; j <= 2u * RADIUS; j++) { own[c] += line[c + j] * weightOf(i) * weightOf(j); }
    }
  }
  for (var c = 0u; c < CHUNK; c++) {
    let at = first + select(vec2u(c, 0u), vec2u(0u, c), DOWN);
    if (at.x < WIDTH && at.y < HEIGHT) { sums[at.y * WIDTH + at.x] = own[c]; }
  }
}

// Outside the image all is 0.
fn pixelAt(place: vec2i) -> u32 {
  let at = vec2u(clamp(place, vec2i(), vec2i(i32(WIDTH), i32(HEIGHT)) - 1));
  return select(0u, pixels[at.y * WIDTH + at.x], all(vec2i(at) == place));
}

fn weightOf(place: u32) -> u32 {
  return RADIUS + 1u - max(place, RADIUS) + min(place, RADIUS);
}
