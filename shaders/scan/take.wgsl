// #import "./places.wgsl"
// Part of touch.wgsl and carve.wgsl: puts bricks on the frame's list, each once. A workgroup first collects the bricks that its
// invocations take, so that the list's length grows once for all of them.
override WORKGROUP: u32 = 64u;
override TAKEN: u32 = WORKGROUP * EACH;

// The most bricks that an invocation takes.
const EACH = 7u;

@group(0) @binding(1) var<storage, read_write> counts: Counters;
@group(0) @binding(4) var<storage, read_write> list: array<u32>;
@group(0) @binding(5) var<storage, read_write> changed: array<atomic<u32>>; // by brick: the number of the last frame

var<workgroup> taken: array<u32, TAKEN>;
var<workgroup> takenCount: atomic<u32>;
var<workgroup> start: u32;

fn take(brick: u32, turn: u32) {
  if (atomicLoad(&changed[brick]) == turn || atomicExchange(&changed[brick], turn) == turn) { return; }
  taken[atomicAdd(&takenCount, 1u)] = brick;
}

// Every invocation calls this at the end.
fn listTaken(local: u32) {
  workgroupBarrier();
  let count = atomicLoad(&takenCount);
  if (local == 0u && count > 0u) { start = atomicAdd(&counts.listed, count); }
  workgroupBarrier();
  for (var i = local; i < count; i += WORKGROUP) { list[start + i] = taken[i]; }
}
