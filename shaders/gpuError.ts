import { waitPolled } from "./waitPolled.ts";

/** The GPU cannot do, or has refused, what was asked of it. The current frame's results are unusable. */
export class GpuError extends Error {
  /** Names the class where `instanceof` cannot: across workers and copies of the library. */
  override readonly name = "GpuError";
  /** As in every `DepthloomError`. */
  readonly code: string = "DEPTHLOOM_GPU";

  constructor(
    message: string,
    /** Whether the GPU's memory or one of its limits is too small, so that a smaller frame or picture may succeed. */
    readonly tooLarge = false,
  ) {
    super(message);
  }
}

/** Throws a `GpuError` if `asked` exceeds the device's limit. `what` names the object: "dofSplat list: bytes of a buffer". */
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
 * Runs `work`, which must be synchronous, inside error scopes. `refused` rejects with a `GpuError` if the GPU refused any of it. Since
 * `work` is synchronous, no other code can use the device meanwhile, so an error belongs to this work.
 */
export function scoped<T>(device: GPUDevice, what: string, work: () => T): { result: T; refused: Promise<void> } {
  const filters = ["validation", "out-of-memory", "internal"] as const;
  for (const filter of filters) device.pushErrorScope(filter);
  let result: T;
  let errors: Promise<GPUError | null>[];
  try {
    result = work();
  } finally {
    // A lost device reports no errors here; `device.lost` reports the loss.
    errors = filters.map(() => device.popErrorScope().catch(() => null));
  }
  return { result, refused: waitPolled(device, first(errors, what)) };
}

async function first(errors: readonly Promise<GPUError | null>[], what: string): Promise<void> {
  const error = (await Promise.all(errors)).find((one) => one !== null);
  if (!error) return;
  const isMemory = typeof GPUOutOfMemoryError !== "undefined" && error instanceof GPUOutOfMemoryError;
  const why = isMemory ? "the GPU's memory is used up: take a smaller frame or picture" : error.message;
  throw new GpuError(`${what}: ${why}`, isMemory);
}
