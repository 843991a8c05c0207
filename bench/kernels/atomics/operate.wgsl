// One operation on a cell, ROUNDS times an invocation, with ARITHMETIC multiply-adds before each. The multiply-adds depend on each other
// and not on the operation, so a device may do both at once.
//
// Invocation i works on cell i × STRIDE or, with APART, on one of two cells:
//
//   STRIDE  0   all on cell 0           STRIDE  1   adjacent cells
//   STRIDE 32   each its 128 bytes      APART   n   cells 0 and n, by turns
override OPERATION: u32;
override STRIDE: u32;
override APART: u32;
override ROUNDS: u32;
override ARITHMETIC: u32;
override WORKGROUP: u32 = 64u;

// The numbers of the operations: see OPERATIONS in bench/atomics/plan.ts.
const NONE = 0u;
const ADD = 1u;
const ADD_USED = 2u;
const LOAD = 3u;
const STORE = 4u;
const LOAD_STORE = 5u;

@group(0) @binding(0) var<storage, read_write> cells: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> results: array<vec2u>; // what the operations returned, summed; the arithmetic's result

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let cell = id.x * STRIDE + (id.x & 1u) * APART;
  var returned = 0u;
  var x = f32(id.x);
  for (var round = 0u; round < ROUNDS; round++) {
    for (var i = 0u; i < ARITHMETIC; i++) { x = fma(x, 0.999, 0.5); }
    if (OPERATION == ADD) { atomicAdd(&cells[cell], 1u); }
    if (OPERATION == ADD_USED) { returned += atomicAdd(&cells[cell], 1u); }
    if (OPERATION == LOAD) { returned += atomicLoad(&cells[cell]); }
    if (OPERATION == STORE) { atomicStore(&cells[cell], round + 1u); }
    if (OPERATION == LOAD_STORE) { atomicStore(&cells[cell], atomicLoad(&cells[cell]) + 1u); }
  }
  results[id.x] = vec2u(returned, bitcast<u32>(x));
}
