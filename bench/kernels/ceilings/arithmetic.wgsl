// Operations on registers, 256 in each round of an invocation, written out so that the loop itself takes next to no time: on four vec4s of
// floats or of whole numbers, or on both by turns. Every operation needs the result of one before, and the result of all is written, so
// that none can be left out. A step with whole numbers can be undone, so that a result tells whether all were made.
override KIND: u32;
override ROUNDS: u32;

// The numbers of the kinds: see KINDS in bench/ceilings/arithmetic.ts.
const FMA = 0u;
const ADD = 1u;
const LOGIC = 2u;
const BOTH = 3u;

struct Floats { a: vec4f, b: vec4f, c: vec4f, d: vec4f }
struct Words { a: vec4u, b: vec4u, c: vec4u, d: vec4u }

@group(0) @binding(0) var<storage, read_write> results: array<vec4u>;

@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
  let first = vec4u(id.x, id.x + 1u, id.x + 2u, id.x + 3u);
  let start = vec4f(first & vec4u(1023u)) + 1.0;
  var floats = Floats(start, start + 0.25, start + 0.5, start + 0.75);
  var words = Words(first, first ^ vec4u(0x55u), first ^ vec4u(0xaau), first ^ vec4u(0xffu));
  for (var round = 0u; round < ROUNDS; round++) {
    if (KIND == FMA) {
      floats = multiplyAdd(multiplyAdd(multiplyAdd(multiplyAdd(floats))));
      floats = multiplyAdd(multiplyAdd(multiplyAdd(multiplyAdd(floats))));
      floats = multiplyAdd(multiplyAdd(multiplyAdd(multiplyAdd(floats))));
      floats = multiplyAdd(multiplyAdd(multiplyAdd(multiplyAdd(floats))));
    }
    if (KIND == ADD) {
      words = addWords(addWords(addWords(addWords(words))));
      words = addWords(addWords(addWords(addWords(words))));
      words = addWords(addWords(addWords(addWords(words))));
      words = addWords(addWords(addWords(addWords(words))));
    }
    if (KIND == LOGIC) {
      words = mixWords(mixWords(mixWords(mixWords(words))));
      words = mixWords(mixWords(mixWords(mixWords(words))));
      words = mixWords(mixWords(mixWords(mixWords(words))));
      words = mixWords(mixWords(mixWords(mixWords(words))));
    }
    if (KIND == BOTH) {
      floats = multiplyAdd(multiplyAdd(floats));
      words = mixWords(mixWords(words));
      floats = multiplyAdd(multiplyAdd(floats));
      words = mixWords(mixWords(words));
      floats = multiplyAdd(multiplyAdd(floats));
      words = mixWords(mixWords(words));
      floats = multiplyAdd(multiplyAdd(floats));
      words = mixWords(mixWords(words));
    }
  }
  let sum = floats.a + floats.b + floats.c + floats.d;
  let all = words.a + words.b + words.c + words.d;
  results[id.x] = select(select(all, bitcast<vec4u>(sum), KIND == FMA), all ^ bitcast<vec4u>(sum), KIND == BOTH);
}

fn multiplyAdd(x: Floats) -> Floats {
  let factor = vec4f(0.75);
  let term = vec4f(0.5);
  return Floats(fma(x.a, factor, term), fma(x.b, factor, term), fma(x.c, factor, term), fma(x.d, factor, term));
}

fn addWords(x: Words) -> Words {
  let a = x.a + x.b;
  return Words(a, x.b + x.c, x.c + x.d, x.d + a);
}

fn mixWords(x: Words) -> Words {
  let a = x.a ^ (x.b.yzwx & x.c);
  let b = x.b ^ (x.c.yzwx | x.d);
  let c = x.c ^ (x.d.yzwx & a);
  return Words(a, b, c, x.d ^ (a.yzwx | b));
}
