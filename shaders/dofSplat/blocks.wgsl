// #import "./camera.wgsl"
// #import "./runs.wgsl"
// #import "./patch.wgsl"
// The blocks of points that become one splat each while `thinning` is 2 or 4: functions of the kernel in project.wgsl.
//
// The points of thinning × thinning pixels of the depth image that lie on one surface become one splat with their mean position and mean
// colour, as large as the block. The first pixel of a surface, row by row, leads it. Where an edge crosses a block, each side is a splat.
//
//   a a a b       a leads the points of the near surface, b those of the far one
//   a a b b
//   · a b b       points are in raster order: those of the next row are found by halving

fn blockAt(i: u32, count: u32) -> Run {
  let place = placeOf(i);
  let pixel = pixelOf(place);
  let size = camera.thinning;
  let corner = pixel & vec2i(-size);
  let end = corner + vec2i(size);
  var run = Run(place, place, 1.0, points[i].w & 0xffffffu);
  for (var v = corner.y; v <= pixel.y; v++) {
    for (var u = corner.x; u < select(end.x, pixel.x, v == pixel.y); u++) {
      if (isOn(depthAt(vec2i(u, v)), place.z)) {
        run.count = 0.0;
        return run;
      }
    }
  }
  var light = linear(unpack4x8unorm(points[i].w).rgb);
  var members = 1.0;
  var next = i + 1u;
  for (var v = pixel.y; v < end.y; v++) {
    if (v > pixel.y) { next = firstFrom(vec2i(corner.x, v), next, min(next + u32(camera.depthSize.x), count)); }
    for (var step = 0; step < size && next < count; step++) {
      let other = placeOf(next);
      let at = pixelOf(other);
      if (at.y != v || at.x >= end.x) { break; }
      if (isOn(place.z, other.z)) {
        run.place += other;
        light += linear(unpack4x8unorm(points[next].w).rgb);
        members += 1.0;
      }
      next++;
    }
  }
  if (members > 1.0) {
    run.place /= members;
    run.colour = pack4x8unorm(vec4f(encoded(light / members), 0.0));
  }
  return run;
}

// The first of the points from `start` to `end` that comes from `pixel` or from a later one.
fn firstFrom(pixel: vec2i, start: u32, end: u32) -> u32 {
  var low = start;
  var high = end;
  while (low < high) {
    let middle = (low + high) / 2u;
    let at = pixelOf(placeOf(middle));
    if (at.y < pixel.y || (at.y == pixel.y && at.x < pixel.x)) { low = middle + 1u; } else { high = middle; }
  }
  return low;
}

// Whether `z` lies on the surface at `leader`.
fn isOn(leader: f32, z: f32) -> bool {
  return abs(z - leader) < EDGE * leader;
}
