import ndarray from "ndarray";
import { type DepthFrame, type FrameShape, shapeOf } from "../../../sources/frame.ts";
import { defaultIntrinsics } from "../../../sources/synthetic/camera.ts";
import { ALL_NOISE, Kinect } from "../../../sources/synthetic/kinect.ts";
import { INFRARED } from "../../../sources/synthetic/picture.ts";
import { type Camera, cameraOf } from "../../../stages/dofSplat/camera.ts";
import { dofSplat } from "../../../stages/index.ts";
import type { ParametersOf } from "../../../stages/parameters.ts";
import type { Stage } from "../../../stages/stage.ts";
import type { Rgbd } from "./bound.ts";
import { lensPoints } from "./lens.ts";
import { encode } from "./light.ts";
import type { Exposure } from "./truth.ts";
import type { View } from "./views.ts";

/** A quarter of a millimetre to 16 m: finer than any blur shows. */
const METRES_PER_UNIT = 0.00025;
/** Rays to a pixel of the picture that everybody starts from: a camera's pixel, too, is an area. */
const SHARP_RAYS = 32;

/** A view made ready: what a camera at its place would deliver, and the stage that is to blur it. */
export interface Shot {
  readonly view: View;
  readonly shape: FrameShape;
  readonly frame: DepthFrame;
  readonly image: Rgbd;
  readonly stage: Stage;
  readonly lens: Camera;
}

/** The sensor of every view, at a width; three quarters as high. */
export const sensor = (width: number) => defaultIntrinsics(width, (width * 3) / 4);

export function shotOf(view: View, exposure: Exposure): Shot {
  const { intrinsics } = exposure;
  const { width, height } = intrinsics;
  const { rgba } = encode(exposure.light({ blur: 0, inverseFocus: 1 }, lensPoints(SHARP_RAYS)));
  const { metres, ids } = exposure.layer();
  const depth = Uint16Array.from(metres, (z) => Math.round(z / METRES_PER_UNIT));
  if (view.holes) {
    const parts = { ...ALL_NOISE, quantisation: false, jitter: false, lateral: false, flying: false, grazing: false };
    const measured = new Kinect(intrinsics, 0.001, 1, parts).measure(metres, ids, INFRARED, 0);
    for (let p = 0; p < depth.length; p++) if (measured[p] === 0) depth[p] = 0;
  }
  const frame: DepthFrame = {
    depth: ndarray(depth, [height, width]),
    metresPerUnit: METRES_PER_UNIT,
    intrinsics,
    color: ndarray(new Uint8Array(rgba.buffer), [height, width, 4]),
    timestamp: 0,
    index: 0,
  };
  const parameters = { width, height, focusM: view.focusM, fNumber: view.fNumber };
  const stage = dofSplat(parameters);
  const shape = shapeOf(frame);
  return {
    ...{ view, shape, frame, stage },
    image: {
      width,
      height,
      rgba: new Uint8Array(rgba.buffer),
      metres: Float32Array.from(depth, (d) => d * METRES_PER_UNIT),
    },
    lens: cameraOf(shape, stage.parameters as ParametersOf<typeof dofSplat.schema>),
  };
}

/** The largest radius of a circle of confusion in the picture, px. */
export function largestRadius({ image, lens }: Shot): number {
  let largest = 0;
  for (const z of image.metres) {
    if (z > 0) largest = Math.max(largest, lens.blur * Math.abs(lens.inverseFocus - 1 / z));
  }
  return largest;
}
