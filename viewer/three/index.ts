import type { WebGLRenderer } from "three";
import type { WebGPURenderer } from "three/webgpu";
import { type Abortable, signalRule, untilAborted } from "../../core/abort.ts";
import { checkArgument, checkOptions, flag, having } from "../../core/check.ts";
import { gpuOn } from "../../pipeline/device/open.ts";
import type { Gpu, Pipeline } from "../../pipeline/index.ts";
import { DepthPoints } from "./depthPoints.ts";

export { meshOfFrame } from "../../scan/mesh/ofFrame.ts";
export { type DepthPoints, placeOf } from "./depthPoints.ts";
export { meshGeometry } from "./meshGeometry.ts";

/**
 * The device that a renderer draws on, for `createPipeline({ gpu })`: the pipeline's results are then drawn without a copy. `undefined`
 * where the renderer draws with WebGL: the pipeline then opens a device of its own, or runs on the CPU.
 *
 * @example
 * const pipeline = await createPipeline({ stages: [median(), compact()], gpu: await gpuOf(renderer) });
 */
export async function gpuOf(renderer: WebGPURenderer | WebGLRenderer): Promise<Gpu | undefined> {
  if (isWebGL("gpuOf", renderer)) return undefined;
  await renderer.init();
  const { deviceOf } = await import("./lend.ts");
  const device = deviceOf(renderer);
  return device && gpuOn(device);
}

/** How points look. */
export interface PointsOptions extends Abortable {
  /**
   * Whether the scene's lights shine on the points, each of which faces the sensor that saw it, and shadows fall on them (with
   * `receiveShadow`, as on any object). Default: false; points have their own colour, in which the camera's light is already.
   */
  readonly lit?: boolean;
}

/**
 * Makes an object that shows a pipeline's points in a scene that `renderer` draws. `show` takes each frame. With a `WebGPURenderer` whose
 * device the pipeline runs on (`gpuOf`), points are drawn from the pipeline's own buffers, as many as the GPU counted, and nothing is read
 * back; in any other case they are read back and uploaded. Throws an `OptionError` for an option that is misspelt or out of range.
 *
 * @example
 * const points = await createDepthPoints(renderer, pipeline, { lit: true });
 * scene.add(points);
 */
export async function createDepthPoints(
  renderer: WebGPURenderer | WebGLRenderer,
  pipeline: Pick<Pipeline, "gpu">,
  options: PointsOptions = {},
): Promise<DepthPoints> {
  checkOptions("createDepthPoints", options, { lit: flag, signal: signalRule });
  const { lit = false, signal } = options;
  const make = async () => {
    checkArgument("createDepthPoints", "the pipeline", having("a pipeline", "gpu"), pipeline);
    if (isWebGL("createDepthPoints", renderer))
      return new DepthPoints((await import("./glForm.ts")).glForm(lit), pipeline);
    await renderer.init();
    return new DepthPoints((await import("./nodeForm.ts")).nodeForm(renderer, undefined, lit), pipeline);
  };
  return untilAborted(signal, make, (late) => late.dispose());
}

function isWebGL(who: string, renderer: WebGPURenderer | WebGLRenderer): renderer is WebGLRenderer {
  checkArgument(who, "the renderer", having("a renderer of Three.js", "render"), renderer);
  return "isWebGLRenderer" in renderer;
}
