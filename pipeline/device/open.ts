import { checkOptions } from "../../sources/check.ts";
import { adapterRule } from "../options.ts";
import { type AdapterChoice, AdapterError, type Gpu, type GpuEntry, type GpuOptions } from "./gpu.ts";

/**
 * Opens a device; "auto" gives `null` where there is no WebGPU or no hardware adapter.
 * Throws an `AdapterError` when "hardware" or "software" was asked for and is not there.
 */
export async function openGpu(choice: "hardware" | "software", options?: GpuOptions): Promise<Gpu>;
export async function openGpu(choice: AdapterChoice, options?: GpuOptions): Promise<Gpu | null>;
export async function openGpu(choice: AdapterChoice, options: GpuOptions = {}): Promise<Gpu | null> {
  checkOptions("openGpu", { adapter: choice }, { adapter: adapterRule });
  const entry = await findGpu(choice, options);
  if (!entry) return none(choice);
  const adapter = await entry.gpu.requestAdapter(PREFERENCES[choice]);
  const software = adapter !== null && isSoftware(adapter.info);
  if (!adapter || software !== (choice === "software")) {
    entry.release();
    return none(choice);
  }
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
    async destroy() {
      device.destroy();
      await device.lost;
      // Dawn's last callbacks come in the turns after this; what they belong to must outlive them.
      await new Promise((resolve) => setTimeout(resolve));
      entry.release();
    },
  };
}

const PREFERENCES: Readonly<Record<AdapterChoice, GPURequestAdapterOptions>> = {
  auto: { powerPreference: "high-performance" },
  hardware: { powerPreference: "high-performance" },
  software: { forceFallbackAdapter: true },
};

function none(choice: AdapterChoice): null {
  if (choice === "auto") return null;
  const software = import.meta.env.SSR
    ? "install @sparticuz/chromium beside depthloom"
    : "start the browser with --use-webgpu-adapter=swiftshader";
  const advice = choice === "software" ? software : 'take the adapter "software" or the backend "cpu"';
  throw new AdapterError(`no ${choice} WebGPU adapter here: ${advice}`);
}

/** Browsers mark it, Dawn in Node does not. */
const isSoftware = (info: GPUAdapterInfo) =>
  info.isFallbackAdapter ||
  /swiftshader|llvmpipe|lavapipe|software/i.test(`${info.architecture} ${info.device} ${info.description}`);

async function findGpu(choice: AdapterChoice, options: GpuOptions): Promise<GpuEntry | null> {
  const browser = globalThis.navigator?.gpu;
  // Chrome rounds timestamps to 100 µs.
  if (browser) return { gpu: browser, clockResolutionUs: 100, release() {} };
  if (!import.meta.env.SSR) return null;
  const { openDawn } = await import("./dawn.ts");
  return openDawn(choice, options);
}
