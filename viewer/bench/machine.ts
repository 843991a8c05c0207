import { arch, cpus, platform, release, totalmem } from "node:os";
import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { Adapter, Machine } from "./types.ts";

/** Describes the machine that this runs on. */
export function machineHere(): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() || "unknown",
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    os: `${platform()} ${release()} ${arch()}`,
    node: process.versions.node,
    date: new Date().toISOString(),
  };
}

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
