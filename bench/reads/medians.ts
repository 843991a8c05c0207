import type { Gpu } from "../../pipeline/device/gpu.ts";
import { Transfer } from "../../pipeline/run/transfer.ts";
import { submit } from "../../pipeline/tune/stopwatch.ts";
import shippedCode from "../../shaders/median/size3.wgsl?raw";
import { image } from "../../sources/core/array.ts";
import { createKernel } from "../../stages/core/author.ts";
import { createDepthImage, type DepthImage } from "../../stages/core/resources.ts";
import { createPlain3, createSize3 } from "../../stages/median/size3.ts";
import code1 from "../kernels/reads/median1.wgsl?raw";
import code2 from "../kernels/reads/median2.wgsl?raw";
import code4 from "../kernels/reads/median4.wgsl?raw";
import code8 from "../kernels/reads/median8.wgsl?raw";
import parts from "../kernels/reads/medianParts.wgsl?raw";
import type { Effort } from "../measure/effort.ts";
import { type Repeated, timeByTurns } from "../measure/repeats.ts";
import type { Stopwatch } from "../measure/stopwatch.ts";
import { readWords } from "../measure/words.ts";
import type { Size } from "../types.ts";
import type { MedianCase } from "./plan.ts";
import { firstDifference } from "./twins.ts";
import type { Encode, Measured } from "./windows.ts";

const SENTINEL = 0xdeadbeef;
const CODES = { 1: code1, 2: code2, 4: code4, 8: code8 } as const;

/** A measurement of the median. */
export interface MedianRow extends MedianCase, Repeated {
  /** Whether the image equals the CPU twin's. */
  readonly checked: boolean;
}

/** A depth image on a device, room for the filtered one, and what has to be there. */
export interface DepthGround {
  readonly source: DepthImage;
  readonly sink: DepthImage;
  /** The medians of all kernels but the shipped one, which keeps lines. */
  readonly plain: Uint16Array;
  readonly shipped: Uint16Array;
  destroy(): void;
}

/** Uploads a depth image of `height` × `width` and filters it on the CPU. */
export function depthGroundOf({ device }: Gpu, depth: Uint16Array<ArrayBuffer>, { width, height }: Size): DepthGround {
  const source = createDepthImage(device, "reads depth", width, height);
  const sink = createDepthImage(device, "reads median", width, height);
  new Transfer(device, source.stride * height).writeDepth(image(depth, [height, width]), source);
  const filtered = (create: typeof createSize3) => {
    const output = image(new Uint16Array(width * height), [height, width]);
    create(width, height)(image(depth, [height, width]), output);
    return output.data;
  };
  return {
    source,
    sink,
    plain: filtered(createPlain3),
    shipped: filtered(createSize3),
    destroy() {
      source.buffer.destroy();
      sink.buffer.destroy();
    },
  };
}

/** The dispatches of a case. */
export async function medianOf(
  { device }: Gpu,
  one: MedianCase,
  { source, sink }: Pick<DepthGround, "source" | "sink">,
) {
  const [WORKGROUP_X, WORKGROUP_Y] = one.workgroup;
  const { outputs, height } = one;
  const shape = { HEIGHT: height, WORKGROUP_X, WORKGROUP_Y };
  const [depth, filtered] = [source.buffer, sink.buffer];
  const views = {
    words: depth,
    ...(outputs !== "shipped" && outputs >= 4 && { twos: depth }),
    ...(outputs === 8 && { fours: depth }),
  };
  const kernel =
    outputs === "shipped"
      ? await createKernel(device, {
          label: "median/size3",
          code: shippedCode,
          constants: { ...shape, ROW_VECTORS: source.stride / 8 },
          resources: { depth, filtered },
        })
      : await createKernel(device, {
          label: `reads/median${outputs}`,
          code: [CODES[outputs], parts].join("\n"),
          constants: { ...shape, ROW_WORDS: source.stride / 2, ...(outputs >= 4 && { LOAD: one.loadBits }) },
          resources: { ...views, filtered },
        });
  const x = Math.ceil(source.stride / (outputs === "shipped" ? 8 : outputs) / WORKGROUP_X);
  const y = Math.ceil(height / WORKGROUP_Y);
  return (pass: GPUComputePassEncoder) => kernel.dispatch(pass, x, y);
}

/** Checks cases of one size, then times them by turns. */
export async function measureMedians(
  stopwatch: Stopwatch,
  cases: readonly MedianCase[],
  ground: DepthGround,
  effort: Effort,
): Promise<Measured<MedianRow>[]> {
  const encodes = await Promise.all(cases.map((one) => medianOf(stopwatch.gpu, one, ground)));
  const faults: (string | undefined)[] = [];
  for (const [i, encode] of encodes.entries()) {
    const expected = cases[i]?.outputs === "shipped" ? ground.shipped : ground.plain;
    faults.push(await faultOf(stopwatch.gpu, ground.sink, expected, encode));
  }
  const times = await timeByTurns(stopwatch, encodes, effort);
  return cases.map((one, i) => ({ row: { ...one, ...times[i], checked: !faults[i] }, fault: faults[i] }));
}

async function faultOf({ device }: Gpu, sink: DepthImage, expected: Uint16Array, encode: Encode) {
  device.queue.writeBuffer(sink.buffer, 0, new Uint32Array(sink.buffer.size / 4).fill(SENTINEL));
  submit(device, encode);
  const stored = new Uint16Array((await readWords(device, sink.buffer)).buffer);
  const found = new Uint16Array(expected.length);
  for (let y = 0; y < sink.height; y++) {
    found.set(stored.subarray(y * sink.stride, y * sink.stride + sink.width), y * sink.width);
  }
  return firstDifference(found, expected, sink.width);
}
