import { nudged } from "./nudged.ts";

/** The GPU cannot do, or has refused, what was asked of it. What the frame came to is not to be used. */
export class GpuError extends Error {
  override readonly name = "GpuError";

  constructor(
    message: string,
    /** Its memory or a limit is too small: it might do a smaller frame or picture, which can be asked for next. */
    readonly tooLarge = false,
  ) {
    super(message);
  }
}

/** Throws a `GpuError` where a device allows less of something than is asked for. `what` is "dofSplat list: bytes of a buffer". */
export function within(device: GPUDevice, limit: keyof GPUSupportedLimits, asked: number, what: string): void {
  const most = device.limits[limit];
  // Written so that NaN fails.
  if (typeof most !== "number" || asked <= most) return;
  throw new GpuError(
    `${what}: ${asked}, and this GPU allows ${most} (${limit}): take a smaller frame or picture`,
    true,
  );
}

/**
 * Does `work`, which has to be synchronous, and says later what the GPU had against it: `refused` rejects with a `GpuError`.
 * Nothing else that uses the device can come between, so that the error is this work's.
 */
export function scoped<T>(device: GPUDevice, what: string, work: () => T): { result: T; refused: Promise<void> } {
  const filters = ["validation", "out-of-memory", "internal"] as const;
  for (const filter of filters) device.pushErrorScope(filter);
  let result: T;
  let errors: Promise<GPUError | null>[];
  try {
    result = work();
  } finally {
    // A device that is lost has nothing to say here: its loss is told elsewhere.
    errors = filters.map(() => device.popErrorScope().catch(() => null));
  }
  return { result, refused: nudged(device, first(errors, what)) };
}

async function first(errors: readonly Promise<GPUError | null>[], what: string): Promise<void> {
  const error = (await Promise.all(errors)).find((one) => one !== null);
  if (!error) return;
  const isMemory = typeof GPUOutOfMemoryError !== "undefined" && error instanceof GPUOutOfMemoryError;
  const why = isMemory ? "the GPU's memory is used up: take a smaller frame or picture" : error.message;
  throw new GpuError(`${what}: ${why}`, isMemory);
}
