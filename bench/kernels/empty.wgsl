@group(0) @binding(0) var<storage, read_write> counter: array<u32, 4>;
@compute @workgroup_size(1) fn main() { counter[0] = counter[0] + 1u; }
