/** Headless Chromium can leave what was asked unanswered for as long as nothing is submitted: so something is, now and then. */
export async function nudged<T>(device: GPUDevice, promise: Promise<T>): Promise<T> {
  const nudging = setInterval(() => device.queue.submit([]), 50);
  try {
    return await promise;
  } finally {
    clearInterval(nudging);
  }
}
