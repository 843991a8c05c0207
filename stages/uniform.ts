import { structView } from "../shaders/kernel.ts";
import { watchChanges } from "./parameters.ts";
import type { Pool } from "./pool.ts";

/**
 * A shader's uniform struct that follows live parameters. `update` is to be called whenever the stage is encoded: it writes what
 * `valuesOf` gives where a parameter has changed since, and where none has it does nothing. Not before the first frame, since what was
 * built before in the same pool may be in use until then.
 */
export function liveUniform(
  pool: Pool,
  code: string,
  name: string,
  parameters: object,
  valuesOf: () => Parameters<ReturnType<typeof structView>["set"]>[0],
) {
  const view = structView(code, name);
  const { UNIFORM, COPY_DST } = GPUBufferUsage;
  const buffer = pool.buffer(name, view.arrayBuffer.byteLength, UNIFORM | COPY_DST);
  const haveChanged = watchChanges(parameters);
  let written = false;
  return {
    buffer,
    update() {
      if (!haveChanged() && written) return;
      written = true;
      view.set(valuesOf());
      pool.device.queue.writeBuffer(buffer, 0, view.arrayBuffer);
    },
  };
}
