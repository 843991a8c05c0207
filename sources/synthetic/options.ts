import { between, complaint, flag, oneOf, type Rule, whole } from "../check.ts";
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

const side = whole(1, LARGEST);
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
/** `undefined` is for `settingsOf` to fill in. */
const lensRules = {
  ...{ width: side, height: side, fx: between(0.01, 1e6), fy: between(0.01, 1e6) },
  ...{ cx: between(-1e6, 1e6), cy: between(-1e6, 1e6) },
} satisfies Partial<Record<keyof Intrinsics, Rule>>;
const rules = {
  width: side,
  height: side,
  fps: { expects: "a number above 0, to 1000", holds: between(1e-6, 1000).holds },
  frames: whole(1),
  seed: whole(Number.MIN_SAFE_INTEGER),
  metresPerUnit: { expects: "a number above 0, to 1", holds: between(1e-9, 1).holds },
  cameraMotion: oneOf("fixed", "sway"),
  view: oneOf(...(Object.keys(VIEWS) as ViewName[])),
  sensor: oneOf(...SENSORS),
  color: flag,
  noise: {
    expects: "true, false, or an object of the parts that are left out",
    holds: (value) =>
      flag.holds(value) ||
      (isObject(value) && Object.values(value).every((part) => part === undefined || flag.holds(part))),
  },
  intrinsics: {
    expects: "fx, fy, cx, cy, width and height in pixels",
    holds: (value) =>
      isObject(value) && Object.entries(lensRules).every(([name, rule]) => rule.holds(Reflect.get(value, name))),
  },
} satisfies Record<keyof SyntheticOptions, Rule>;

/** Checks the options and fills in the rest. Throws a `SourceError` that names the option. */
export function settingsOf(options: SyntheticOptions): Settings {
  const wrong = complaint(options, rules);
  if (wrong) throw new SourceError(`synthetic room: ${wrong}`);
  const { intrinsics } = options;
  const { width = intrinsics?.width ?? 640, height = intrinsics?.height ?? 480, fps = 30 } = options;
  const { seed = 1, cameraMotion = "fixed", noise = true, color = true, metresPerUnit = 0.001 } = options;
  const { view = "room", sensor = "kinect" } = options;
  const { frames = Math.max(1, Math.round(PERIOD_S * fps)) } = options;
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
