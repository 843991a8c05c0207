/** The objects that a device makes after the call of `watched`, and the bytes that its queue is given. */
export interface Watch {
  /** Labels of the buffers, textures and query sets that were not destroyed. */
  readonly live: ReadonlySet<string>;
  /** Labels of the buffers, textures and query sets made so far. */
  readonly made: readonly string[];
  /** Labels of the compute pipelines compiled so far. */
  readonly compiled: readonly string[];
  /** Bytes handed to the queue so far. */
  readonly written: number;
  stop(): void;
}

export function watched(device: GPUDevice): Watch {
  const live = new Set<string>();
  const [made, compiled]: [string[], string[]] = [[], []];
  const seen = <T extends GPUBuffer | GPUTexture | GPUQuerySet>(object: T): T => {
    made.push(object.label);
    const label = `${object.label} (${made.length})`;
    live.add(label);
    const destroy = object.destroy.bind(object);
    return Object.assign(object, {
      destroy() {
        live.delete(label);
        destroy();
      },
    });
  };
  let written = 0;
  const { queue, createBuffer, createTexture, createQuerySet, createComputePipelineAsync } = device;
  const { writeBuffer } = queue;
  const own: Partial<GPUDevice> = {
    createBuffer: (descriptor) => seen(createBuffer.call(device, descriptor)),
    createTexture: (descriptor) => seen(createTexture.call(device, descriptor)),
    createQuerySet: (descriptor) => seen(createQuerySet.call(device, descriptor)),
    createComputePipelineAsync(descriptor) {
      compiled.push(`${descriptor.label}`);
      return createComputePipelineAsync.call(device, descriptor);
    },
  };
  Object.assign(device, own);
  queue.writeBuffer = (
    buffer: GPUBuffer,
    at: number,
    data: GPUAllowSharedBufferSource,
    from?: number,
    size?: number,
  ) => {
    written += size ?? data.byteLength;
    writeBuffer.call(queue, buffer, at, data, from, size);
  };
  return {
    live,
    made,
    compiled,
    get written() {
      return written;
    },
    stop() {
      Object.assign(device, { createBuffer, createTexture, createQuerySet, createComputePipelineAsync });
      queue.writeBuffer = writeBuffer;
    },
  };
}
