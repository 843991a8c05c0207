import { type DepthFrame, shapeOf } from "../core/frame.ts";
import type { ParametersOf } from "../stages/core/parameters.ts";
import type { Stage } from "../stages/core/stage.ts";
import { type Camera, cameraOf } from "../stages/dofSplat/camera.ts";
import type { dofSplat } from "../stages/index.ts";

/** A lens set to a blur. */
export interface Blur {
  readonly fNumber: number;
  /** The mean radius in px of the circle of confusion over the frame's points, seen from the sensor's position, without an upper bound. */
  readonly radiusPx: number;
  readonly camera: Camera;
}

/** Sets dofSplat's aperture so that it blurs a frame by this mean radius, as closely as a lens can; 0 is a pinhole. */
export function blurTo(stage: Stage, frame: DepthFrame, radiusPx: number): Blur {
  stage.set({ fNumber: 1 });
  const wide = meanRadius(frame, cameraFor(stage, frame));
  const fNumber = radiusPx === 0 ? 0 : Math.min(wide / radiusPx, 1000);
  stage.set({ fNumber });
  return { fNumber, radiusPx: fNumber === 0 ? 0 : wide / fNumber, camera: cameraFor(stage, frame) };
}

const cameraFor = ({ parameters }: Stage, frame: DepthFrame): Camera =>
  cameraOf(shapeOf(frame), parameters as unknown as ParametersOf<typeof dofSplat.schema>);

function meanRadius({ depth, metresPerUnit }: DepthFrame, { blur, inverseFocus }: Camera): number {
  let [sum, count] = [0, 0];
  for (const units of depth.data) {
    if (units === 0) continue;
    sum += blur * Math.abs(inverseFocus - 1 / (units * metresPerUnit));
    count++;
  }
  return sum / Math.max(count, 1);
}
