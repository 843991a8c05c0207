/** Which adapter to take. "auto" is a hardware adapter or none: the CPU twins are faster than a software GPU. */
export type AdapterChoice = "auto" | "hardware" | "software";

/** A WebGPU device and what a person should be told of it. */
export interface Gpu {
  readonly device: GPUDevice;
  readonly vendor: string;
  readonly description: string;
  /** A software GPU (SwiftShader, lavapipe): right, and slow. */
  readonly software: boolean;
  /** Whether passes can be timed on the GPU's own clock (`timestamp-query`). */
  readonly timestamps: boolean;
  /** The step of that clock as it reaches us, in microseconds. */
  readonly clockResolutionUs: number;
  destroy(): void;
}

/** No adapter of the kind asked for. */
export class AdapterError extends Error {
  override readonly name = "AdapterError";
}

export interface GpuOptions {
  /** Dawn toggles, in Node only: "disable_robustness" … for measurements. */
  readonly enabledToggles?: readonly string[];
}

/**
 * Opens a device; `null` if there is no WebGPU or, for "auto", no hardware adapter.
 * Throws an `AdapterError` when "hardware" or "software" was asked for and is not there.
 */
export async function openGpu(choice: AdapterChoice, options: GpuOptions = {}): Promise<Gpu | null> {
  const entry = await findGpu(choice, options);
  const adapter = await entry?.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!entry || !adapter) return none(choice);
  const software = isSoftware(adapter.info);
  if (software !== (choice === "software")) return none(choice);
  const wanted: GPUFeatureName[] = ["timestamp-query", "subgroups", "shader-f16"];
  const { limits } = adapter;
  const device = await adapter.requestDevice({
    label: "depthloom",
    requiredFeatures: wanted.filter((feature) => adapter.features.has(feature)),
    requiredLimits: {
      maxBufferSize: limits.maxBufferSize,
      maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
      maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
      maxStorageBuffersPerShaderStage: limits.maxStorageBuffersPerShaderStage,
    },
  });
  const { vendor, architecture, description } = adapter.info;
  return {
    device,
    vendor,
    description: [description || architecture, adapter.info.device].filter(Boolean).join(", "),
    software,
    timestamps: device.features.has("timestamp-query"),
    clockResolutionUs: entry.clockResolutionUs,
    destroy() {
      device.destroy();
      entry.release();
    },
  };
}

function none(choice: AdapterChoice): null {
  if (choice === "auto") return null;
  const advice =
    choice === "software" ? "install @sparticuz/chromium beside depthloom" : "use --adapter software or --backend cpu";
  throw new AdapterError(`no ${choice} WebGPU adapter here: ${advice}`);
}

const isSoftware = (info: GPUAdapterInfo) =>
  /swiftshader|llvmpipe|lavapipe|software/i.test(`${info.architecture} ${info.device} ${info.description}`);

/** Where `requestAdapter` comes from. `release` lets a Node process exit. */
export interface GpuEntry {
  readonly gpu: GPU;
  readonly clockResolutionUs: number;
  release(): void;
}

async function findGpu(choice: AdapterChoice, options: GpuOptions): Promise<GpuEntry | null> {
  const browser = globalThis.navigator?.gpu;
  // Chrome rounds timestamps to 100 µs.
  if (browser) return { gpu: browser, clockResolutionUs: 100, release() {} };
  if (!import.meta.env.SSR) return null;
  const { openDawn } = await import("./dawn.ts");
  return openDawn(choice, options);
}
