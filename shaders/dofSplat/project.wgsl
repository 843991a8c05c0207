// #import "../core/args.wgsl"
// #import "./camera.wgsl"
// #import "./runs.wgsl"
// #import "./blocks.wgsl"
// #import "./patch.wgsl"
// #import "./splats.wgsl"
// Kernel 1 (pipeline/README.md). An invocation: one point. A workgroup: 256 points. It leaves: a splat, and its tiles' counts.
// One invocation projects one point: it finds where the point lands in the picture, how far it spreads, and which tiles it touches.
//
//   point ──► its run of points, or its block ──► the run's patch of surface ──► a splat ──► counts of tiles
//             runs.wgsl             blocks.wgsl   patch.wgsl
//
// Those three files hold functions of this kernel, and splats.wgsl what the kernels share.
// Tiles: Selgrad, Franke and Stamminger 2016.

const FAR = 2047.0; // m: farther points sort as if they were here

@group(0) @binding(3) var<storage, read> args: Args;
@group(0) @binding(5) var<storage, read_write> splats: array<Splat>;
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;
// For each point: the tiles that its splat touches, x0 | y0 << 8 | x1 << 16 | y1 << 24, and the splat's key.
@group(0) @binding(7) var<storage, read_write> places: array<vec2u>;

var<workgroup> fromLast: atomic<u32>; // BEYOND minus the first row of tiles that the workgroup touches
var<workgroup> rows: atomic<u32>; // the last row plus 1
var<workgroup> found: array<atomic<u32>, ROOM>; // the number of the workgroup's splats on each tile of those rows

@compute @workgroup_size(POINTS)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let point = id.x + id.y * POINTS * groups.x; // POINT_ARGS in stages/core/resources.ts says why there may be rows
  var tiles = NO_TILES;
  if (point < args.count) {
    tiles = project(point);
    if (tiles == NO_TILES) { places[point].x = tiles; }
  }
  let first = vec2u(tiles & 255u, (tiles >> 8u) & 255u);
  let last = vec2u((tiles >> 16u) & 255u, tiles >> 24u);
  if (tiles != NO_TILES) {
    atomicMax(&fromLast, BEYOND - first.y);
    atomicMax(&rows, last.y + 1u);
  }
  workgroupBarrier();
  let top = BEYOND - atomicLoad(&fromLast);
  let size = (max(atomicLoad(&rows), top) - top) * grid.tiles.x;
  let own = size <= ROOM;
  for (var y = first.y; y <= last.y; y++) {
    for (var x = first.x; x <= last.x; x++) {
      if (own) { atomicAdd(&found[(y - top) * grid.tiles.x + x], 1u); } else { atomicAdd(&counts[y * grid.tiles.x + x], 1u); }
    }
  }
  workgroupBarrier();
  for (var i = lane; own && i < size; i += POINTS) {
    let count = atomicLoad(&found[i]);
    if (count > 0u) { atomicAdd(&counts[top * grid.tiles.x + i], count); }
  }
}

// Writes the splat of a point if it touches any tiles. Returns those tiles.
fn project(i: u32) -> u32 {
  var run: Run;
  if (camera.thinning == 1) { run = runAt(i, args.count); } else { run = blockAt(i, args.count); }
  if (run.count == 0.0) { return NO_TILES; }
  let view = toView(run.place);
  var reach: vec2f;
  var splat = shape(run, view, &reach);
  splat.key = (bitcast<u32>(min(view.z, FAR)) - bitcast<u32>(f32(NEAR))) << 5u;

  let first = max(ceil(splat.centre - reach), vec2f(0.0));
  let last = min(floor(splat.centre + reach), vec2f(grid.size) - 1.0);
  // Written so that NaN fails.
  if (!(view.z >= NEAR && first.x <= last.x && first.y <= last.y)) { return NO_TILES; }
  let a = vec2u(first) / TILE;
  let b = vec2u(last) / TILE;
  splat.colour = run.colour;
  splats[i] = splat;
  let tiles = a.x | (a.y << 8u) | (b.x << 16u) | (b.y << 24u);
  places[i] = vec2u(tiles, splat.key);
  return tiles;
}
