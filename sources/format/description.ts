import { signalRule } from "../../core/abort.ts";
import { explained } from "../../core/caught.ts";
import { between, callable, complaint, flag, mustBe, type Rule, short } from "../../core/check.ts";
import { DISTORTION_MODELS } from "../../core/frame.ts";
import { SourceError } from "../../core/source.ts";
import { type Files, readText } from "../files/files.ts";
import type { OpenOptions, Pinhole } from "./format.ts";

/** The contents of `recording.json`, a file in a folder of images that says what their numbers mean (docs/formats.md). */
export interface Description {
  /** Paths of the depth and the colour files, with stars, relative to the folder of `recording.json`. */
  readonly depth?: string;
  readonly color?: string;
  /**
   * The images of two cameras side by side, rectified, whose left one has the intrinsics: paths with stars, their distance, and
   * `doffsPx` of `StereoPair`.
   */
  readonly pair?: {
    readonly left: string;
    readonly right: string;
    readonly baselineMm: number;
    readonly doffsPx?: number;
  };
  /** The path of a CSV with a row for each depth image: its time in ms, and the camera's pose where it is known. */
  readonly times?: string;
  /** Whether colour is registered to depth, pixel by pixel. */
  readonly registered?: boolean;
  readonly metresPerUnit?: number;
  readonly invalid?: readonly number[];
  readonly fps?: number;
  readonly intrinsics?: Pinhole;
}

export const DESCRIPTION = "recording.json";

/** The most bytes of a `recording.json`. */
const LONGEST = 2 ** 20;

/** Reads `recording.json`. Unknown fields become a warning, since most are misspelt. Throws a `SourceError`. */
export async function readDescription(files: Files, warnings: string[]): Promise<Description> {
  const where = `${files.name}/${DESCRIPTION}`;
  const text = await readText(files, DESCRIPTION, LONGEST);
  const parsed: unknown = explained(
    () => JSON.parse(text),
    (why) => new SourceError(`${where}: this is not JSON: ${why}; correct or remove it`),
  );
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new SourceError(`${where}: it must hold one object, { "metresPerUnit": … }`);
  const fields = Object.entries(parsed as Record<string, unknown>);
  for (const [name, value] of fields) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule && !rule.holds(value)) throw new SourceError(`${where}: ${mustBe(name, rule, value)}`);
  }
  const unknown = fields.map(([name]) => name).filter((name) => !Object.hasOwn(rules, name));
  if (unknown.length > 0) {
    const [names, known] = [short(unknown.map((name) => `"${name}"`).join(", "), 200), Object.keys(rules).join(", ")];
    const what = unknown.length === 1 ? `the field ${names} is` : `the fields ${names} are`;
    warnings.push(`${where}: ${what} not known and ${unknown.length === 1 ? "was" : "were"} ignored (known: ${known})`);
  }
  return parsed;
}

const path = (example: string): Rule => ({
  expects: `a path${example.includes("*") ? " with stars" : ""}, such as "${example}"`,
  holds: (value) => typeof value === "string" && value !== "" && value.length <= 1000,
});
/** Limits in pixels that keep every point at a finite distance. */
const focal = between(0.01, 1e6);
const centre = between(-1e6, 1e6);

const rules: Record<string, Rule> = {
  depth: path("depth/*.png"),
  color: path("color/*.png"),
  pair: {
    expects: '{ "left": "ir1/*.png", "right": "ir2/*.png", "baselineMm": 50 }, the distance from 0.1 to 100000',
    holds(value) {
      if (typeof value !== "object" || value === null) return false;
      const { left, right, baselineMm, doffsPx = 0 } = value as Record<string, unknown>;
      const isPlaced = between(0.1, 1e5).holds(baselineMm) && between(-4096, 4096).holds(doffsPx);
      return path("").holds(left) && path("").holds(right) && isPlaced;
    },
  },
  times: path("times.csv"),
  registered: flag,
  // From a nanometre to a metre: with a metre the farthest value lies at 65 km.
  metresPerUnit: between(1e-9, 1),
  invalid: {
    expects: "a list of whole numbers from 0 to 65535, each once",
    holds: (value) =>
      Array.isArray(value) &&
      value.length <= 65536 &&
      new Set(value).size === value.length &&
      value.every((x) => Number.isInteger(x) && x >= 0 && x <= 65535),
  },
  fps: between(1e-6, 1e6),
  intrinsics: {
    expects: '{ "fx", "fy", "cx", "cy" } in pixels, fx and fy from 0.01 to 1e6',
    holds(value) {
      if (typeof value !== "object" || value === null) return false;
      const { fx, fy, cx, cy, distortion = [], distortionModel } = value as Record<string, unknown>;
      return (
        focal.holds(fx) &&
        focal.holds(fy) &&
        centre.holds(cx) &&
        centre.holds(cy) &&
        Array.isArray(distortion) &&
        distortion.length <= 16 &&
        distortion.every(Number.isFinite) &&
        (distortionModel === undefined || DISTORTION_MODELS.some((model) => model === distortionModel))
      );
    },
  },
};

const { metresPerUnit, invalid, fps, intrinsics } = rules;
/** The rules for the options of `openRecording`. */
export const optionRules = {
  metresPerUnit,
  invalid,
  minConfidence: between(0, 255),
  fps,
  intrinsics,
  assume: {
    expects: "an object of metresPerUnit, fps and intrinsics, as these options may be",
    holds: (value) => complaint(value, { metresPerUnit, fps, intrinsics }) === undefined,
  },
  color: flag,
  pair: flag,
  topic: { expects: "a topic's name", holds: (value) => typeof value === "string" },
  format: { expects: "a format's name", holds: (value) => typeof value === "string" },
  formats: {
    expects: "a list of formats: { name, sign, open }",
    holds: (value) =>
      Array.isArray(value) && value.every((one) => typeof one?.name === "string" && callable.holds(one.open)),
  },
  maxMegapixels: between(0.001, 256),
  maxSeconds: between(0.1, 1e6),
  maxMegabytes: between(16, 1e6),
  worker: flag,
  signal: signalRule,
} satisfies Record<keyof OpenOptions, Rule | undefined>;
