// #import "./splats.wgsl"
// Part of project.wgsl: the camera, the picture's tiles, the points and depth, which the kernel's other parts read too.

struct Camera {
  pose: mat4x4f, // from the sensor's frame to the camera's
  focal: vec2f, // px
  centre: vec2f, // px
  sensorFocal: vec2f, // px of the sensor
  sensorCentre: vec2f,
  pointScale: f32,
  blur: f32, // px · m: the radius is blur · |1/focus − 1/z|
  inverseFocus: f32, // 1/m
  metresPerUnit: f32,
  longestRun: f32, // most points of a run; 1: no runs
  thinning: i32, // width and height of the blocks of points that become one splat: a power of two; 1: no blocks
  apertureArea: f32, // area of an aperture of radius 1: π if it is round
  depthSize: vec2i, // px
  depthStride: i32, // px
}

@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<uniform> grid: Grid;
@group(0) @binding(2) var<storage, read> points: array<vec4u>; // position, colour
@group(0) @binding(4) var<storage, read> depth: array<u32>; // two pixels per word
