import type { Kernel } from "../../shaders/kernel.ts";
import { createKernel, type KernelSpec } from "../../stages/core/author.ts";

/** A device accepts at most this many workgroups in a row. */
const MOST_IN_A_ROW = 65535;

/** Dispatches a number of workgroups as a rectangle; kernels number them by `group.y * groups.x + group.x` and pass over those beyond. */
function dispatchMany(kernel: Kernel, pass: GPUComputePassEncoder, groups: number): void {
  const rows = Math.ceil(groups / MOST_IN_A_ROW);
  kernel.dispatch(pass, Math.ceil(groups / rows), rows);
}

/** Encodes dispatches. */
export type Encode = (pass: GPUComputePassEncoder) => void;

/** One after the other. */
export const inOrder =
  (all: readonly Encode[]): Encode =>
  (pass) => {
    for (const encode of all) encode(pass);
  };

/** Compiles a kernel of bench/kernels and returns its dispatch of `groups` workgroups. */
export async function dispatchOf(device: GPUDevice, groups: number, spec: KernelSpec): Promise<Encode> {
  const kernel = await createKernel(device, spec);
  return (pass) => dispatchMany(kernel, pass, groups);
}
