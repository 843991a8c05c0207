import type { Intrinsics } from "../../../core/frame.ts";
import { Kinect, type NoiseParts } from "../kinect.ts";
import type { Sensor } from "./sensor.ts";
import { Stereo } from "./stereo.ts";
import { type FlightCamera, TimeOfFlight } from "./timeOfFlight.ts";

/**
 * The simulated cameras. `kinect` is the room's own: it draws quickly, and most of its noise stays in place. The others follow
 * measurements.
 */
export const SENSORS = ["kinect", "kinect-v1", "kinect-v2", "azure-kinect", "small-tof", "realsense", "phone"] as const;
/** The name of a simulated depth camera. */
export type SensorName = (typeof SENSORS)[number];

/** The correlation of a Kinect v2's pixels 1, 2 and 3 px apart is .47, .15 and .03, due to the camera's own filter. */
export const FLIGHT_GRAIN = { near: 0.47, decay: 0.31 } as const;

/** A Kinect v2; axial noise from Fankhauser et al. (2015). */
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
 * An Azure Kinect in its narrow field of view, not binned; noise from Tölgyessy et al. (2021), range from Microsoft. It drops more of its
 * flying pixels itself.
 */
const AZURE: FlightCamera = {
  ...KINECT_V2,
  sigmaMm: (z, angle) => 0.6 + 0.16 * z * z + (0.05 * z ** 1.5 * angle ** 2) / (Math.PI / 2 - angle) ** 2,
  dropped: 0.6,
  multipath: 0.25,
  farM: 3.86,
};

/**
 * A small time-of-flight camera with little light of its own, whose noise is a hundredth of the distance at 1 m. Its figures are this
 * model's choice, not measured.
 */
const SMALL: FlightCamera = {
  ...KINECT_V2,
  sigmaMm: (z) => 11 * z * z,
  grain: { near: 0.2, decay: 0.15 },
  nearM: 0.1,
  farM: 4,
};

/**
 * A phone's LiDAR as its system gives it: few dots, interpolated to an image, so outlines are soft and noise is clumped; an error of about
 * a centimetre (Luetzenburg, Kroon and Bjørk 2021), to 5 m.
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

/** Makes a sensor. Only the Kinects v1 use `parts`; the other sensors always have all parts of their noise. */
export function makeSensor(
  name: SensorName,
  camera: Intrinsics,
  metresPerUnit: number,
  seed: number,
  parts: NoiseParts,
): Sensor {
  const flight = { "kinect-v2": KINECT_V2, "azure-kinect": AZURE, "small-tof": SMALL, phone: PHONE };
  if (name === "realsense") return new Stereo(camera, metresPerUnit, seed);
  if (name === "kinect" || name === "kinect-v1")
    return new Kinect(camera, metresPerUnit, seed, parts, name === "kinect-v1");
  return new TimeOfFlight(camera, metresPerUnit, seed, flight[name]);
}
