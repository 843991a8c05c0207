import { type DepthFrame, type Intrinsics, image } from "../../core/frame.ts";
import { type Frame, lookingAt, raysIn, turned, type Vec3, within } from "../../core/geometry.ts";
import { ALL_NOISE } from "../../sources/synthetic/kinect.ts";
import { makeSensor, type SensorName, Stereo } from "../../sources/synthetic/sensors/index.ts";
import { box } from "../../sources/synthetic/shapes/box.ts";
import type { Shape } from "../../sources/synthetic/shapes/shape.ts";

/** The simulated cameras, and one like a D435 with a D455's wider baseline. */
export type Seer = SensorName | "d455";

/** A camera like a D435 or TUM's, 640 × 480. */
export const FULL: Intrinsics = { fx: 525, fy: 525, cx: 319.5, cy: 239.5, width: 640, height: 480 };
/** The same at half its size, which shows the same in a fourth of the time. */
export const CAMERA: Intrinsics = { fx: 262.5, fy: 262.5, cx: 159.5, cy: 119.5, width: 320, height: 240 };

/** A shape in its place. The floor is at y = 0, and heights are negative. */
export interface Placed {
  readonly shape: Shape;
  readonly frame: Frame;
}

const still: Frame = { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], position: [0, 0, 0] };

/** A large floor. */
export const floor: Placed = { shape: box([-4, 0, -4], [4, 0.2, 4]), frame: still };

/** A box on the floor, turned by `yaw` radians. */
export const parcel = ([length, height, width]: Vec3, yaw: number, x = 0, z = 0): Placed => ({
  shape: box([-length / 2, -height, -width / 2], [length / 2, 0, width / 2]),
  frame: turned([x, 0, z], [0, 1, 0], yaw),
});

/** A camera that looks at `target` from `distance` m, `tilt` radians off straight down, rolled about its axis. */
export function cameraAt(target: Vec3, distance: number, tilt: number, roll: number): Frame {
  const eye: Vec3 = [target[0], target[1] - distance * Math.cos(tilt), target[2] - distance * Math.sin(tilt) - 1e-6];
  return within(lookingAt(eye, target), turned([0, 0, 0], [0, 0, 1], roll));
}

/** The depth that a perfect camera sees, in metres. */
export function cast(things: readonly Placed[], camera: Frame, intrinsics = CAMERA) {
  const { width, height } = intrinsics;
  const layer = { width, metres: new Float32Array(width * height).fill(Infinity), ids: new Uint8Array(width * height) };
  for (const [id, { shape, frame }] of things.entries()) {
    const rays = raysIn(frame, camera, intrinsics);
    for (let y = 0; y < height; y++) shape.cast(rays, y, 0, width, layer, id);
  }
  return layer;
}

/** Frames of a sensor that stands before things; without a sensor exact depth in tenths of millimetres. */
export function framesOf(
  things: readonly Placed[],
  camera: Frame,
  {
    sensor,
    count = 1,
    seed = 1,
    lens = CAMERA,
  }: {
    readonly sensor?: Seer | undefined;
    readonly count?: number;
    readonly seed?: number;
    readonly lens?: Intrinsics;
  } = {},
): DepthFrame[] {
  const layer = cast(things, camera, lens);
  const metresPerUnit = sensor ? 0.001 : 0.0001;
  const made =
    sensor === "d455"
      ? new Stereo(lens, metresPerUnit, seed, 0.095)
      : sensor && makeSensor(sensor, lens, metresPerUnit, seed, ALL_NOISE);
  return Array.from({ length: count }, (_, index) => {
    const infrared = things.map(() => 1);
    const data =
      made?.measure(layer.metres, layer.ids, infrared, index) ??
      Uint16Array.from(layer.metres, (z) => Math.min(65535, Math.round(z / metresPerUnit)) % 65535);
    const depth = image(data, [lens.height, lens.width]);
    return { depth, metresPerUnit, intrinsics: lens, timestamp: (index * 1000) / 30, index };
  });
}
