import { untilAborted } from "../../core/abort.ts";
import { checkOptions } from "../../core/check.ts";
import { type AdapterChoice, AdapterError, type Gpu, type GpuEntry, type GpuOptions, gpuRules } from "./gpu.ts";

/**
 * Opens a device. "auto" gives `null` where there is no WebGPU or no hardware adapter. Throws an `AdapterError` if "hardware" or "software"
 * was asked for and there is none, an `OptionError` for another `choice` or option, and the reason of `signal`.
 *
 * @example
 * const gpu = await openGpu("auto"); // null where there is no hardware GPU
 */
export async function openGpu(choice: "hardware" | "software", options?: GpuOptions): Promise<Gpu>;
export async function openGpu(choice: AdapterChoice, options?: GpuOptions): Promise<Gpu | null>;
export async function openGpu(choice: AdapterChoice, options: GpuOptions = {}): Promise<Gpu | null> {
  checkOptions("openGpu", { ...options, adapter: choice }, gpuRules);
  return untilAborted(
    options.signal,
    () => open(choice, options),
    (late) => late?.destroy(),
  );
}

async function open(choice: AdapterChoice, options: GpuOptions): Promise<Gpu | null> {
  const entry = await findGpu(choice, options);
  if (!entry) return none(choice);
  const adapter = await entry.gpu.requestAdapter(PREFERENCES[choice]);
  const software = adapter !== null && isSoftware(adapter.info);
  if (!adapter || software !== (choice === "software")) {
    entry.release();
    return none(choice, `WebGPU offers ${adapter ? describe(adapter.info) : "no adapter"}${entry.found?.() ?? ""}`);
  }
  const wanted: GPUFeatureName[] = ["timestamp-query", "subgroups", "shader-f16"];
  const { limits } = adapter;
  const descriptor: GPUDeviceDescriptor = {
    label: "depthloom",
    requiredFeatures: wanted.filter((feature) => adapter.features.has(feature)),
    requiredLimits: {
      maxBufferSize: limits.maxBufferSize,
      maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
      maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
      maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
      maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
      maxStorageBuffersPerShaderStage: limits.maxStorageBuffersPerShaderStage,
    },
  };
  const device = await adapter.requestDevice(descriptor).catch((error: unknown) => {
    entry.release();
    throw error;
  });
  entry.use?.(device);
  return {
    ...factsOf(device, adapter.info),
    clockResolutionUs: entry.clockResolutionUs,
    async destroy() {
      device.destroy();
      await device.lost;
      // Dawn delivers its last callbacks in the next turn; the objects that they belong to have to live until then.
      await new Promise((resolve) => setTimeout(resolve));
      entry.release();
    },
  };
}

/** Wraps a page's device that somebody else owns, such as a renderer. `destroy` leaves the device alone. */
export const gpuOn = (device: GPUDevice): Gpu => ({
  ...factsOf(device, device.adapterInfo),
  clockResolutionUs: CHROME_STEP_US,
  async destroy() {},
});

function factsOf(device: GPUDevice, info: GPUAdapterInfo) {
  return {
    device,
    vendor: info.vendor,
    description: describe(info),
    software: isSoftware(info),
    timestamps: device.features.has("timestamp-query"),
  };
}

const describe = (info: GPUAdapterInfo) =>
  [info.description || info.architecture, info.device].filter(Boolean).join(", ");

/** Chrome rounds timestamps to 100 µs; other browsers, and devices that are lent, are assumed to, unmeasured. */
const CHROME_STEP_US = 100;

const PREFERENCES: Readonly<Record<AdapterChoice, GPURequestAdapterOptions>> = {
  auto: { powerPreference: "high-performance" },
  hardware: { powerPreference: "high-performance" },
  software: { forceFallbackAdapter: true },
};

/** `offered` says what WebGPU has in the place of the adapter asked for; it is not given where a package is missing. */
function none(choice: AdapterChoice, offered?: string): null {
  if (choice === "auto") return null;
  const missing = offered ?? "install @sparticuz/chromium beside depthloom";
  const software = import.meta.env.SSR ? missing : "start the browser with --use-webgpu-adapter=swiftshader";
  const advice = choice === "software" ? software : 'take the adapter "software" or the backend "cpu"';
  throw new AdapterError(`no ${choice} WebGPU adapter here: ${advice}`);
}

/** Browsers flag a software adapter; Dawn in Node does not, so its name decides. */
const isSoftware = (info: GPUAdapterInfo) =>
  info.isFallbackAdapter ||
  /swiftshader|llvmpipe|lavapipe|software/i.test(`${info.architecture} ${info.device} ${info.description}`);

async function findGpu(choice: AdapterChoice, options: GpuOptions): Promise<GpuEntry | null> {
  const browser = globalThis.navigator?.gpu;
  if (browser) return { gpu: browser, clockResolutionUs: CHROME_STEP_US, release() {} };
  if (!import.meta.env.SSR) return null;
  const { openDawn } = await import("./dawn.ts");
  return openDawn(choice, options);
}
