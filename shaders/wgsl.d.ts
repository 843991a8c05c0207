declare module "*.wgsl" {
  const shader: import("./shader.ts").Shader;
  export default shader;
}
