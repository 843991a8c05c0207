/** Submits a compute pass without timing it. */
export function submit(device: GPUDevice, work: (pass: GPUComputePassEncoder) => void, label = "bench"): void {
  const encoder = device.createCommandEncoder({ label });
  const pass = encoder.beginComputePass({ label });
  work(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
}
