import type { Intrinsics } from "../../frame.ts";
import { Kinect, type NoiseParts } from "../kinect.ts";
import type { Sensor } from "./sensor.ts";
import { Stereo } from "./stereo.ts";
import { type FlightCamera, TimeOfFlight } from "./timeOfFlight.ts";

/**
 * The cameras there are. `kinect` is the room's own: quick to draw, most of its noise stays where it is. The others are as they
 * were measured.
 */
export const SENSORS = ["kinect", "kinect-v1", "kinect-v2", "azure-kinect", "realsense", "phone"] as const;
export type SensorName = (typeof SENSORS)[number];

/** Of a Kinect v2 neighbours 1, 2 and 3 px apart are alike by .47, .15 and .03: they share what the camera's own filter leaves. */
export const FLIGHT_GRAIN = { near: 0.47, decay: 0.31 } as const;

/** Fankhauser et al. (2015), the axial noise of a Kinect v2. */
const KINECT_V2: FlightCamera = {
  sigmaMm: (z, angle) => 1.5 - 0.5 * z + 0.3 * z * z + (0.1 * z ** 1.5 * angle ** 2) / (Math.PI / 2 - angle) ** 2,
  grain: FLIGHT_GRAIN,
  footprint: 1,
  dropped: 0.15,
  multipath: 0.35,
  nearM: 0.5,
  farM: 8,
  faint: 0.004,
};

/**
 * Tölgyessy et al. (2021), narrow field of view, not binned; its range as Microsoft gives it. It drops more of its flying pixels
 * itself.
 */
const AZURE: FlightCamera = {
  ...KINECT_V2,
  sigmaMm: (z, angle) => 0.6 + 0.16 * z * z + (0.05 * z ** 1.5 * angle ** 2) / (Math.PI / 2 - angle) ** 2,
  dropped: 0.6,
  multipath: 0.25,
  farM: 3.86,
};

/**
 * A phone's LiDAR as its system hands it out: few dots, made into a picture by interpolation, so that outlines are soft and noise is
 * clumps; about a centimetre (Luetzenburg, Kroon and Bjørk 2021), to 5 m.
 */
const PHONE: FlightCamera = {
  ...KINECT_V2,
  sigmaMm: (z) => 3 + 1.2 * z * z,
  grain: { near: 0.95, decay: 0.92 },
  footprint: 3,
  dropped: 0,
  multipath: 0.2,
  nearM: 0.2,
  farM: 5,
};

/** `parts` is the Kinects' alone: the others have all of what they have. */
export function makeSensor(
  name: SensorName,
  camera: Intrinsics,
  metresPerUnit: number,
  seed: number,
  parts: NoiseParts,
): Sensor {
  const flight = { "kinect-v2": KINECT_V2, "azure-kinect": AZURE, phone: PHONE };
  if (name === "realsense") return new Stereo(camera, metresPerUnit, seed);
  if (name === "kinect" || name === "kinect-v1") {
    return new Kinect(camera, metresPerUnit, seed, parts, name === "kinect-v1");
  }
  return new TimeOfFlight(camera, metresPerUnit, seed, flight[name]);
}
