/**
 * Waits for a promise of the device. Headless Chromium can leave it pending while nothing is submitted, so this submits nothing every 50
 * ms.
 */
export async function waitPolled<T>(device: GPUDevice, promise: Promise<T>): Promise<T> {
  const nudging = setInterval(() => device.queue.submit([]), 50);
  try {
    return await promise;
  } finally {
    clearInterval(nudging);
  }
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
