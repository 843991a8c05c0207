/** Reads back the words of a buffer with COPY_SRC. */
export async function readWords(device: GPUDevice, buffer: GPUBuffer): Promise<number[]> {
  const { size } = buffer;
  const copy = device.createBuffer({ label: "bench", size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const words = [...new Uint32Array(copy.getMappedRange())];
  copy.destroy();
  return words;
}
