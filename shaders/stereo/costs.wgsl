// Kernel 3 (pipeline/README.md). An invocation: 4 disparities of a pixel. A workgroup: 1024 disparities of a row's pixels. It leaves:
// differing bits of two censuses; the sums cleared.
// The cost of each disparity at each pixel of the left image: how many bits of the two censuses differ. One invocation writes four bytes,
// and clears the sums of these four over the paths: writes alone cost less than writes that wait for reads.
override WIDTH: u32;
override HEIGHT: u32;
override COUNT: u32; // disparities
override FROM: u32; // the first of them
override VOLUMES: u32; // of sums, each as large as `costs`

const WORKGROUP = 256u;

@group(0) @binding(0) var<storage, read> codes: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> costs: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = group.y * WIDTH;
  let word = group.x * WORKGROUP + lane;
  let x = word / (COUNT / 4u);
  if (x >= WIDTH) { return; }
  let own = codes[row + x];
  var four = 0u;
  for (var i = 0u; i < 4u; i++) {
    let d = word % (COUNT / 4u) * 4u + i + FROM;
    let bits = countOneBits(own ^ codes[HEIGHT * WIDTH + row + max(x, d) - d]);
    four |= (bits.x + bits.y) << (8u * i);
  }
  let at = row * (COUNT / 4u) + word;
  costs[at] = four;
  for (var volume = 0u; volume < VOLUMES; volume++) { sums[volume * (WIDTH * HEIGHT * (COUNT / 4u)) + at] = 0u; }
}
