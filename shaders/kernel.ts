import { scoped, within } from "./gpuError.ts";
import type { Shader, ShaderProgram } from "./shader.ts";
import { waitPolled } from "./waitPolled.ts";

/** A description from which a kernel is made. Resources are named as in the WGSL; binding numbers appear in the shader only. */
export interface KernelSpec {
  /** The name in errors, captures and leak reports: "median/size3". */
  readonly label: string;
  /** A WGSL file, whose only entry point is `main`. */
  readonly shader: Shader;
  /** Values of the file's `override` constants, by name. */
  readonly constants?: Readonly<Record<string, number>>;
  /** A resource for every `var` of the shader's group 0, by its WGSL name. A texture is bound by its default view. */
  readonly resources: Readonly<Record<string, GPUBuffer | GPUTexture>>;
}

/** A compute pipeline with its bind group. Dispatching allocates nothing. */
export interface Kernel {
  /**
   * The description that the kernel was made from.
   * @internal
   */
  readonly spec: Pick<KernelSpec, "label" | "shader" | "constants">;
  /** Workgroup counts, as in `dispatchWorkgroups`. */
  dispatch(pass: GPUComputePassEncoder, x: number, y?: number, z?: number): void;
  /**
   * As many workgroups as have at least x × y × z invocations. The size of the shader's workgroups has to be numbers or `const`s.
   */
  cover(pass: GPUComputePassEncoder, x: number, y?: number, z?: number): void;
  /** Workgroup counts from three u32 at `offset` bytes in `args`. */
  dispatchIndirect(pass: GPUComputePassEncoder, args: GPUBuffer, offset: number): void;
}

/** How many compiled pipelines a device keeps: enough for every stage in a few picture sizes. The least recently used is dropped first. */
const MOST_KEPT = 64;

interface Module {
  readonly id: number;
  readonly module: GPUShaderModule;
}
type Pipeline = { pipeline: GPUComputePipeline; layout: GPUBindGroupLayout };

/** The compiled objects of a device: one module per shader file, and at most `MOST_KEPT` pipelines. */
interface Compiled {
  readonly modules: Map<string, Module>;
  /** The pipelines by module, label and constants; the most recently used comes last. */
  readonly pipelines: Map<string, Promise<Pipeline>>;
}
const compiled = new WeakMap<GPUDevice, Compiled>();

/**
 * Compiles a kernel (once per device, shader and constants) and binds its resources. Throws a `GpuError` if the device refuses it, and an
 * error if a resource is missing, is not in the shader, or the WGSL does not compile. The message names the kernel.
 */
export async function createKernel(device: GPUDevice, spec: KernelSpec): Promise<Kernel> {
  const program = await spec.shader.load();
  const { pipeline, layout } = await pipelineOf(device, spec, program);
  const declared = program.resources;
  const names = new Set(declared.map((resource) => resource.name));
  const stray = Object.keys(spec.resources).filter((name) => !names.has(name));
  if (stray.length > 0)
    throw new Error(`${spec.label}: the shader has no resource ${stray.join(", ")}; it has ${[...names].join(", ")}`);
  const entries = declared.map(({ name, entry }) => {
    const resource = spec.resources[name];
    if (!resource) throw new Error(`${spec.label}: the resource ${name} of the shader is missing`);
    return {
      binding: entry.binding,
      resource: "usage" in resource && "size" in resource ? { buffer: resource } : resource.createView({ label: name }),
    };
  });
  const { label } = spec;
  const bound = scoped(device, label, () => device.createBindGroup({ label, layout, entries }));
  await bound.refused;
  const bindGroup = bound.result;
  const bind = (pass: GPUComputePassEncoder) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindGroup);
  };
  const workgroups = `${label}: workgroups in a row`;
  const dispatch = (pass: GPUComputePassEncoder, x: number, y = 1, z = 1) => {
    within(device, "maxComputeWorkgroupsPerDimension", Math.max(x, y, z), workgroups);
    bind(pass);
    pass.dispatchWorkgroups(x, y, z);
  };
  const [across = 1, down = 1, deep = 1] = program.workgroup;
  return {
    spec,
    dispatch,
    cover(pass, x, y = 1, z = 1) {
      if (across * down * deep === 0) throw new Error(`${label}: the size of a workgroup is no constant`);
      dispatch(pass, Math.ceil(x / across), Math.ceil(y / down), Math.ceil(z / deep));
    },
    dispatchIndirect(pass, args, offset) {
      bind(pass);
      pass.dispatchWorkgroupsIndirect(args, offset);
    },
  };
}

function moduleOf(device: GPUDevice, { label }: KernelSpec, { code }: ShaderProgram): Module {
  const { modules } = compiledOn(device);
  let found = modules.get(code);
  if (!found) {
    // `compile` reports errors with their lines from getCompilationInfo; the scope prevents a second report.
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ label, code });
    found = { id: modules.size, module };
    device.popErrorScope().catch(() => {});
    modules.set(code, found);
  }
  return found;
}

function pipelineOf(device: GPUDevice, spec: KernelSpec, program: ShaderProgram): Promise<Pipeline> {
  const { pipelines } = compiledOn(device);
  const constants = Object.entries(spec.constants ?? {}).map(([name, value]) => `${name}=${value}`);
  const key = `${moduleOf(device, spec, program).id} ${spec.label} ${constants.sort().join(" ")}`;
  const found = pipelines.get(key) ?? waitPolled(device, compile(device, spec, program));
  pipelines.delete(key);
  pipelines.set(key, found);
  // A failed pipeline is not kept: the device may have lacked memory only for a moment.
  found.catch(() => pipelines.delete(key));
  for (const oldest of pipelines.keys()) {
    if (pipelines.size <= MOST_KEPT) break;
    pipelines.delete(oldest);
  }
  return found;
}

async function compile(device: GPUDevice, spec: KernelSpec, program: ShaderProgram): Promise<Pipeline> {
  const { module } = moduleOf(device, spec, program);
  const errors = (await module.getCompilationInfo()).messages.filter((message) => message.type === "error");
  if (errors.length > 0) {
    throw new Error(errors.map((e) => `${placeOf(e, spec, program)}: ${e.message}`).join("\n"));
  }
  const entries = program.resources.map(({ entry }) => entry);
  const layout = device.createBindGroupLayout({ label: spec.label, entries });
  const pipeline = await device.createComputePipelineAsync({
    label: spec.label,
    layout: device.createPipelineLayout({ label: spec.label, bindGroupLayouts: [layout] }),
    compute: { module, entryPoint: "main", constants: { ...spec.constants } },
  });
  return { pipeline, layout };
}

/** The file, line and column of a compiler's message. A build whose text is brief has no columns of the file. */
function placeOf({ lineNum, linePos }: GPUCompilationMessage, { label }: KernelSpec, program: ShaderProgram) {
  const { files = [], isBrief = false } = program;
  const column = isBrief ? "" : `:${linePos}`;
  let line = lineNum;
  for (const { path, lines } of files) {
    if (line <= lines) return `${path}:${line}${column}`;
    line -= lines;
  }
  return `${label}.wgsl:${line}${column}`;
}

function compiledOn(device: GPUDevice): Compiled {
  const found = compiled.get(device) ?? { modules: new Map(), pipelines: new Map() };
  compiled.set(device, found);
  return found;
}
