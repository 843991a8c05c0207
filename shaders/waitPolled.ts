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
