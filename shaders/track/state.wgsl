// Part of shrink.wgsl, align.wgsl and settle.wgsl: the pyramid's levels, and what is known of a frame.

// A level: its lens in its own pixels, the inverses of its focal lengths, its size, the index of its first pixel, and its sampling
// (every n-th pixel is aligned).
struct Level {
  fx: f32, fy: f32, cx: f32, cy: f32, ix: f32, iy: f32,
  width: u32, height: u32, first: u32, every: u32, unused: vec2u,
}
// `nearM` + `nearPerM2` · distance² is the tolerance of a pixel on a plane; `fewest` as in stages/track/pyramid.ts.
// `unit`: see solve.wgsl. `zero` is 0 (exact.wgsl).
struct Shape { levels: array<Level, 3>, metresPerUnit: f32, nearM: f32, nearPerM2: f32, fewest: f32, unit: f32, zero: u32 }
// As `Known` in stages/track/settle.ts.
struct Known {
  base: array<vec4f, 3>, // rows of the motion from the keyframe's camera to the world
  world: array<vec4f, 3>, // from the frame's camera to the world
  velocity: array<vec4f, 3>, // from the frame's camera to that of the frame before
  centre: vec3f,
  radius: f32,
  state: u32,
  had: f32,
  filled: f32,
  calm: u32,
  crowded: u32,
  isKey: u32,
  sought: u32,
}

@group(0) @binding(5) var<uniform> shape: Shape;
