// ROUNDS atomic additions an invocation: all on one cell (STRIDE 0), or each on a cell beside its neighbour's (STRIDE 1).
override STRIDE: u32;
override ROUNDS: u32;
override WORKGROUP: u32 = 64u;

@group(0) @binding(0) var<storage, read_write> cells: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3u) {
  for (var round = 0u; round < ROUNDS; round++) { atomicAdd(&cells[id.x * STRIDE], 1u); }
}
