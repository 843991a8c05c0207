// #import "./splats.wgsl"
// Kernel 4 (pipeline/README.md). An invocation: some entries of a list. A workgroup: one tile's list. It leaves: the list, near to far.
// One workgroup sorts one tile's list by (distance, point). All points of a list differ, so there are no ties, and the order in which the
// scatter left them does not matter.
//
// The sort key is one word, the code: below, the point minus the tile's first, in as many bits as the tile's points need; above, in the
// other bits, the distance minus the tile's smallest. A tile spans a narrow range of both, so the word mostly holds them whole. Otherwise
// the distance loses its lowest bits: distances closer together than 2⁻¹³ of the tile's range count as equal.
//
//   code   dddddddddddddddddd pppppppppppppp      18 bits of distance, 14 of point, or as the tile needs
//
// Windows of CAPACITY codes are sorted in workgroup memory: first by their upper bits into BUCKETS, then each code counts the smaller codes
// of its own bucket. A list longer than a window is then merged in storage memory, in runs of 2, 4 … windows, down to the steps that fit in
// a window again (bitonic). Every comparison is upwards: first the two halves of a run are compared end to end, then at half the distance
// each time. So the length of a list need not be a power of two.
//
//   run of 8    flip  0─7 1─6 2─5 3─4     then  0─2 1─3 4─6 5─7     then  0─1 2─3 4─5 6─7

// Invocations per tile.
override LANES: u32 = 128u;
override SUMS: u32 = 2u * LANES;
// Codes per window: a power of two.
override CAPACITY: u32 = 512u;
// A power of two, at least LANES.
override BUCKETS: u32 = 256u;
override BUCKETS_PER_LANE = BUCKETS / LANES;

@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> list: array<vec2u>; // distance and point; once sorted: code and point

var<workgroup> least: array<atomic<u32>, 2>; // the smallest distance and point of the tile
var<workgroup> most: array<atomic<u32>, 2>;
var<workgroup> codes: array<u32, CAPACITY>;
var<workgroup> spare: array<u32, CAPACITY>;
var<workgroup> bins: array<atomic<u32>, BUCKETS>;
var<workgroup> sums: array<u32, SUMS>;

// How the tile's codes are made.
var<private> base: vec2u;
var<private> pointBits: u32;
var<private> dropped: u32;
var<private> bucketShift: u32;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let tile = group.y * grid.tiles.x + group.x;
  let first = starts[tile];
  let last = starts[tile + 1u];
  let size = last - first;
  if (size < 2u || last > grid.entries) {
    return;
  }
  measure(first, last, lane);
  for (var at = first; at < last; at += CAPACITY) {
    let length = min(CAPACITY, last - at);
    for (var i = lane; i < length; i += LANES) {
      codes[i] = codeOf(list[at + i]);
    }
    sortByBuckets(at, length, lane);
  }
  for (var run = 2u * CAPACITY; run < 2u * size; run <<= 1u) {
    compareInMemory(first, size, run >> 1u, true, lane);
    for (var step = run >> 2u; step >= CAPACITY; step >>= 1u) {
      compareInMemory(first, size, step, false, lane);
    }
    storageBarrier();
    for (var window = first; window < last; window += CAPACITY) {
      let held = min(CAPACITY, last - window);
      for (var i = lane; i < held; i += LANES) {
        codes[i] = list[window + i].x;
      }
      for (var step = CAPACITY >> 1u; step > 0u; step >>= 1u) {
        compare(held, step, lane);
      }
      store(window, held, lane);
    }
  }
}

// Finds the range of the tile's distances and points.
fn measure(first: u32, last: u32, lane: u32) {
  if (lane < 2u) {
    atomicStore(&least[lane], 0xffffffffu);
    atomicStore(&most[lane], 0u);
  }
  var low = vec2u(0xffffffffu);
  var high = vec2u(0u);
  for (var i = first + lane; i < last; i += LANES) {
    let entry = list[i];
    low = min(low, entry);
    high = max(high, entry);
  }
  workgroupBarrier();
  for (var c = 0u; c < 2u; c++) {
    atomicMin(&least[c], low[c]);
    atomicMax(&most[c], high[c]);
  }
  workgroupBarrier();
  base = vec2u(atomicLoad(&least[0]), atomicLoad(&least[1]));
  let range = vec2u(atomicLoad(&most[0]), atomicLoad(&most[1])) - base;
  let bits = vec2u(32u) - countLeadingZeros(range);
  pointBits = bits.y;
  dropped = bits.x + bits.y - min(bits.x + bits.y, 32u);
  let codeBits = min(bits.x + bits.y, 32u);
  bucketShift = codeBits - min(codeBits, countTrailingZeros(BUCKETS));
}

fn codeOf(entry: vec2u) -> u32 {
  let distance = (entry.x - base.x) >> dropped;
  // WGSL takes shifts modulo 32. A tile of a single distance needs no bits for it, so `distance` is 0 then.
  return select(distance << (pointBits & 31u), 0u, distance == 0u) | (entry.y - base.y);
}

fn pointOf(code: u32) -> u32 {
  return base.y + select(code & ((1u << (pointBits & 31u)) - 1u), code, pointBits >= 32u);
}

fn leave(at: u32, code: u32) {
  list[at] = vec2u(code, pointOf(code));
}

fn store(at: u32, held: u32, lane: u32) {
  workgroupBarrier();
  for (var i = lane; i < held; i += LANES) {
    leave(at + i, codes[i]);
  }
  workgroupBarrier();
}

fn sortByBuckets(at: u32, length: u32, lane: u32) {
  for (var i = 0u; i < BUCKETS_PER_LANE; i++) {
    atomicStore(&bins[BUCKETS_PER_LANE * lane + i], 0u);
  }
  workgroupBarrier();
  for (var i = lane; i < length; i += LANES) {
    atomicAdd(&bins[codes[i] >> bucketShift], 1u);
  }
  workgroupBarrier();
  var sum = 0u;
  for (var i = 0u; i < BUCKETS_PER_LANE; i++) {
    sum += atomicLoad(&bins[BUCKETS_PER_LANE * lane + i]);
  }
  var upTo = sum;
  var side = 0u;
  for (var step = 1u; step < LANES; step <<= 1u) {
    sums[side * LANES + lane] = upTo;
    workgroupBarrier();
    upTo += select(0u, sums[side * LANES + max(lane, step) - step], lane >= step);
    side = 1u - side;
  }
  var start = upTo - sum;
  for (var i = 0u; i < BUCKETS_PER_LANE; i++) {
    let count = atomicLoad(&bins[BUCKETS_PER_LANE * lane + i]);
    atomicStore(&bins[BUCKETS_PER_LANE * lane + i], start);
    start += count;
  }
  workgroupBarrier();
  for (var i = lane; i < length; i += LANES) {
    let code = codes[i];
    let slot = atomicAdd(&bins[code >> bucketShift], 1u);
    spare[slot] = code;
  }
  for (var i = length + lane; i < (length + 3u) / 4u * 4u; i += LANES) {
    spare[i] = 0xffffffffu;
  }
  workgroupBarrier();
  // Each bucket's start has moved to its end, where the next bucket starts. Four codes are compared at a time: codes of the buckets before
  // are smaller, codes of the buckets behind are not.
  for (var i = lane; i < length; i += LANES) {
    let code = spare[i];
    let bucket = code >> bucketShift;
    let start = select(atomicLoad(&bins[max(bucket, 1u) - 1u]), 0u, bucket == 0u) / 4u;
    let end = (atomicLoad(&bins[bucket]) + 3u) / 4u;
    var smaller = vec4u(0u);
    for (var j = start; j < end; j++) {
      let four = vec4u(spare[4u * j], spare[4u * j + 1u], spare[4u * j + 2u], spare[4u * j + 3u]);
      smaller += select(vec4u(0u), vec4u(1u), four < vec4u(code));
    }
    leave(at + 4u * start + smaller.x + smaller.y + smaller.z + smaller.w, code);
  }
  workgroupBarrier();
}

// One step of a run, in a window: puts the smaller code of each pair first.
fn compare(held: u32, step: u32, lane: u32) {
  workgroupBarrier();
  for (var pair = lane; pair < held; pair += LANES) {
    let a = lower(pair, step);
    let b = a + step;
    if (a >= held) {
      break;
    }
    if (b < held) {
      let left = codes[a];
      let right = codes[b];
      if (right < left) {
        codes[a] = right;
        codes[b] = left;
      }
    }
  }
}

// One step of a run, in storage memory, for a whole list.
fn compareInMemory(first: u32, size: u32, step: u32, flip: bool, lane: u32) {
  // The bits in which the indices of a pair differ.
  let apart = select(step, 2u * step - 1u, flip);
  storageBarrier();
  for (var pair = lane; pair < size; pair += LANES) {
    let a = lower(pair, step);
    let b = a ^ apart;
    if (a >= size) {
      break;
    }
    if (b < size) {
      let left = list[first + a];
      let right = list[first + b];
      if (right.x < left.x) {
        list[first + a] = right;
        list[first + b] = left;
      }
    }
  }
}

// The index of the pair's first element: the pair-th index without the bit `step`. The index increases with the pair.
fn lower(pair: u32, step: u32) -> u32 {
  return 2u * pair - (pair & (step - 1u));
}
