// The camera's pose, which the kernels of track write and temporal/warp.wgsl reads. CameraPose in stages/core/pose.ts says what each
// member means; `toWorld` and `toBefore` are the rows of motions.
struct Pose {
  toWorld: array<vec4f, 3>, toBefore: array<vec4f, 3>,
  state: u32, held: u32, partners: f32, recorded: u32, uncertaintyM: f32, anew: u32,
}
