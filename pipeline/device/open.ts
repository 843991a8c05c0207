import { type AdapterChoice, AdapterError, type Gpu, type GpuEntry, type GpuOptions } from "./gpu.ts";

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
  const wanted: GPUFeatureName[] = ["timestamp-query", "subgroups"];
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

async function findGpu(choice: AdapterChoice, options: GpuOptions): Promise<GpuEntry | null> {
  const browser = globalThis.navigator?.gpu;
  // Chrome rounds timestamps to 100 µs.
  if (browser) return { gpu: browser, clockResolutionUs: 100, release() {} };
  if (!import.meta.env.SSR) return null;
  const { openDawn } = await import("./dawn.ts");
  return openDawn(choice, options);
}
