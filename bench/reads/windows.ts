import type { Gpu } from "../../pipeline/device/gpu.ts";
import { submit } from "../../pipeline/tune/stopwatch.ts";
import type { Kernel } from "../../shaders/kernel.ts";
import { createKernel } from "../../stages/core/author.ts";
import readCode from "../kernels/reads/window.wgsl?raw";
import readWriteCode from "../kernels/reads/windowReadWrite.wgsl?raw";
import { type Repeated, timeByTurns } from "../measure/repeats.ts";
import type { Effort, Stopwatch } from "../measure/stopwatch.ts";
import { readWords } from "../measure/words.ts";
import type { Size } from "../types.ts";
import type { WindowCase } from "./plan.ts";
import { firstDifference, windowSums } from "./twins.ts";

/** The window kernel's workgroup. */
const WORKGROUP = { x: 32, y: 4 };
const SENTINEL = 0xdeadbeef;

/** Encodes dispatches. */
export type Encode = (pass: GPUComputePassEncoder) => void;

/** A measurement of the window kernel. */
export interface WindowRow extends WindowCase, Repeated {
  /** Whether the sums equal the CPU's. */
  readonly checked: boolean;
}

/** An image on a device, and room for sums. */
export interface Ground {
  readonly pixels: GPUBuffer;
  readonly sums: GPUBuffer;
  /** The CPU's result. */
  expected(radius: number): Uint32Array;
  destroy(): void;
}

/** The dispatches of a case. */
async function windowOf({ device }: Gpu, one: WindowCase, { pixels, sums }: Ground): Promise<Encode> {
  const { width, height, radius, chunk, along, binding } = one;
  const constants = { WIDTH: width, HEIGHT: height, RADIUS: radius, CHUNK: chunk, DOWN: Number(along === "down") };
  const resources = { pixels, sums };
  const kernel: Kernel =
    binding === "read"
      ? await createKernel(device, { label: "reads/window", code: readCode, constants, resources })
      : await createKernel(device, {
          label: "reads/windowReadWrite",
          code: readWriteCode,
          constants: { ...constants, WRITES: Number(binding === "read-write, written") },
          resources,
        });
  const [across, down] = along === "down" ? [1, chunk] : [chunk, 1];
  const [x, y] = [Math.ceil(width / across / WORKGROUP.x), Math.ceil(height / down / WORKGROUP.y)];
  return (pass: GPUComputePassEncoder) => kernel.dispatch(pass, x, y);
}

/** A row, and what was wrong, if anything was. */
export interface Measured<Row> {
  readonly row: Row;
  readonly fault: string | undefined;
}

/** Checks cases of one size, then times them by turns. */
export async function measureWindows(
  stopwatch: Stopwatch,
  cases: readonly WindowCase[],
  ground: Ground,
  effort: Effort,
): Promise<Measured<WindowRow>[]> {
  const encodes = await Promise.all(cases.map((one) => windowOf(stopwatch.gpu, one, ground)));
  const faults: (string | undefined)[] = [];
  for (const [i, one] of cases.entries()) faults.push(await faultOf(stopwatch.gpu, one, ground, encodes[i]));
  const times = await timeByTurns(stopwatch, encodes, effort);
  return cases.map((one, i) => ({ row: { ...one, ...times[i], checked: !faults[i] }, fault: faults[i] }));
}

async function faultOf({ device }: Gpu, one: WindowCase, { sums, expected }: Ground, encode: Encode) {
  device.queue.writeBuffer(sums, 0, new Uint32Array(sums.size / 4).fill(SENTINEL));
  submit(device, encode);
  return firstDifference(await readWords(device, sums), expected(one.radius), one.width);
}

/** Uploads an image of `height` × `width`, a word a pixel. */
export function groundOf({ device }: Gpu, image: Uint16Array, size: Size): Ground {
  const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const buffer = (label: string) =>
    device.createBuffer({ label, size: image.length * 4, usage: STORAGE | COPY_DST | COPY_SRC });
  const [pixels, sums] = [buffer("reads pixels"), buffer("reads sums")];
  device.queue.writeBuffer(pixels, 0, Uint32Array.from(image));
  const known = new Map<number, Uint32Array>();
  return {
    pixels,
    sums,
    expected(radius) {
      const found = known.get(radius) ?? windowSums(image, size, radius);
      known.set(radius, found);
      return found;
    },
    destroy() {
      pixels.destroy();
      sums.destroy();
    },
  };
}
