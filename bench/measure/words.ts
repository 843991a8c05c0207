/** Reads back the first `count` words (all, if not given) of a buffer with COPY_SRC. */
export async function readWords(device: GPUDevice, buffer: GPUBuffer, count = buffer.size / 4): Promise<Uint32Array> {
  const size = count * 4;
  const copy = device.createBuffer({ label: "bench", size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  try {
    const encoder = device.createCommandEncoder({ label: "bench" });
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    return new Uint32Array(copy.getMappedRange()).slice();
  } finally {
    copy.destroy();
  }
}
