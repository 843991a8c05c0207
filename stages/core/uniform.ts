import { type LayoutValue, type Shader, structView } from "../../shaders/shader.ts";
import { watchChanges } from "./parameters.ts";
import type { Pool } from "./pool.ts";

/**
 * A uniform buffer that follows live parameters. Call `update` in each `encode`: it writes what `valuesOf` returns if a parameter has
 * changed since the last call. The first write waits until then too, because the pool may still share the buffer with the previous build.
 */
export function liveUniform(pool: Pool, shader: Shader, name: string, parameters: object, valuesOf: () => LayoutValue) {
  const view = structView(shader, name);
  const { UNIFORM, COPY_DST } = GPUBufferUsage;
  const buffer = pool.buffer(name, view.arrayBuffer.byteLength, UNIFORM | COPY_DST);
  const haveChanged = watchChanges(parameters);
  let written = false;
  return {
    /** The uniform buffer. */
    buffer,
    /** Writes the values if a parameter has changed. */
    update() {
      if (!haveChanged() && written) return;
      written = true;
      view.set(valuesOf());
      pool.device.queue.writeBuffer(buffer, 0, view.arrayBuffer);
    },
  };
}
