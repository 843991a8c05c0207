import { arch, cpus, platform, release, totalmem } from "node:os";
import type { Environment } from "./deviceReport/document.ts";
import type { Machine } from "./types.ts";

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

/** Where a report is measured. */
export function placeHere(): Environment {
  const { cpu, cores, memoryGb, os, node } = machineHere();
  return { program: `Node ${node}`, system: os, cpu, cores, memoryGb };
}
