import ndarray from "ndarray";
import { type DepthFrame, type FrameShape, shapeOf } from "../../core/frame.ts";
import { defaultIntrinsics } from "../../sources/synthetic/camera.ts";
import { ALL_NOISE, Kinect } from "../../sources/synthetic/kinect.ts";
import { FURNITURE } from "../../sources/synthetic/scenes/room.ts";
import type { ParametersOf } from "../../stages/core/parameters.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { type Camera, cameraOf } from "../../stages/dofSplat/camera.ts";
import { dofSplat } from "../../stages/index.ts";
import type { Rgbd } from "./bound.ts";
import { lensPoints } from "./lens.ts";
import { encode } from "./light.ts";
import type { Exposure } from "./truth.ts";
import type { View } from "./views.ts";

/** The depth unit: 0.25 mm, up to 16 m. It is finer than any blur shows. */
const METRES_PER_UNIT = 0.00025;
/** Rays per pixel of the sharp picture that all methods start from: a camera's pixel covers an area, too. */
const SHARP_RAYS = 32;

/** A prepared view: what a camera at its position delivers, and the stage that blurs it. */
export interface Shot {
  readonly view: View;
  readonly shape: FrameShape;
  readonly frame: DepthFrame;
  readonly image: Rgbd;
  readonly stage: Stage;
  readonly lens: Camera;
}

/** The sensor of every view, for a width; its height is three quarters of that. */
export const sensor = (width: number) => defaultIntrinsics(width, (width * 3) / 4);

/** The share of the sensor's pattern that each piece of furniture throws back, by its number; everything else throws back all of it. */
const INFRARED = Array.from({ length: 256 }, (_, id) => FURNITURE[id]?.infrared ?? 1);

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
    view,
    shape,
    frame,
    stage,
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
