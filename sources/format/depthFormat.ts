import { ASSUMED_DEGREES, assumedLens } from "../../core/calibration/assumedLens.ts";
import { isBent } from "../../core/calibration/lens.ts";
import { short, shown } from "../../core/check.ts";
import { type Intrinsics, sameLens } from "../../core/frame.ts";
import { DESCRIPTION, type Description } from "./description.ts";
import {
  cameraText,
  type Fact,
  isAssumed,
  type OpenOptions,
  type Pinhole,
  unitText,
  type WithOrigin,
} from "./format.ts";

/** The meaning of a recording's numbers. */
export interface DepthFormat {
  readonly metresPerUnit: number;
  /** Metres per unit of floats; 1 unless they cannot be metres and their unit is known. */
  readonly metresPerFloat: number;
  /** Values besides 0 that mean "no measurement". */
  readonly invalid: readonly number[];
  readonly fps: number;
  intrinsics(width: number, height: number): Intrinsics;
  /** Maps the values in `invalid` to 0. */
  forget(depth: Uint16Array): void;
  /** The same properties for people to read, each with its origin. */
  readonly facts: readonly Fact[];
}

/**
 * A format's defaults where a recording does not say. Properties for which the format has no default either are assumed, with a warning.
 */
export interface FormatDefaults {
  readonly metresPerUnit?: WithOrigin<number>;
  readonly invalid?: WithOrigin<readonly number[]>;
  readonly fps?: WithOrigin<number>;
  /** The lens, for the image size that it names, else 640×480; it is scaled to the recording's size. */
  readonly intrinsics?: WithOrigin<FormatLens>;
  /** Intrinsics for images of exactly the recording's size; they take precedence over `intrinsics`. */
  readonly lens?: WithOrigin<Pinhole>;
  /** The likely unit of a first image of floats that cannot be metres. */
  readonly likelyFloat?: number | undefined;
  /** Whether there are images of confidence, of which `options.minConfidence` is the least. */
  readonly confidence?: boolean;
  /** Whether its files have topics, of which `options.topic` names one. */
  readonly topics?: true;
}

export type FormatLens = Pinhole & Partial<Pick<Intrinsics, "width" | "height" | "distortionModel">>;

/** Combines what the user, the recording and the format say. */
export function depthFormatOf(
  options: OpenOptions,
  said: Description | undefined,
  defaults: FormatDefaults,
  warnings: string[],
): DepthFormat {
  /** The first value that is given, in the order option, `recording.json`, format, `assume`, guess; a guess becomes a warning. */
  const first = <T>(
    what: Fact["what"],
    option: T | undefined,
    described: T | undefined,
    { value, from, warning }: WithOrigin<T>,
    assume?: T,
  ) => {
    if (option !== undefined) return { value: option, from: "option" } as const;
    if (described !== undefined) return { value: described, from: DESCRIPTION } as const;
    if (assume !== undefined && isAssumed({ what, from })) return { value: assume, from: "option" } as const;
    if (warning !== undefined) warnings.push(warning);
    return { value, from };
  };
  const { assume = {} } = options;
  const saidUnit = defaults.metresPerUnit ?? guesses.metresPerUnit;
  const unit = first("unit", options.metresPerUnit, said?.metresPerUnit, saidUnit, assume.metresPerUnit);
  const fps = first("fps", options.fps, said?.fps, believable(defaults.fps) ?? guesses.fps, assume.fps);
  const nothing: WithOrigin<readonly number[]> = { value: [], from: "assumed" };
  const saidInvalid = defaults.invalid ?? (said ? nothing : guesses.invalid);
  const invalid = first("invalid", options.invalid, said?.invalid, saidInvalid);
  const saidLens = defaults.lens ?? defaults.intrinsics ?? guesses.intrinsics;
  const lens = first<FormatLens | undefined>(
    "intrinsics",
    options.intrinsics,
    said?.intrinsics,
    saidLens,
    assume.intrinsics,
  );
  // A lens is scaled where it is a format's for images of another size.
  const camera = lens.value && lens.value !== defaults.intrinsics?.value ? lens.value : undefined;
  if (options.topic !== undefined && !defaults.topics)
    warnings.push(
      `the topic ${shown(options.topic)} is asked for, and this format has no topics: the name is ignored (leave it out)`,
    );
  if (options.minConfidence !== undefined && !defaults.confidence)
    warnings.push(
      "a least confidence is asked for, and there are no images of confidence that belong to depth: no pixel is left out for want of it",
    );
  const others = invalid.value.filter((value) => value !== 0);
  const isForgotten = new Uint8Array(65536);
  for (const value of others) isForgotten[value] = 1;
  // Floats that cannot be metres have the unit that the user or the format names. Centimetres are too coarse a unit for filtered depth.
  const isFloatUnit = defaults.likelyFloat !== undefined && !/default$|assumed/.test(unit.from);
  const metresPerUnit = isFloatUnit ? Math.min(0.001, unit.value) : unit.value;
  return {
    metresPerUnit,
    metresPerFloat: isFloatUnit ? unit.value : 1,
    fps: fps.value,
    invalid: others,
    intrinsics(width, height) {
      if (camera) return { ...camera, width, height };
      return lens.value ? scaledLens(lens.value, width, height) : assumedLens(width, height);
    },
    forget(depth) {
      if (others.length > 0) for (let i = 0; i < depth.length; i++) if (isForgotten[depth[i]] === 1) depth[i] = 0;
    },
    facts: [
      { what: "unit", value: unitText(metresPerUnit), from: unit.from },
      { what: "invalid", value: short([0, ...others].join(", "), 60), from: invalid.from },
      { what: "fps", value: String(fps.value), from: fps.from },
      {
        what: "intrinsics",
        value: !lens.value
          ? `${ASSUMED_DEGREES}° horizontal field of view, square pixels`
          : cameraText(lens.value) +
            bendText(lens.value) +
            (camera ? "" : ` at ${lens.value.width ?? 640}×${lens.value.height ?? 480}, scaled to other sizes`),
        from: lens.from,
      },
    ],
  };
}

/** A recording's own frame rate if a camera can have it, else a guess with a warning. */
function believable(said: WithOrigin<number> | undefined): WithOrigin<number> | undefined {
  if (!said || isRate(said.value)) return said;
  const warning = `its frame rate is given as ${said.value} frames per second, which no camera has: ${guesses.fps.value} are assumed`;
  return { ...guesses.fps, warning };
}

/** ", rational distortion", where the camera has any. */
const bendText = (lens: FormatLens) => (isBent(lens) ? `, ${lens.distortionModel ?? "brown-conrady"} distortion` : "");

/** Where a value that is assumed can be given. */
const given = (option: string, field: string) => `(${option}, or ${field} in ${DESCRIPTION} or a program)`;

/** The values assumed where neither the user, the recording nor the format gives one. */
const guesses = {
  metresPerUnit: {
    value: 0.001,
    from: "assumed",
    warning: `no depth unit is given: millimetres are assumed ${given("--depth-scale", "metresPerUnit")}`,
  },
  fps: {
    value: 30,
    from: "assumed",
    warning: `no frame rate is given: 30 frames per second are assumed ${given("--fps", "fps")}`,
  },
  invalid: {
    value: [] as number[],
    from: "assumed",
    warning: `only 0 is taken as "no measurement", since no ${DESCRIPTION} names other values`,
  },
  intrinsics: {
    value: undefined,
    from: "assumed",
    warning: `no intrinsics are given: a ${ASSUMED_DEGREES}° horizontal field of view with square pixels is assumed ${given("--intrinsics", "intrinsics")}`,
  },
} as const satisfies Record<string, WithOrigin<unknown>>;

/**
 * Scales intrinsics to another image size. Pixel centres lie at whole numbers, the image's edges half a pixel outside. Both focal lengths
 * scale with the width, so pixels stay as square as they were; an image of other proportions counts as cropped or extended above and below.
 */
export function scaledLens(lens: FormatLens, width: number, height: number): Intrinsics {
  const { width: w = 640, height: h = 480 } = lens;
  if (w === width && h === height) return { ...lens, width, height };
  const scale = width / w;
  const cx = (lens.cx + 0.5) * scale - 0.5;
  const cy = (lens.cy + 0.5 - h / 2) * scale + height / 2 - 0.5;
  return { ...lens, fx: lens.fx * scale, fy: lens.fy * scale, cx, cy, width, height };
}

/** The slowest time lapse, a frame in some hours, and the fastest camera, in frames per second. */
const SLOWEST = 1e-4;
const FASTEST = 1e4;

/** Whether a camera can have this frame rate: times in a file may say anything. */
const isRate = (fps: number): boolean => fps >= SLOWEST && fps <= FASTEST;

/**
 * Frames per second from the median step between times in ms, rounded to a tenth, slow rates to two digits; `undefined` where the times
 * give none.
 */
export function rateOf(times: ArrayLike<number>): number | undefined {
  const steps = Float64Array.from({ length: Math.max(0, times.length - 1) }, (_, i) => times[i + 1] - times[i]).sort();
  const rate = 1000 / steps[steps.length >> 1];
  if (!(rate > 0 && Number.isFinite(rate))) return undefined;
  return rate < 1 ? Number(rate.toPrecision(2)) : Math.round(10 * rate) / 10;
}

/** Returns the same object while the intrinsics stay equal, so that users of lookup tables need to compare only references. */
export function stable(): (intrinsics: Intrinsics) => Intrinsics {
  let last: Intrinsics | undefined;
  return (intrinsics) => {
    last = last && sameLens(last, intrinsics) ? last : intrinsics;
    return last;
  };
}

/** Whether two lenses put each ray less than half a pixel apart, everywhere in the image: a phone's lens wavers by as much. */
export function isNearLens(a: Intrinsics, b: Intrinsics): boolean {
  const off = (f: number, g: number, c: number, d: number, side: number) =>
    Math.abs(f / g - 1) * Math.max(c, side - c) + Math.abs(c - d);
  const isAlike = a.distortionModel === b.distortionModel && String(a.distortion ?? "") === String(b.distortion ?? "");
  return isAlike && off(a.fx, b.fx, a.cx, b.cx, a.width) < 0.5 && off(a.fy, b.fy, a.cy, b.cy, a.height) < 0.5;
}
