// Median 3×3, two outputs an invocation: a word of 32 bits and its neighbours, from three rows. medianParts.wgsl is appended.
override ROW_WORDS: u32; // words of two pixels
override HEIGHT: u32;
override WORKGROUP_X: u32;
override WORKGROUP_Y: u32;

alias V = i32;

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> filtered: array<u32>;

// Two pixels of a row and their neighbours.
struct Word { even: V, odd: V, left: V, right: V }

@compute @workgroup_size(WORKGROUP_X, WORKGROUP_Y)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= ROW_WORDS || id.y >= HEIGHT) { return; }
  let up = readRow(id.x, id.y - 1u);
  let own = readRow(id.x, id.y);
  let down = readRow(id.x, id.y + 1u);
  let pair = mergeColumns(sortThree(own.even, down.even, up.even), sortThree(own.odd, down.odd, up.odd));
  let before = sortThree(own.left, down.left, up.left);
  let after = sortThree(own.right, down.right, up.right);
  let even = select(median(pair, before), 0, own.even == 0);
  let odd = select(median(pair, after), 0, own.odd == 0);
  filtered[id.y * ROW_WORDS + id.x] = bitcast<u32>(even | (odd << 16u));
}

// Outside the image all is invalid. The row above it wraps around to a large number, which is outside too.
fn readRow(x: u32, y: u32) -> Word {
  let at = min(y, HEIGHT - 1u) * ROW_WORDS + x;
  let own = bitcast<i32>(words[at]);
  let left = select(0u, words[max(at, 1u) - 1u] >> 16u, x > 0u);
  let right = select(0u, words[min(at + 1u, ROW_WORDS * HEIGHT - 1u)], x + 1u < ROW_WORDS);
  let inside = select(V(), ALL, y < HEIGHT);
  return Word(own & inside, (own >> 16u) & inside, i32(left) & inside, bitcast<i32>(right) & inside);
}
