// #import "./part.wgsl"
// A kernel whose part does not compile: tests/kernel.test.ts looks at the message.
@group(0) @binding(0) var<storage, read_write> sink: array<u32>;

@compute @workgroup_size(1)
fn main() { sink[0] = part(); }
