import type { Gpu } from "../pipeline/device/gpu.ts";
import type { Adapter } from "./types.ts";

/** Describes the adapter, and the clock that its times come from. */
export function adapterOf(gpu: Gpu): Adapter {
  const { device, vendor, description, software, timestamps, clockResolutionUs } = gpu;
  const { subgroupMinSize, subgroupMaxSize } = device.adapterInfo;
  return {
    vendor,
    description,
    software,
    clock: timestamps ? "gpu" : "wall",
    clockResolutionUs,
    subgroupSizes: device.features.has("subgroups") ? `${subgroupMinSize} to ${subgroupMaxSize}` : "none",
    invocationsPerWorkgroup: device.limits.maxComputeInvocationsPerWorkgroup,
    workgroupMemory: device.limits.maxComputeWorkgroupStorageSize,
  };
}
