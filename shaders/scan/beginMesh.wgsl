// Lets mesh.wgsl begin at the first word.
@group(0) @binding(8) var<storage, read_write> used: u32;

@compute @workgroup_size(1)
fn main() { used = 0u; }
