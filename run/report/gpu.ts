import type { AdapterChoice, Gpu } from "../../pipeline/device/gpu.ts";

/** Opens the chosen GPU; "auto" takes the software GPU where there is no other. Throws an `AdapterError` where there is none. */
export async function openAny(choice: AdapterChoice): Promise<Gpu> {
  const { openGpu } = await import("../../pipeline/device/open.ts");
  return (await openGpu(choice)) ?? openGpu("software");
}
