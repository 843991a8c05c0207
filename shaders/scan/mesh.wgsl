// #import "./samples.wgsl"
// #import "./sight.wgsl"
// #import "./vertex.wgsl"
// The surface in the bricks of a list, by surface nets: `Nets` and `Cube` of scan/mesh/ are the twins. A workgroup makes, for its brick,
// the vertices and triangles of the twin in the twin's order, and puts them where they are drawn from: `mesh` has first the vertices,
// VERTICES of VERTEX_WORDS words
//
//   position (f32 × 3, m) │ normal (i8 × 4) │ colour and how well seen (u8 × 4)
//
// and behind them the corners of all triangles as numbers of vertices. A brick has a slot among the vertices and one among the corners;
// their lengths are the next powers of two of its numbers of vertices and triangles. A brick keeps its slots until it needs longer ones, so
// what lies idle is bounded. A slot's unused corners are 0: triangles without an area, of which nothing is drawn. A brick for which there
// is no room keeps its old mesh. Rows of ten samples, nine cells or eight edges are words of bits, so that counting is popcounts and an
// exclusive scan over the rows.

// Whether the bricks are those of the newest frame's list. If not, each workgroup has one brick, and every frame goes on with the bricks
// behind those of the frame before: a brick's border also depends on neighbours that a frame changed without changing the brick.
override LISTED: bool;
override VERTICES: u32;
override SUMS: u32 = 2u * WORKGROUP;

const OWN_BITS = 0x1feu;
const CELL_ROWS = 81u;
const EDGE_ROWS = 192u;
const OVER = 0xffffffffu;

@group(0) @binding(4) var<storage, read> list: array<u32>;
// For each brick: its first vertex, its first word among the corners, the lengths of both slots (vertices | corners << 16), and what is in
// them (vertices | triangles << 16).
@group(0) @binding(8) var<storage, read_write> slots: array<vec4u>;
@group(0) @binding(9) var<storage, read_write> drawn: Drawn;

// First the five arguments of the draw, which begin with the number of corners in all slots. Then the number of vertices in all slots, the
// number of triangles that are drawn, whether a brick had no room, and the least and greatest places of bricks with triangles by axis.
struct Drawn {
  corners: atomic<u32>, instances: u32, first: u32, base: u32, firstInstance: u32,
  vertices: atomic<u32>, triangles: atomic<u32>, isFull: atomic<u32>,
  least: array<atomic<i32>, 3>, most: array<atomic<i32>, 3>,
}
// What a brick may write: its first vertex, its first corner, vertices | triangles << 16; and the corners that it has to clear.
struct Room { vertex: u32, corner: u32, counted: u32, begin: u32, end: u32 }

// For each row of cells, y + 9 z: a bit for each cell that has a vertex, and the number of the row's first vertex.
var<workgroup> places: array<u32, CELL_ROWS>;
var<workgroup> firsts: array<u32, CELL_ROWS>;
// For each row of the brick's own edges, axis + 3 (y + 8 z): bits of edges with a face | with two triangles << 16; the first triangle.
var<workgroup> faces: array<u32, EDGE_ROWS>;
var<workgroup> firstTriangles: array<u32, EDGE_ROWS>;
// The cells that have a vertex, in order: x | row << 4.
var<workgroup> cells: array<u32, 729>;
var<workgroup> sums: array<u32, SUMS>;
var<workgroup> room: Room;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
) {
  let entry = group.y * GROUPS + group.x;
  var brick = entry;
  if (LISTED) {
    // Only the newest frame's list may be longer than a row of workgroups.
    if (groups.y > 1u && entry >= counts.listed) { return; }
    brick = list[entry];
  } else {
    let all = groups.x * groups.y;
    brick += sight.turn % ((max(counts.count, 1u) - 1u) / all + 1u) * all;
  }
  if (brick >= counts.count) { return; }
  let place = placeOf(keys[brick]);
  if (!gather(brick, place, local)) {
    if (local == 0u) { room = take(brick, place, 0u); }
    clear(workgroupUniformLoad(&room), local);
    return;
  }
  findCrossings(local);
  workgroupBarrier();
  if (local < CELL_ROWS) { places[local] = cellsWithVertex(local % CELLS, local / CELLS); }
  workgroupBarrier();
  for (var i = local; i < EDGE_ROWS; i += WORKGROUP) { faces[i] = facesOf(i % 3u, i / 3u); }
  workgroupBarrier();
  var own = 0u; // vertices | triangles << 16
  if (local < CELL_ROWS) { own = countOneBits(places[local]); }
  if (local < 64u) {
    for (var axis = 0u; axis < 3u; axis++) { own += countOneBits(faces[3u * local + axis]) << 16u; }
  }
  let before = scanned(own, local) - own;
  if (local == WORKGROUP - 1u) { room = take(brick, place, before + own); }
  if (local < CELL_ROWS) {
    var at = before & 0xffffu;
    firsts[local] = at;
    for (var left = places[local]; left != 0u; left &= left - 1u) {
      cells[at] = firstTrailingBit(left) | (local << 4u);
      at++;
    }
  }
  if (local < 64u) {
    var at = before >> 16u;
    for (var row = 3u * local; row < 3u * local + 3u; row++) {
      firstTriangles[row] = at;
      at += countOneBits(faces[row]);
    }
  }
  let given = workgroupUniformLoad(&room);
  clear(given, local);
  let origin = place * EDGE - 1;
  for (var i = local; i < (given.counted & 0xffffu); i += WORKGROUP) { writeVertex(given.vertex + i, cells[i], origin); }
  if (given.counted == 0u) { return; }
  for (var i = local; i < 8u * EDGE_ROWS; i += WORKGROUP) { writeFace(given, i / 8u, 1u + i % 8u); }
}

// The sum of all lanes' numbers up to this one's.
fn scanned(own: u32, local: u32) -> u32 {
  var upTo = own;
  var side = 0u;
  for (var step = 1u; step < WORKGROUP; step <<= 1u) {
    sums[side + local] = upTo;
    workgroupBarrier();
    upTo += select(0u, sums[side + max(local, step) - step], local >= step);
    side = WORKGROUP - side;
  }
  return upTo;
}

// Takes room for a brick's mesh, in the brick's slots if these are long enough. A brick without triangles needs none. The counters only
// ever grow, and never beyond the end: two bricks never have the same room.
fn take(brick: u32, place: vec3i, asked: u32) -> Room {
  let counted = select(0u, asked, asked >> 16u > 0u);
  let vertices = counted & 0xffffu;
  let corners = 3u * (counted >> 16u);
  let before = slots[brick];
  var slot = before;
  if (vertices > (slot.z & 0xffffu)) {
    let length = lengthOf(vertices);
    slot.x = atomicLoad(&drawn.vertices);
    loop {
      if (slot.x + length > VERTICES) { return refused(); }
      let tried = atomicCompareExchangeWeak(&drawn.vertices, slot.x, slot.x + length);
      if (tried.exchanged) { break; }
      slot.x = tried.old_value;
    }
    slot.z = (slot.z & 0xffff0000u) | length;
  }
  if (corners > slot.z >> 16u) {
    // If corners have no room, the brick keeps the vertices' slot, and the old mesh keeps its vertices.
    slots[brick] = slot;
    let length = 3u * lengthOf(corners / 3u);
    var corner = atomicLoad(&drawn.corners);
    loop {
      if (VERTEX_WORDS * VERTICES + corner + length > arrayLength(&mesh)) { return refused(); }
      let tried = atomicCompareExchangeWeak(&drawn.corners, corner, corner + length);
      if (tried.exchanged) { break; }
      corner = tried.old_value;
    }
    slot.y = VERTEX_WORDS * VERTICES + corner;
    slot.z = (slot.z & 0xffffu) | (length << 16u);
  }
  slot.w = counted;
  slots[brick] = slot;
  let was = before.w >> 16u;
  atomicAdd(&drawn.triangles, corners / 3u - was);
  for (var axis = 0u; axis < 3u && counted > 0u; axis++) {
    atomicMin(&drawn.least[axis], place[axis]);
    atomicMax(&drawn.most[axis], place[axis]);
  }
  return Room(slot.x, slot.y, counted, before.y + select(0u, corners, slot.y == before.y), before.y + 3u * was);
}

fn refused() -> Room {
  atomicStore(&drawn.isFull, 1u);
  return Room();
}

// The next power of two, 16 or more.
fn lengthOf(count: u32) -> u32 { return 1u << max(4u, 32u - countLeadingZeros(count - 1u)); }

// Clears the corners that the brick had and has no longer.
fn clear(given: Room, local: u32) {
  for (var i = given.begin + local; i < given.end; i += WORKGROUP) { mesh[i] = 0u; }
}

// Which cells of a row have a vertex: all of their corners are known, and the surface crosses an edge.
fn cellsWithVertex(y: u32, z: u32) -> u32 {
  let row = y + SIDE * z;
  let seen = rows[row] & rows[row + 1u] & rows[row + SIDE] & rows[row + SIDE + 1u] & 0xffffu;
  let a = 3u * row;
  let across = crossed[a] | crossed[a + 3u] | crossed[a + 3u * SIDE] | crossed[a + 3u * SIDE + 3u];
  let others = crossed[a + 1u] | crossed[a + 3u * SIDE + 1u] | crossed[a + 2u] | crossed[a + 5u];
  return seen & (seen >> 1u) & (across | others | (others >> 1u));
}

// The four cells around each edge of a row, as bit masks of x: bit x is the edge at x; the cell to its left, bit x - 1, is shifted there.
fn cellsAround(axis: u32, row: u32) -> vec4u {
  let c = 1u + row % 8u + CELLS * (1u + row / 8u);
  if (axis == 0u) { return vec4u(places[c - CELLS - 1u], places[c - CELLS], places[c], places[c - 1u]); }
  let other = c - select(CELLS, 1u, axis == 2u);
  if (axis == 1u) { return vec4u(places[other] << 1u, places[c] << 1u, places[c], places[other]); }
  return vec4u(places[other] << 1u, places[other], places[c], places[c] << 1u);
}

fn facesOf(axis: u32, row: u32) -> u32 {
  let around = cellsAround(axis, row);
  let edges = crossed[3u * (1u + row % 8u + SIDE * (1u + row / 8u)) + axis] & OWN_BITS;
  let some = (around.x & around.y & (around.z | around.w)) | (around.z & around.w & (around.x | around.y));
  return (edges & some) | ((edges & around.x & around.y & around.z & around.w) << 16u);
}

// Writes the face around an edge: a triangle, or two.
fn writeFace(given: Room, row: u32, x: u32) {
  let bits = faces[row] >> x;
  if ((bits & 1u) == 0u) { return; }
  let below = ((1u << x) - 1u) * 0x10001u;
  let to = given.corner + 3u * (firstTriangles[row] + countOneBits(faces[row] & below));
  let axis = row % 3u;
  let y = 1u + row / 3u % 8u;
  let z = 1u + row / 24u;
  let c = y + CELLS * z;
  let u = vec3u(1u, CELLS, 0u)[axis];
  let v = vec3u(CELLS, 0u, 1u)[axis];
  let left = vec2u(select(0u, 1u, axis == 2u), select(0u, 1u, axis == 1u));
  var corner = vec4u(
    vertexAt(x - left.x - left.y, c - u - v), vertexAt(x - left.y, c - v), vertexAt(x, c), vertexAt(x - left.x, c - u));
  let isTwo = ((bits >> 16u) & 1u) == 1u;
  // Three of the four are enough: they move up.
  if (corner.x == OVER) { corner = corner.yzww; } else if (corner.y == OVER) { corner = corner.xzww; }
  else if (corner.z == OVER) { corner = corner.xyww; }
  if (isSolid(x, y + SIDE * z)) {
    writeTriangle(to, given.vertex + corner.xyz);
    if (isTwo) { writeTriangle(to + 3u, given.vertex + corner.xzw); }
  } else if (isTwo) {
    writeTriangle(to, given.vertex + corner.wzy);
    writeTriangle(to + 3u, given.vertex + corner.wyx);
  } else { writeTriangle(to, given.vertex + corner.zyx); }
}

// The number of a cell's vertex; OVER where it has none.
fn vertexAt(x: u32, row: u32) -> u32 {
  let bits = places[row];
  return select(OVER, firsts[row] + countOneBits(bits & ((1u << x) - 1u)), ((bits >> x) & 1u) == 1u);
}

fn writeTriangle(to: u32, corners: vec3u) {
  for (var i = 0u; i < 3u; i++) { mesh[to + i] = corners[i]; }
}
