// Reads single words of a small table, in storage or in workgroup memory: 16 for each round of an invocation, adjacent invocations adjacent
// words. The sum of what each read is written.
override SHARED: bool; // whether to read from workgroup memory
override ROUNDS: u32;

const LENGTH = 1024u;
const WORKGROUP = 256u;

@group(0) @binding(0) var<storage, read> table: array<u32, LENGTH>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

var<workgroup> cells: array<u32, LENGTH>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  if (SHARED) {
    for (var i = 0u; i < LENGTH / WORKGROUP; i++) { cells[i * WORKGROUP + lane] = table[i * WORKGROUP + lane]; }
    workgroupBarrier();
  }
  var sum = 0u;
  var at = lane;
  for (var round = 0u; round < ROUNDS; round++) {
    for (var i = 0u; i < 16u; i++) {
      let place = (at + 64u * i) & (LENGTH - 1u);
      if (SHARED) { sum += cells[place]; } else { sum += table[place]; }
    }
    at += 1u;
  }
  results[id.x] = sum;
}
