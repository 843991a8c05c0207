import fc from "fast-check";
import ndarray from "ndarray";
import { afterAll, beforeAll, beforeEach, type TestContext } from "vitest";
import type { DepthArray } from "../core/frame.ts";
import type { Gpu } from "../pipeline/device/gpu.ts";
import { openGpu } from "../pipeline/device/open.ts";
import { submit } from "../pipeline/tune/stopwatch.ts";
import { AGAIN, type FrameContext, strideOf } from "../stages/core/resources.ts";
import type { BuiltStage } from "../stages/core/stage.ts";
import { uniform } from "./random.ts";

declare module "vitest" {
  interface TaskMeta {
    /** The test has asked for the GPU: the reporter counts those. */
    gpu?: true;
  }
}

/**
 * The GPU of this process and the pipelines made on it. All its test files share them: a software GPU compiles the kernels of some stages
 * for seconds, and Dawn compiles none that it still has. Modules may be loaded anew (vi.resetModules), the process's globals stay.
 */
const ours: { testGpu?: Promise<Gpu> } = globalThis as object;

async function open(): Promise<Gpu> {
  const gpu = await openGpu(process.env.DEPTHLOOM_TEST_ADAPTER === "hardware" ? "hardware" : "software");
  const { device } = gpu;
  const kept: GPUComputePipeline[] = [];
  const compile = device.createComputePipelineAsync.bind(device);
  device.createComputePipelineAsync = async (descriptor) => {
    const pipeline = await compile(descriptor);
    kept.push(pipeline);
    return pipeline;
  };
  return gpu;
}

/**
 * A GPU for the tests of a file: the software one unless DEPTHLOOM_TEST_ADAPTER=hardware.
 * There is always one (it comes out of an npm package), so that no GPU test is ever skipped; validation errors fail the file.
 */
export function useGpu(): { readonly device: GPUDevice; readonly gpu: Gpu } {
  let gpu: Gpu | null = null;
  const errors: string[] = [];
  const hear = ({ error }: GPUUncapturedErrorEvent) => errors.push(error.message);
  let running: TestContext["task"] | undefined;
  beforeEach(({ task }) => {
    running = task;
    return () => {
      running = undefined;
    };
  });
  beforeAll(async () => {
    ours.testGpu ??= open();
    gpu = await ours.testGpu;
    gpu.device.addEventListener("uncapturederror", hear);
  });
  afterAll(async () => {
    // Errors of the last commands come with these, not in the next file.
    await gpu?.device.queue.onSubmittedWorkDone();
    gpu?.device.removeEventListener("uncapturederror", hear);
    gpu = null;
    if (errors.length > 0) throw new Error(`WebGPU errors nobody caught:\n${errors.join("\n")}`);
  });
  const opened = () => {
    if (!gpu) throw new Error("the GPU is there only inside a test");
    if (running) running.meta.gpu = true;
    return gpu;
  };
  return {
    get gpu() {
      return opened();
    },
    get device() {
      return opened().device;
    },
  };
}

export { readWords } from "../bench/measure/words.ts";

/** Submits a frame of a stage. */
export const runFrame = (device: GPUDevice, built: Pick<BuiltStage, "encode">, context: FrameContext = AGAIN): void =>
  submit(device, (pass) => built.encode(pass, context), "test");

/** Fills a buffer with a sentinel, so that a slot no kernel wrote shows. */
export function fillWords(device: GPUDevice, buffer: GPUBuffer, word: number): void {
  device.queue.writeBuffer(buffer, 0, new Uint32Array(buffer.size / 4).fill(word));
}

/** A typed array seen as an image. */
type Pixels = Readonly<ArrayLike<number>>;

interface Layout {
  /** Pixels in a row. */
  readonly width: number;
  /** Values a pixel, next to each other; 1 unless given. */
  readonly channels?: number;
  /** How far a value may be off; 0 unless given. */
  readonly tolerance?: number;
  /** The name of the compared data, for the message. */
  readonly name?: string;
}

/**
 * Where `got` differs from `expected`: how many values, in which part of the image, by how much, and the first few of them.
 * `undefined` if they agree. NaN agrees with NaN only.
 */
function difference(got: Pixels, expected: Pixels, layout: Layout): string | undefined {
  const { width, channels = 1, tolerance = 0, name = "image" } = layout;
  if (got.length !== expected.length) return `${name}: ${got.length} values, expected ${expected.length}`;
  const first: string[] = [];
  const box = { left: Infinity, top: Infinity, right: -1, bottom: -1 };
  let count = 0;
  let most = 0;
  for (let i = 0; i < got.length; i++) {
    const off = Math.abs(got[i] - expected[i]);
    if (off <= tolerance || Object.is(got[i], expected[i])) continue;
    const x = Math.floor(i / channels) % width;
    const y = Math.floor(i / channels / width);
    count++;
    if (!(off <= most)) most = off;
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
    const channel = channels > 1 ? ` channel ${i % channels}` : "";
    if (first.length < 5) first.push(`  (x ${x}, y ${y})${channel}: expected ${expected[i]}, got ${got[i]}`);
  }
  if (count === 0) return undefined;
  const where = `x ${box.left}…${box.right}, y ${box.top}…${box.bottom}`;
  const allowed = tolerance > 0 ? ` (${tolerance} allowed)` : "";
  return [`${name}: ${count} of ${got.length} values differ by up to ${most}${allowed}, in ${where}`, ...first].join(
    "\n",
  );
}

/** Throws an error that says where two images differ. */
export function expectImage(got: Pixels, expected: Pixels, layout: Layout): void {
  const found = difference(got, expected, layout);
  if (found) throw new Error(found);
}

/** A random depth frame, small enough to print when a test fails: `levels` different values, holes of a few pixels. */
export interface Recipe {
  readonly width: number;
  readonly height: number;
  readonly levels: number;
  readonly holeShare: number;
  readonly seed: number;
}

const content = {
  levels: fc.constantFrom(1, 2, 9, 1000, 65535),
  holeShare: fc.constantFrom(0, 0.05, 0.3, 0.7, 0.97),
  seed: fc.nat(),
};

/** Frames of any small size. */
export const recipes: fc.Arbitrary<Recipe> = fc.record({
  width: fc.integer({ min: 1, max: 40 }),
  height: fc.integer({ min: 1, max: 20 }),
  ...content,
});

/** Frames of a few sizes: a GPU compiles its kernels again for each. */
export const gpuRecipes: fc.Arbitrary<Recipe> = fc
  .tuple(fc.constantFrom([1, 1], [3, 17], [8, 4], [23, 2], [41, 9]), fc.record(content))
  .map(([[width, height], rest]) => ({ width, height, ...rest }));

export function cook({ width, height, levels, holeShare, seed }: Recipe): DepthArray {
  const share = uniform(seed);
  const random = (n: number) => Math.floor(share() * n);
  const depth = image(
    Uint16Array.from({ length: width * height }, () => 65535 - random(levels)),
    width,
  );
  for (let holes = (holeShare * depth.data.length) / 4; holes > 0; holes--) {
    const at = random(depth.data.length);
    depth.data.fill(0, at, at + 1 + random(7));
  }
  return depth;
}

/** Values as a depth image of `width`. */
export const image = (values: ArrayLike<number>, width: number): DepthArray =>
  ndarray(Uint16Array.from(values), [values.length / width, width]);

/** Rows as they lie in a `DepthImage`'s buffer: padded with zeros to its stride. */
export function padded({ data, shape: [height, width] }: DepthArray): Uint16Array<ArrayBuffer> {
  const stride = strideOf(width);
  const rows = new Uint16Array(stride * height);
  for (let y = 0; y < height; y++) rows.set(data.subarray(y * width, (y + 1) * width), y * stride);
  return rows;
}
