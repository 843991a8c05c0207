// The arguments of indirect draws and dispatches that a cloud of points comes with: POINT_ARGS in stages/core/resources.ts has the same
// offsets (tests/kernel.test.ts).
struct Args { drawPoints: vec4u, drawQuads: vec4u, dispatch: vec3u, count: u32 }
