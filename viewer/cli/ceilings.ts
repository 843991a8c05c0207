import type { Gpu } from "../../pipeline/device/gpu.ts";
import { createKernel } from "../../shaders/kernel.ts";
import copyCode from "../../shaders/shared/copy.wgsl?raw";

/** What a device can give at most, measured on it by the wall clock. No stage can be faster than these. */
export interface Ceilings {
  /** Bytes read and written by a copy of 64 MiB (4 MiB on a software GPU), 10⁹ a second. */
  readonly copyGBps: number;
  /** A dispatch that depends on the one before and does next to nothing, µs. */
  readonly dispatchUs: number;
  /** From submit to done of an empty piece of work, µs. */
  readonly roundTripUs: number;
  /** `writeBuffer` of a 640×480 frame until it is there, µs. */
  readonly uploadUs: number;
}

const COPY_BYTES = 2 ** 26;
const SOFTWARE_COPY_BYTES = 2 ** 22;
const SMALL_BYTES = 2 ** 12;
const BYTES_PER_GROUP = 64 * 4 * 16;
const FRAME_BYTES = 640 * 480 * 2;
const LONG_MS = 5;

/** Takes about a second. Differences of long and short runs, so that what a submit costs does not count. */
export async function measureCeilings({ device, software }: Pick<Gpu, "device" | "software">): Promise<Ceilings> {
  const bytes = software ? SOFTWARE_COPY_BYTES : COPY_BYTES;
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
  const [source, sink] = ["ceiling source", "ceiling sink"].map((label) =>
    device.createBuffer({ label, size: bytes, usage }),
  );
  if (!source || !sink) throw new Error("no buffers for measuring");
  try {
    const run = async (size: number) => {
      const kernel = await createKernel(device, {
        label: "shared/copy",
        code: copyCode,
        constants: { LENGTH: size / 16 },
        resources: { source, sink },
      });
      return (times: number) =>
        wallMs(device, (encoder) => {
          const pass = encoder.beginComputePass();
          for (let i = 0; i < times; i++) kernel.dispatch(pass, size / BYTES_PER_GROUP);
          pass.end();
        });
    };
    const copyMs = await perRepeat(await run(bytes));
    const dispatchMs = await perRepeat(await run(SMALL_BYTES));
    const roundTripMs = await quickest(() => wallMs(device, () => {}));
    const frame = new Uint8Array(FRAME_BYTES);
    const uploadMs = await quickest(() => wallMs(device, () => device.queue.writeBuffer(source, 0, frame)));
    return {
      copyGBps: (2 * bytes) / copyMs / 1e6,
      dispatchUs: dispatchMs * 1000,
      roundTripUs: roundTripMs * 1000,
      uploadUs: Math.max(0, uploadMs - roundTripMs) * 1000,
    };
  } finally {
    source.destroy();
    sink.destroy();
  }
}

async function wallMs(device: GPUDevice, record: (encoder: GPUCommandEncoder) => void): Promise<number> {
  const begin = performance.now();
  const encoder = device.createCommandEncoder();
  record(encoder);
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  return performance.now() - begin;
}

/** The quickest of a few: a ceiling is what is reached when nothing else is in the way. */
async function quickest(measure: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 10; i++) least = Math.min(least, await measure());
  return least;
}

/** What one more repetition costs: of so many that they take long enough to be told from the round trip. */
async function perRepeat(run: (times: number) => Promise<number>): Promise<number> {
  let times = 1;
  while (times < 4096 && (await run(times)) < LONG_MS) times *= 2;
  const short = await quickest(() => run(times));
  const long = await quickest(() => run(3 * times));
  return Math.max(0, long - short) / (2 * times);
}
