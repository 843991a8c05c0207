/** The pauses before each nudge since the newest wait began, ms; the last one repeats. */
const NUDGES_MS = [1, 1, 1, 1, 2, 4, 8, 16, 32, 50];

/** The waits for one device that are not over. */
interface Waits {
  count: number;
  /** How many nudges there were since the newest wait began. */
  nudges: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const waits = new WeakMap<GPUDevice, Waits>();

/**
 * Waits for a promise of the device. Chromium looks only now and then whether a GPU is done, and headless Chromium can leave a promise
 * pending while nothing is submitted. Each submit makes Chromium look, so this function makes empty submits, first soon, then more rarely.
 */
export async function waitPolled<T>(device: GPUDevice, promise: Promise<T>): Promise<T> {
  const all = waits.get(device) ?? { count: 0, nudges: 0, timer: undefined };
  waits.set(device, all);
  all.count++;
  all.nudges = 0;
  clearTimeout(all.timer);
  nudgeLater(device, all);
  try {
    return await promise;
  } finally {
    if (--all.count === 0) clearTimeout(all.timer);
  }
}

function nudgeLater(device: GPUDevice, all: Waits): void {
  all.timer = setTimeout(
    () => {
      device.queue.submit([]);
      nudgeLater(device, all);
    },
    NUDGES_MS[Math.min(all.nudges++, NUDGES_MS.length - 1)],
  );
}

/**
 * Copies parts of buffers (first byte, bytes) into `mapped`, each behind the one before, after the commands of `encoder`. Resolves to what
 * `take` makes of the bytes, which last until it returns.
 */
export async function readParts<T>(
  device: GPUDevice,
  mapped: GPUBuffer,
  parts: readonly (readonly [buffer: GPUBuffer, from: number, bytes: number])[],
  take: (bytes: ArrayBuffer) => T,
  encoder = device.createCommandEncoder({ label: mapped.label }),
): Promise<T> {
  let size = 0;
  for (const [buffer, from, bytes] of parts) {
    encoder.copyBufferToBuffer(buffer, from, mapped, size, bytes);
    size += bytes;
  }
  device.queue.submit([encoder.finish()]);
  await waitPolled(device, mapped.mapAsync(GPUMapMode.READ, 0, size));
  const taken = take(mapped.getMappedRange(0, size));
  mapped.unmap();
  return taken;
}
