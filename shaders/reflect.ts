import type { makeBindGroupLayoutDescriptors, makeShaderDataDefinitions } from "webgpu-utils";
import type { Layout, Shader } from "./shader.ts";

/** The functions of webgpu-utils that read WGSL. The caller loads them: the build by `import()`, `depthloom/stage` with its own module. */
export interface WgslReader {
  readonly makeShaderDataDefinitions: typeof makeShaderDataDefinitions;
  readonly makeBindGroupLayoutDescriptors: typeof makeBindGroupLayoutDescriptors;
}

/** Reads what a WGSL text declares. A part of kernels, which has no entry point `main`, has no resources. */
export function reflect(
  code: string,
  { makeShaderDataDefinitions, makeBindGroupLayoutDescriptors }: WgslReader,
): Shader {
  const definitions = makeShaderDataDefinitions(code);
  const { main } = definitions.entryPoints;
  const [group] = main ? makeBindGroupLayoutDescriptors(definitions, { compute: { entryPoint: "main" } }) : [];
  const layouts: Record<string, Layout> = { ...(definitions.structs as Record<string, Layout>) };
  for (const [name, variable] of Object.entries(definitions.uniforms)) {
    layouts[name] = variable.typeDefinition as Layout;
  }
  const nameAt = new Map(main?.resources.map(({ name, entry }) => [entry.binding, name]));
  const resources = [...(group?.entries ?? [])].map((entry) => ({ name: nameAt.get(entry.binding) ?? "", entry }));
  return { code, resources, layouts };
}
