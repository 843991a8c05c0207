import type { DepthFrame } from "../core/frame.ts";

/** What a camera notes about its own light; a number is `null` where the camera does not note it. */
export interface Noted {
  /** The laser's power, mW; 0 where it is off. */
  readonly laserMw: number | null;
  /** The time of exposure, µs. */
  readonly exposureUs: number | null;
  /** The gain, in the camera's own numbers. */
  readonly gain: number | null;
}

/** The names of each note, by recorder (librealsense, ROS, live camera). Names for a single frame come before settings. */
const NAMES = {
  laserMw: ["frame laser power", "laser power (setting)", "laser (setting)"],
  emitter: ["frame laser power mode", "emitter enabled (setting)", "emitter (setting)"],
  exposureUs: ["actual exposure", "exposure (setting)"],
  gain: ["gain level", "gain (setting)"],
} as const;

/** Reads the notes about a frame; a number that the frame does not note stays as it was `before`. */
export function notedIn(metadata: NonNullable<DepthFrame["metadata"]>, before: Noted): Noted {
  const notes = new Map(metadata.map(([name, value]) => [name.toLowerCase().replaceAll("_", " "), value]));
  const of = (name: keyof typeof NAMES) => {
    const found = NAMES[name].find((one) => notes.has(one));
    const value = Number.parseFloat(notes.get(found ?? "") ?? "");
    return Number.isFinite(value) ? value : null;
  };
  return {
    laserMw: of("emitter") === 0 ? 0 : (of("laserMw") ?? before.laserMw),
    exposureUs: of("exposureUs") ?? before.exposureUs,
    gain: of("gain") ?? before.gain,
  };
}
