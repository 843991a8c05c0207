import { type DepthFrame, shapeOf } from "../../sources/frame.ts";
import { type Camera, cameraOf } from "../../stages/dofSplat/camera.ts";
import type { dofSplat } from "../../stages/index.ts";
import type { ParametersOf } from "../../stages/parameters.ts";
import type { Stage } from "../../stages/stage.ts";

/** A lens set to a blur. */
export interface Blur {
  readonly fNumber: number;
  /** Mean radius of the circle of confusion over the frame's points, px, seen from the sensor's own place and without a bound. */
  readonly radiusPx: number;
  readonly camera: Camera;
}

/** Gives dofSplat the aperture that blurs a frame to this mean radius, or as nearly as a lens can; 0 is a pinhole's. */
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
