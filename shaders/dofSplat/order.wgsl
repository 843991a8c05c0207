// One workgroup sorts one tile's list by (distance, point). The points of a list differ, so there are no ties, and it does
// not matter in what order the scatter left them.
//
// Bitonic, every comparison upwards: the two halves of a run are compared end to end, then at half the distance each time.
//
//   run of 8    flip  0─7 1─6 2─5 3─4     then  0─2 1─3 4─6 5─7     then  0─1 2─3 4─5 6─7
//
// So a list need not be a power of two long: keys past its end, were they there, would be the largest and stay where they
// are, and comparisons with them are left out. Windows of CAPACITY are sorted in workgroup memory; a longer list then
// takes its runs of 2, 4 … windows in place, in memory, down to the steps that fit in a window again.

// Invocations to a tile: few where a barrier is dear.
override LANES: u32 = 128u;
// Length of a window: a power of two.
override CAPACITY: u32 = 512u;

struct Grid {
  size: vec2u, // of the picture, px
  tiles: vec2u, // columns and rows
  entries: u32, // room in the lists
  maxReach: f32, // px; no splat reaches farther
}

struct Splat {
  centre: vec2f,
  half: vec2f,
  soft: f32,
  peak: f32,
  tiles: u32,
  key: u32,
}

@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> splats: array<Splat>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> list: array<u32>;

var<workgroup> keys: array<vec2u, CAPACITY>; // distance, point

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let tile = group.y * grid.tiles.x + group.x;
  let first = starts[tile];
  let last = starts[tile + 1u];
  let size = last - first;
  if (size < 2u || last > grid.entries) {
    return;
  }
  for (var at = first; at < last; at += CAPACITY) {
    let length = min(CAPACITY, last - at);
    load(at, length, lane);
    for (var run = 2u; run < 2u * length; run <<= 1u) {
      compare(length, run >> 1u, true, lane);
      for (var step = run >> 2u; step > 0u; step >>= 1u) {
        compare(length, step, false, lane);
      }
    }
    store(at, length, lane);
  }
  for (var run = 2u * CAPACITY; run < 2u * size; run <<= 1u) {
    compareInMemory(first, size, run >> 1u, true, lane);
    for (var step = run >> 2u; step >= CAPACITY; step >>= 1u) {
      compareInMemory(first, size, step, false, lane);
    }
    storageBarrier();
    for (var at = first; at < last; at += CAPACITY) {
      let length = min(CAPACITY, last - at);
      load(at, length, lane);
      for (var step = CAPACITY >> 1u; step > 0u; step >>= 1u) {
        compare(length, step, false, lane);
      }
      store(at, length, lane);
    }
  }
}

fn load(at: u32, length: u32, lane: u32) {
  for (var i = lane; i < length; i += LANES) {
    keys[i] = keyOf(list[at + i]);
  }
}

fn store(at: u32, length: u32, lane: u32) {
  workgroupBarrier();
  for (var i = lane; i < length; i += LANES) {
    list[at + i] = keys[i].y;
  }
  workgroupBarrier();
}

fn keyOf(splat: u32) -> vec2u {
  return vec2u(splats[splat].key, splat);
}

// One step of a run: puts the smaller of each two in front.
fn compare(length: u32, step: u32, flip: bool, lane: u32) {
  workgroupBarrier();
  for (var pair = lane; pair < length; pair += LANES) {
    let a = lower(pair, step);
    let b = upper(pair, step, flip);
    if (a >= length) {
      break;
    }
    if (b < length) {
      let left = keys[a];
      let right = keys[b];
      if (before(right, left)) {
        keys[a] = right;
        keys[b] = left;
      }
    }
  }
}

fn compareInMemory(first: u32, length: u32, step: u32, flip: bool, lane: u32) {
  storageBarrier();
  for (var pair = lane; pair < length; pair += LANES) {
    let a = lower(pair, step);
    let b = upper(pair, step, flip);
    if (a >= length) {
      break;
    }
    if (b < length) {
      let left = list[first + a];
      let right = list[first + b];
      if (before(keyOf(right), keyOf(left))) {
        list[first + a] = right;
        list[first + b] = left;
      }
    }
  }
}

// The pair-th index that has no bit `step`; it grows with the pair.
fn lower(pair: u32, step: u32) -> u32 {
  return 2u * pair - (pair & (step - 1u));
}

fn upper(pair: u32, step: u32, flip: bool) -> u32 {
  return select(lower(pair, step) + step, lower(pair, step) ^ (2u * step - 1u), flip);
}

fn before(a: vec2u, b: vec2u) -> bool {
  return a.x < b.x || (a.x == b.x && a.y < b.y);
}
