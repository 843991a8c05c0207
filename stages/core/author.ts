import { makeShaderDataDefinitions } from "webgpu-utils";
import { messageOf } from "../../core/caught.ts";
import { checkArgument, having, OptionError, type Rule } from "../../core/check.ts";
import { DepthloomError } from "../../core/errors.ts";
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

/** Rethrows an error of a program's own WGSL as one of the library: the room of shaders, which imports no other, throws plain ones. */
function refuse(error: unknown): never {
  throw error instanceof DepthloomError ? error : new OptionError(messageOf(error));
}

const textRule: Rule = { expects: "a text of WGSL", holds: (value) => typeof value === "string" };

/** The declarations of a WGSL text. Reading a text takes milliseconds, and every rebuild of a stage asks for it again. */
function shaderOf(code: string): Shader {
  checkArgument("depthloom/stage", "code", textRule, code);
  let found = shaders.get(code);
  if (!found) {
    const program = reflect(code, { makeShaderDataDefinitions });
    found = { ...program, load: () => program };
  }
  shaders.set(code, found);
  return found;
}

/**
 * Compiles a kernel (once per device, shader and constants) and binds its resources. Throws a `GpuError` if the device refuses it, and an
 * `OptionError` if a resource is missing, is not in the shader, or the WGSL does not compile. The message names the kernel.
 */
export async function createKernel(device: GPUDevice, spec: KernelSpec): Promise<Kernel> {
  checkArgument("createKernel", "the device", having("a GPUDevice", "createShaderModule"), device);
  checkArgument(
    "createKernel",
    "the kernel",
    having("an object with a label, code and resources", "code", "resources"),
    spec,
  );
  try {
    return await create(device, { ...spec, shader: shaderOf(spec.code) });
  } catch (error) {
    return refuse(error);
  }
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
  checkArgument("liveUniform", "the pool", having("the Pool that build is given", "buffer"), pool);
  try {
    return createUniform(pool, shaderOf(code), name, parameters, valuesOf);
  } catch (error) {
    return refuse(error);
  }
}
