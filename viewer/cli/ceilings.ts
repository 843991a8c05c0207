import type { Gpu } from "../../pipeline/device/gpu.ts";
import { createKernel } from "../../shaders/kernel.ts";
import copyCode from "../../shaders/shared/copy.wgsl?raw";

/** The limits of a device, measured on it by the wall clock. No stage can be faster. */
export interface Ceilings {
  /** Bytes read and written by a copy of 64 MiB (4 MiB on a software GPU), in 10⁹ per second. */
  readonly copyGBps: number;
  /** The time of a dispatch that depends on the one before and does almost nothing, in µs. */
  readonly dispatchUs: number;
  /** The time from submitting an empty command buffer until it is done, in µs. */
  readonly roundTripUs: number;
  /** The time of a `writeBuffer` of a 640×480 frame until the data is there, in µs. */
  readonly uploadUs: number;
}

const COPY_BYTES = 2 ** 26;
const SOFTWARE_COPY_BYTES = 2 ** 22;
const SMALL_BYTES = 2 ** 12;
const BYTES_PER_GROUP = 64 * 4 * 16;
const FRAME_BYTES = 640 * 480 * 2;
const LONG_MS = 5;

/** Takes about a second. It compares short with long runs, so that the cost of submitting does not count. */
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

/** The shortest of ten measurements: a limit is what the device reaches when nothing disturbs it. */
async function quickest(measure: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 10; i++) least = Math.min(least, await measure());
  return least;
}

/** The cost of one more repetition, measured with so many that they take much longer than the round trip. */
async function perRepeat(run: (times: number) => Promise<number>): Promise<number> {
  let times = 1;
  while (times < 4096 && (await run(times)) < LONG_MS) times *= 2;
  const short = await quickest(() => run(times));
  const long = await quickest(() => run(3 * times));
  return Math.max(0, long - short) / (2 * times);
}
