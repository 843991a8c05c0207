import { makeShaderDataDefinitions } from "webgpu-utils";
import { createKernel as create, type Kernel, type KernelSpec as Spec } from "../../shaders/kernel.ts";
import { reflect } from "../../shaders/reflect.ts";
import type { LayoutValue, Shader } from "../../shaders/shader.ts";
import type { Pool } from "./pool.ts";
import { liveUniform as createUniform } from "./uniform.ts";

// Depthloom's own shaders are read when Depthloom is built. A stage from elsewhere hands its WGSL over as text, which is read here, while
// the program runs. Only programs that import `depthloom/stage` load a reader of WGSL.

/** A description from which a kernel is made. Resources are named as in the WGSL; binding numbers appear in the shader only. */
export interface KernelSpec extends Omit<Spec, "shader"> {
  /** WGSL with one entry point, `main`. */
  readonly code: string;
}

const shaders = new Map<string, Shader>();

/** The declarations of a WGSL text. Reading a text takes milliseconds, and every rebuild of a stage asks for it again. */
function shaderOf(code: string): Shader {
  let found = shaders.get(code);
  if (!found) {
    const program = reflect(code, { makeShaderDataDefinitions });
    found = { load: () => program, layouts: program.layouts };
  }
  shaders.set(code, found);
  return found;
}

/**
 * Compiles a kernel (once per device, shader and constants) and binds its resources. Throws a `GpuError` if the device refuses it, and an
 * error if a resource is missing, is not in the shader, or the WGSL does not compile. The message names the kernel.
 */
export async function createKernel(device: GPUDevice, { code, ...spec }: KernelSpec): Promise<Kernel> {
  return create(device, { ...spec, shader: shaderOf(code) });
}

/**
 * A uniform buffer that follows live parameters. Call `update` in each `encode`: it writes what `valuesOf` returns if a parameter has
 * changed since the last call. `name` is the uniform variable in the WGSL `code`.
 */
export function liveUniform(
  pool: Pool,
  code: string,
  name: string,
  parameters: object,
  valuesOf: () => LayoutValue,
): ReturnType<typeof createUniform> {
  return createUniform(pool, shaderOf(code), name, parameters, valuesOf);
}
