// Median 3×3, 4 outputs an invocation: 2 words of a row and their neighbours, from three rows, in loads of LOAD bits. medianParts.wgsl is
// appended.
override ROW_WORDS: u32; // words of two pixels
override HEIGHT: u32;
override LOAD: u32;
override WORKGROUP_X: u32;
override WORKGROUP_Y: u32;
override ROW_VECTORS = ROW_WORDS / 2u;

alias V = vec2i;

// The same buffer, seen as words of each width.
@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> twos: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> filtered: array<vec2u>;

// Four pixels of a row and their neighbours; `sides` is (x - 1, x + 4).
struct Row { even: V, odd: V, sides: V }

@compute @workgroup_size(WORKGROUP_X, WORKGROUP_Y)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= ROW_VECTORS || id.y >= HEIGHT) { return; }
  let up = readRow(id.x, id.y - 1u);
  let own = readRow(id.x, id.y);
  let down = readRow(id.x, id.y + 1u);
  let even = sortThree(own.even, down.even, up.even);
  let odd = sortThree(own.odd, down.odd, up.odd);
  let sides = sortThree(own.sides, down.sides, up.sides);
  let pair = mergeColumns(even, odd);
  let before = Three(
    V(sides.low.x, odd.low.x),
    V(sides.middle.x, odd.middle.x),
    V(sides.high.x, odd.high.x),
    V(sides.parity.x, odd.parity.x),
  );
  let after = Three(
    V(even.low.y, sides.low.y),
    V(even.middle.y, sides.middle.y),
    V(even.high.y, sides.high.y),
    V(even.parity.y, sides.parity.y),
  );
  let evens = select(median(pair, before), V(), own.even == V());
  let odds = select(median(pair, after), V(), own.odd == V());
  filtered[id.y * ROW_VECTORS + id.x] = bitcast<vec2u>(evens | (odds << vec2u(16u)));
}

// Outside the image all is invalid. The row above it wraps around to a large number, which is outside too.
fn readRow(x: u32, y: u32) -> Row {
  let at = min(y, HEIGHT - 1u) * ROW_VECTORS + x;
  let own = bitcast<V>(load(at));
  let left = select(0u, words[max(2u * at, 1u) - 1u] >> 16u, x > 0u);
  let right = select(0u, words[min(2u * at + 2u, ROW_WORDS * HEIGHT - 1u)], x + 1u < ROW_VECTORS);
  let inside = select(V(), ALL, vec2<bool>(y < HEIGHT));
  return Row(own & inside, (own >> vec2u(16u)) & inside, bitcast<V>(vec2u(left, right)) & inside);
}

fn load(at: u32) -> vec2u {
  if (LOAD == 64u) { return twos[at]; }
  return vec2u(words[2u * at], words[2u * at + 1u]);
}
