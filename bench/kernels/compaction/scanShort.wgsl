// Exclusive scan in place of a list that one workgroup can walk: each invocation sums a run of EACH counts, the workgroup scans the sums
// (Hillis and Steele 1986: log2 steps, all invocations in each), and each invocation writes its run. Also writes the total.
override LENGTH: u32;
override EACH: u32 = (LENGTH + WORKGROUP - 1u) / WORKGROUP;

const WORKGROUP = 256u;
const STEPS = 8u; // log2 of WORKGROUP

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> total: array<u32>;

var<workgroup> sums: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) local: u32) {
  let first = local * EACH;
  var sum = 0u;
  for (var i = 0u; i < EACH; i++) {
    if (first + i < LENGTH) { sum += counts[first + i]; }
  }
  sums[local] = sum;
  workgroupBarrier();
  for (var step = 0u; step < STEPS; step++) {
    let reach = 1u << step;
    let earlier = select(0u, sums[max(local, reach) - reach], local >= reach);
    workgroupBarrier();
    sums[local] += earlier;
    workgroupBarrier();
  }
  var before = sums[local] - sum;
  for (var i = 0u; i < EACH; i++) {
    if (first + i < LENGTH) {
      let count = counts[first + i];
      counts[first + i] = before;
      before += count;
    }
  }
  if (local == WORKGROUP - 1u) { total[0] = sums[local]; }
}
