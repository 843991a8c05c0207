import type { makeShaderDataDefinitions } from "webgpu-utils";
import type { Layout, Shader, ShaderProgram } from "./shader.ts";

/**
 * The function of webgpu-utils that reads WGSL. The caller loads the package: the build by `import()`, `depthloom/stage` with its own
 * module.
 */
export interface WgslReader {
  readonly makeShaderDataDefinitions: typeof makeShaderDataDefinitions;
}

/** Reads what a WGSL text declares. A part of kernels, which has no entry point `main`, has no resources. */
export function reflect(
  code: string,
  { makeShaderDataDefinitions }: WgslReader,
): ShaderProgram & Pick<Shader, "constants" | "layouts"> {
  const definitions = makeShaderDataDefinitions(code);
  const layouts: Record<string, Layout> = { ...(definitions.structs as Record<string, Layout>) };
  for (const [name, variable] of Object.entries(definitions.uniforms)) {
    layouts[name] = variable.typeDefinition as Layout;
  }
  for (const [name, { typeDefinition }] of Object.entries(definitions.storages)) {
    const element = "elementType" in typeDefinition ? (typeDefinition.elementType as Layout) : undefined;
    // A word has four bytes, which nobody asks for. In an array, vectors of three lie as far apart as those of four.
    if (element && "type" in element && element.size > 4)
      layouts[name] = { ...element, size: element.size === 12 ? 16 : element.size };
  }
  const resources = (definitions.entryPoints.main?.resources ?? []).map(({ name, entry }) => ({ name, entry }));
  const texts = code.matchAll(/^const (\w+)(?:: u32)? = (\d+)u;/gm);
  const constants = Object.fromEntries([...texts].map(([, name, value]) => [name, Number(value)]));
  return { code, resources, layouts, constants, workgroup: workgroupOf(code) };
}

function workgroupOf(code: string): readonly number[] {
  const sizes = /@workgroup_size\(([^)]*)\)/.exec(code)?.[1].split(",") ?? [];
  return sizes.map((one) => {
    const size = one.trim();
    return Number.parseInt(new RegExp(`^const ${size} = (\\d+)`, "m").exec(code)?.[1] ?? size, 10) || 0;
  });
}
