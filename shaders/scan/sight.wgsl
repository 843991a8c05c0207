// Part of pixelPlanes.wgsl, touch.wgsl, carve.wgsl and integrate.wgsl: a frame, and how it lies to the bricks.
struct Sight {
  toWorld: array<vec4f, 3>, // rows of the motion from the camera to the world, m
  fromWorld: array<vec4f, 3>,
  fx: f32, fy: f32, cx: f32, cy: f32,
  width: u32, height: u32,
  stride: u32, // pixels from one row of depth to the next
  turn: u32, // the number of the frame
  unit: f32, // metres per unit of depth
  far: f32, // depth beyond this is not used, in units
  a: f32, b: f32, // the noise: sigma(z) = a + b z²
  voxelM: f32, perTruncation: f32,
  band: f32, brickM: f32, // how far from a pixel's depth bricks are made, and the edge of a brick, m
  times: u32, // how many frames' weight the frame has
  hasColour: u32,
}
@group(0) @binding(7) var<uniform> sight: Sight;

const LEAN_UNITS = 32767.0;
const MOST_WEIGHT = 25600;

fn moved(by: array<vec4f, 3>, at: vec3f) -> vec3f {
  return vec3f(dot(by[0].xyz, at) + by[0].w, dot(by[1].xyz, at) + by[1].w, dot(by[2].xyz, at) + by[2].w);
}
