import type { DepthFrame } from "../core/frame.ts";
import { ParameterError } from "../stages/core/parameters.ts";

/** Names the frame in the error for parameters that do not fit its size. */
export async function naming<T>(frame: DepthFrame, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    const { index, intrinsics } = frame;
    // The stage's name stays first in the message: by it the viewer finds the stage.
    throw new ParameterError(`${error.message} (frame ${index}, ${intrinsics.width}×${intrinsics.height})`);
  }
}
