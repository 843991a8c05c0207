import { imageRule } from "./array.ts";
import { between, callable, flag, mustBe, oneOf, type Rule, shown, whole } from "./check.ts";
import type { GreyImage } from "./extras.ts";
import { type DepthFrame, DISTORTION_MODELS, type Intrinsics, type PairGeometry, type StereoPair } from "./frame.ts";
import { isMotion } from "./pose.ts";

/** Thrown for a frame that makes no sense; the message names the field, the values it may have and the value given. */
export class FrameError extends Error {
  /** Names the class where `instanceof` cannot: across workers and copies of the library. */
  override readonly name = "FrameError";
  /** As in every `DepthloomError`. */
  readonly code: string = "DEPTHLOOM_FRAME";
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const focal = between(0.01, 1e6);
const centre = between(-1e6, 1e6);
const side = whole(1, 65535);

const optional = (rule: Rule): Rule => ({
  expects: `${rule.expects}, or left out`,
  holds: (value) => value === undefined || rule.holds(value),
});

const lensRules = {
  width: side,
  height: side,
  fx: focal,
  fy: focal,
  cx: centre,
  cy: centre,
  distortion: {
    expects: "a list of numbers, or left out",
    holds: (value) => value === undefined || (Array.isArray(value) && Array.from(value).every(Number.isFinite)),
  },
  distortionModel: optional(oneOf(...DISTORTION_MODELS)),
} satisfies Record<keyof Intrinsics, Rule>;

const arrayOf = (kind: typeof Uint16Array | typeof Uint8Array): Rule => ({
  expects: `an ndarray of a ${kind.name}`,
  holds: (value) => isObject(value) && "data" in value && value.data instanceof kind && "stride" in value,
});

/** Whether a value is a list of names and values, as a frame's metadata are. */
export const isNotes = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((note) => Array.isArray(note) && note.length === 2 && note.every((text) => typeof text === "string"));

/** Whether a value is a `GreyImage`. */
export const isGrey = (value: unknown): boolean => {
  const { width, height, data, from } = { ...(value as Partial<GreyImage> | null) };
  if (!(data instanceof Uint8Array || data instanceof Uint16Array) || typeof from !== "string") return false;
  return side.holds(width) && side.holds(height) && data.length === Number(width) * Number(height);
};

const baseline = between(1e-4, 100);
const doffs = optional(between(-4096, 4096));
const isGreyArray = (value: unknown) =>
  isObject(value) && "data" in value && (value.data instanceof Uint8Array || value.data instanceof Uint16Array);
/** Whether a value says how the two cameras of a pair stand. */
export const isGeometry = (value: unknown): value is PairGeometry => {
  const { baselineM, doffsPx } = { ...(value as Partial<PairGeometry> | null) };
  return baseline.holds(baselineM) && doffs.holds(doffsPx);
};
const isPair = (value: unknown) => {
  const { left, right } = { ...(value as Partial<StereoPair> | null) };
  return isGreyArray(left) && isGreyArray(right) && isGeometry(value);
};

const frameRules = {
  index: whole(0),
  timestamp: between(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  metresPerUnit: between(1e-9, 1),
  depth: arrayOf(Uint16Array),
  intrinsics: { expects: "the depth camera's intrinsics", holds: isObject },
  assumed: optional({
    expects: 'a list of "lens", "unit" and "rate"',
    holds: (value) => Array.isArray(value) && value.every((what) => ["lens", "unit", "rate"].includes(what)),
  }),
  color: optional(arrayOf(Uint8Array)),
  jump: optional(flag),
  pose: {
    expects: "the 16 numbers of a 4×4 matrix that turns and shifts, or left out",
    holds: (value) =>
      value === undefined ||
      (Array.isArray(value) && value.length === 16 && Array.from(value).every(Number.isFinite) && isMotion(value)),
  },
  origin: optional({ expects: "the message that it was made from", holds: isObject }),
  metadata: optional({ expects: "a list of names and values, as texts", holds: isNotes }),
  infrared: optional({ expects: "a grey image with as many values as pixels", holds: isGrey }),
  pair: optional({
    expects: "two grey images, a baseline in metres and, if given, doffsPx within ±4096",
    holds: isPair,
  }),
  firstFrames: optional(callable),
  waitUntil: optional(callable),
  fault: { expects: "an error, or left out", holds: (value) => value === undefined },
} satisfies Record<keyof DepthFrame, Rule>;
/** Accepts a list of frames. The rule looks only at each frame's depth: `checkFrame` checks all of a frame. */
export const framesRule: Rule = {
  expects: "a list of frames",
  holds: (value) => Array.isArray(value) && value.every((frame) => imageRule.holds(frame?.depth)),
};
const frameFields = Object.entries(frameRules);
const lensFields = Object.entries(lensRules);

/** Throws a `FrameError` where a field of the frame is wrong or contradicts another. Frames come from callers, so each is checked. */
export function checkFrame(frame: DepthFrame): void {
  if (!isObject(frame)) throw new FrameError(`a frame must be an object, not ${shown(frame)}`);
  const wrong = faultOf(frame);
  if (wrong) throw new FrameError(`frame ${shown(frame.index)}: ${wrong}`);
}

/** Describes the first mistake in a lens; `undefined` if there is none. */
export function lensFaultOf(intrinsics: object): string | undefined {
  for (const [name, rule] of lensFields) {
    const value: unknown = Reflect.get(intrinsics, name);
    if (!rule.holds(value)) return mustBe(`intrinsics.${name}`, rule, value);
  }
  return undefined;
}

/** Describes the first mistake in a frame; `undefined` if there is none. */
export function faultOf(frame: DepthFrame): string | undefined {
  const { depth, intrinsics, color, pair } = frame;
  for (const [name, rule] of frameFields) {
    const value: unknown = Reflect.get(frame, name);
    if (!rule.holds(value)) return mustBe(name, rule, value);
  }
  const lensFault = lensFaultOf(intrinsics);
  if (lensFault !== undefined) return lensFault;
  const { width, height } = intrinsics;
  const [rows, columns] = depth.shape;
  if (depth.shape.length !== 2) return `depth must have 2 dimensions, height and width, not ${depth.shape.length}`;
  if (rows !== height || columns !== width) {
    return `depth is ${columns}×${rows}, its intrinsics say ${width}×${height}`;
  }
  if (depth.data.length !== width * height) {
    return `depth has ${depth.data.length} values, and ${width}×${height} pixels are ${width * height}`;
  }
  if (depth.stride[1] !== 1 || depth.stride[0] !== width || depth.offset !== 0) {
    return "depth must be row-major and tight";
  }
  if (color && (color.data.length !== width * height * 4 || color.offset !== 0)) {
    return `colour must be ${width}×${height} RGBA, registered to depth`;
  }
  for (const grey of pair ? [pair.left, pair.right] : []) {
    if (grey.data.length !== width * height || grey.offset !== 0)
      return `both images of the pair must be ${width}×${height}, as the intrinsics say`;
  }
  return undefined;
}
