import type { Intrinsics } from "../frame.ts";
import { SourceError } from "../source.ts";
import { type CameraMotion, defaultIntrinsics } from "./camera.ts";
import { ALL_NOISE, type NoiseParts } from "./kinect.ts";
import { PERIOD_S } from "./scene.ts";
import { SENSORS, type SensorName } from "./sensors/index.ts";
import { VIEWS, type ViewName } from "./views.ts";

export interface SyntheticOptions {
  /** Pixels; 640 × 480 unless given. */
  readonly width?: number;
  readonly height?: number;
  /** Frames per second; 30. */
  readonly fps?: number;
  /** Number of frames; ten seconds' worth, after which every motion begins again. */
  readonly frames?: number;
  /** A whole number; the same seed gives the same noise, frame by frame. The room does not depend on it. */
  readonly seed?: number;
  readonly cameraMotion?: CameraMotion;
  /** Where the camera is; the room as it is seen from its door unless given. */
  readonly view?: ViewName;
  /** Which camera it is; `kinect` unless given. */
  readonly sensor?: SensorName;
  /** `true`: the sensor's. `false`: the exact depth, rounded to units. An object switches single parts of a Kinect's off. */
  readonly noise?: boolean | Partial<NoiseParts>;
  /** Whether frames have colour; yes. */
  readonly color?: boolean;
  /** What a unit of depth is; a millimetre. */
  readonly metresPerUnit?: number;
  /** The camera; that of the TUM benchmark, scaled to the size. Its width and height must be those given. */
  readonly intrinsics?: Intrinsics;
}

/** Options with nothing left open; `noise` is undefined for none. */
export interface Settings {
  readonly intrinsics: Intrinsics;
  readonly fps: number;
  readonly frames: number;
  readonly seed: number;
  readonly cameraMotion: CameraMotion;
  readonly view: ViewName;
  readonly sensor: SensorName;
  readonly noise: NoiseParts | undefined;
  readonly color: boolean;
  readonly metresPerUnit: number;
}

const LARGEST = 8192;

/** Checks the options and fills in the rest. Throws a `SourceError` that names the option. */
export function settingsOf(options: SyntheticOptions): Settings {
  const { intrinsics } = options;
  const { width = intrinsics?.width ?? 640, height = intrinsics?.height ?? 480, fps = 30 } = options;
  const { seed = 1, cameraMotion = "fixed", noise = true, color = true, metresPerUnit = 0.001 } = options;
  const { view = "room", sensor = "kinect" } = options;
  need(
    "width",
    width,
    Number.isInteger(width) && width >= 1 && width <= LARGEST,
    `a whole number from 1 to ${LARGEST}`,
  );
  need(
    "height",
    height,
    Number.isInteger(height) && height >= 1 && height <= LARGEST,
    `a whole number from 1 to ${LARGEST}`,
  );
  need("fps", fps, fps > 0 && fps <= 1000, "a number above 0, to 1000");
  const { frames = Math.max(1, Math.round(PERIOD_S * fps)) } = options;
  need("frames", frames, Number.isInteger(frames) && frames >= 1, "a whole number from 1");
  need("seed", seed, Number.isSafeInteger(seed), "a whole number");
  need("metresPerUnit", metresPerUnit, metresPerUnit > 0 && metresPerUnit <= 1, "a number above 0, to 1");
  need("cameraMotion", cameraMotion, cameraMotion === "fixed" || cameraMotion === "sway", "fixed or sway");
  need("sensor", sensor, SENSORS.includes(sensor), SENSORS.join(", "));
  need("view", view, view in VIEWS, Object.keys(VIEWS).join(", "));
  if (intrinsics && (intrinsics.width !== width || intrinsics.height !== height)) {
    const given = `${intrinsics.width} × ${intrinsics.height}`;
    throw new SourceError(`synthetic room: intrinsics are for ${given} pixels, the images are ${width} × ${height}`);
  }
  return {
    intrinsics: intrinsics ?? defaultIntrinsics(width, height),
    fps,
    frames,
    seed,
    cameraMotion,
    view,
    sensor,
    noise: noise === false ? undefined : { ...ALL_NOISE, ...(noise === true ? {} : noise) },
    color,
    metresPerUnit,
  };
}

function need(name: string, value: unknown, holds: boolean, expected: string): void {
  if (!holds) throw new SourceError(`synthetic room: ${name} must be ${expected}, not ${String(value)}`);
}
