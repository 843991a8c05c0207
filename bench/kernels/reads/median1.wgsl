// Median 3×3, one output an invocation: nine loads of 32 bits. Two invocations share a word of the output: the first writes it, with the
// second one's half from workgroup memory. medianParts.wgsl is appended.
override ROW_WORDS: u32; // words of two pixels
override HEIGHT: u32;
override WORKGROUP_X: u32; // even
override WORKGROUP_Y: u32;

alias V = i32;

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> filtered: array<u32>;

var<workgroup> outputs: array<u32, WORKGROUP_X * WORKGROUP_Y>;

@compute @workgroup_size(WORKGROUP_X, WORKGROUP_Y)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  let at = vec2i(id.xy);
  let centre = pixelAt(at);
  let pair = mergeColumns(columnAt(at - vec2i(1, 0)), columnAt(at));
  outputs[local] = u32(select(median(pair, columnAt(at + vec2i(1, 0))), 0, centre == 0));
  workgroupBarrier();
  if ((id.x & 1u) == 0u && id.x < 2u * ROW_WORDS && id.y < HEIGHT) {
    filtered[id.y * ROW_WORDS + id.x / 2u] = outputs[local] | (outputs[local + 1u] << 16u);
  }
}

fn columnAt(at: vec2i) -> Three {
  return sortThree(pixelAt(at), pixelAt(at + vec2i(0, 1)), pixelAt(at - vec2i(0, 1)));
}

// Outside the image all is invalid.
fn pixelAt(at: vec2i) -> i32 {
  let inside = vec2u(clamp(at, vec2i(), vec2i(2 * i32(ROW_WORDS), i32(HEIGHT)) - 1));
  let word = words[inside.y * ROW_WORDS + inside.x / 2u];
  return select(0, i32((word >> (16u * (inside.x & 1u))) & 0xffffu), all(vec2i(inside) == at));
}
