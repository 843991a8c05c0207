import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { Size } from "../types.ts";

/** How the window kernel's input is bound. "read-write, written" has a write that never happens, which no compiler can know. */
export const BINDINGS = ["read", "read-write", "read-write, written"] as const;
export type Binding = (typeof BINDINGS)[number];

/** One measurement of the window kernel (kernels/reads/window.wgsl). */
export interface WindowCase extends Size {
  readonly series: "binding" | "pixels";
  readonly binding: Binding;
  readonly radius: number;
  /** Pixels of an invocation. */
  readonly chunk: number;
  /** Whether an invocation's pixels lie below each other or side by side. */
  readonly along: "down" | "across";
}

/** The measurements of the window kernel. `quick` takes a few of each series. */
export function windowCases(size: Size, quick: boolean): WindowCase[] {
  const bindingRadii = quick ? [0, 2] : [0, 1, 2, 4];
  const chunkRadii = quick ? [2] : [1, 2, 4];
  const chunks = quick ? [1, 2, 4, 8] : [1, 2, 3, 4, 6, 8];
  return [
    ...bindingRadii.flatMap((radius) =>
      BINDINGS.map((binding) => ({
        ...size,
        ...{ series: "binding" as const, binding, radius, chunk: 1, along: "down" as const },
      })),
    ),
    ...chunkRadii.flatMap((radius) =>
      (["down", "across"] as const).flatMap((along) =>
        chunks.map((chunk) => ({ ...size, series: "pixels" as const, binding: "read" as const, radius, chunk, along })),
      ),
    ),
  ];
}

const SIZES = {
  quick: [{ width: 320, height: 240 }],
  software: [{ width: 640, height: 480 }],
  hardware: [
    { width: 1920, height: 1080 },
    { width: 640, height: 480 },
    { width: 3840, height: 2160 },
  ],
};

/** The images' sizes for a device, from the most telling on. */
export const readsSizes = ({ software }: Pick<Gpu, "software">, quick: boolean): readonly Size[] =>
  quick ? SIZES.quick : software ? SIZES.software : SIZES.hardware;
