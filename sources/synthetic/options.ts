import { between, checkOptions, flag, OptionError, oneOf, type Rule, shown, whole } from "../../core/check.ts";
import type { Intrinsics } from "../../core/frame.ts";
import { CAMERA_MOTIONS, type CameraMotion, defaultIntrinsics, repeatsAfter } from "./camera.ts";
import { ALL_NOISE, type NoiseParts } from "./kinect.ts";
import { SCENES, type SceneName, type ViewName } from "./scenes/index.ts";
import type { Scene } from "./scenes/scene.ts";
import { SENSORS, type SensorName } from "./sensors/index.ts";

/** The camera, the scene and the noise of a synthetic recording. */
export interface SyntheticOptions {
  /** The image's width in pixels; 640 if not given. */
  readonly width?: number;
  /** The image's height in pixels; 480 if not given. */
  readonly height?: number;
  /** Frames per second; 30 if not given. */
  readonly fps?: number;
  /** The number of frames. Default: until every motion repeats, which takes ten seconds, and twenty with a scanning camera. */
  readonly frames?: number;
  /** The scene: a furnished room ("room") if not given, a desk with hands that type, or two parcels of known size ("parcel"). */
  readonly scene?: SceneName;
  /** A whole number; the same seed gives the same noise, frame by frame. The scene does not depend on it. 1 if not given. */
  readonly seed?: number;
  /** How the camera moves; "fixed" if not given. */
  readonly cameraMotion?: CameraMotion;
  /** The camera's position: one of the scene's views, its first if not given (the room from its door, the desk from its seat). */
  readonly view?: ViewName;
  /** The simulated camera; `kinect` if not given. */
  readonly sensor?: SensorName;
  /** `true`: the sensor's noise. `false`: exact depth, rounded to units. An object switches single parts of a Kinect's noise off. */
  readonly noise?: boolean | Partial<NoiseParts>;
  /** Whether frames have colour; true if not given. */
  readonly color?: boolean;
  /** Metres per unit of depth; 0.001 if not given. */
  readonly metresPerUnit?: number;
  /** The intrinsics, of the given width and height; by default the TUM benchmark's, scaled to the size. */
  readonly intrinsics?: Intrinsics;
}

/** The options with all defaults filled in; `noise` is undefined for none. */
export interface Settings {
  readonly intrinsics: Intrinsics;
  readonly fps: number;
  readonly frames: number;
  readonly seed: number;
  readonly cameraMotion: CameraMotion;
  readonly scene: SceneName;
  readonly from: Scene["views"][string];
  readonly sensor: SensorName;
  readonly noise: NoiseParts | undefined;
  readonly color: boolean;
  readonly metresPerUnit: number;
}

const LARGEST = 8192;

const side = whole(1, LARGEST);
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
/** `settingsOf` replaces `undefined` by defaults. */
const lensRules = {
  width: side,
  height: side,
  fx: between(0.01, 1e6),
  fy: between(0.01, 1e6),
  cx: between(-1e6, 1e6),
  cy: between(-1e6, 1e6),
} satisfies Partial<Record<keyof Intrinsics, Rule>>;
const rules = {
  width: side,
  height: side,
  fps: { expects: "a number above 0, to 1000", holds: between(1e-6, 1000).holds },
  frames: whole(1),
  seed: whole(Number.MIN_SAFE_INTEGER),
  metresPerUnit: { expects: "a number above 0, to 1", holds: between(1e-9, 1).holds },
  cameraMotion: oneOf(...CAMERA_MOTIONS),
  scene: oneOf(...(Object.keys(SCENES) as SceneName[])),
  view: oneOf(...Object.values(SCENES).flatMap(({ views }) => Object.keys(views) as ViewName[])),
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

/** Checks the options and fills in defaults. Throws an `OptionError` that names the option. */
export function settingsOf(options: SyntheticOptions): Settings {
  checkOptions("synthetic scene", options, rules);
  const { intrinsics } = options;
  const { width = intrinsics?.width ?? 640, height = intrinsics?.height ?? 480, fps = 30 } = options;
  const { seed = 1, cameraMotion = "fixed", noise = true, color = true, metresPerUnit = 0.001 } = options;
  const { scene = "room", sensor = "kinect" } = options;
  const { name, views }: Scene = SCENES[scene];
  const { view = Object.keys(views)[0] ?? "" } = options;
  const from = views[view];
  if (!from) throw new OptionError(`${name}: view must be one of ${Object.keys(views).join(", ")}, not ${shown(view)}`);
  const { frames = Math.max(1, Math.round(repeatsAfter(cameraMotion) * fps)) } = options;
  if (intrinsics && (intrinsics.width !== width || intrinsics.height !== height)) {
    const given = `${intrinsics.width} × ${intrinsics.height}`;
    throw new OptionError(`${name}: intrinsics are for ${given} pixels, the images are ${width} × ${height}`);
  }
  return {
    intrinsics: intrinsics ?? defaultIntrinsics(width, height),
    fps,
    frames,
    seed,
    cameraMotion,
    scene,
    from,
    sensor,
    noise: noise === false ? undefined : { ...ALL_NOISE, ...(noise === true ? {} : noise) },
    color,
    metresPerUnit,
  };
}
