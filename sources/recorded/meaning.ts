import type { Intrinsics } from "../frame.ts";
import { SourceError } from "../source.ts";
import { type Files, readText } from "./files/files.ts";
import type { OpenOptions, Pinhole } from "./format.ts";

/** What the numbers of a recording mean. */
export interface Meaning {
  readonly metresPerUnit: number;
  /** Values that say "no measurement". */
  readonly invalid: readonly number[];
  readonly fps: number;
  intrinsics(width: number, height: number): Intrinsics;
}

/** `recording.json` (see DESIGN: a folder of PNGs). */
export interface Description {
  readonly depth?: string;
  readonly metresPerUnit?: number;
  readonly invalid?: readonly number[];
  readonly fps?: number;
  readonly intrinsics?: Pinhole;
}

export const DESCRIPTION = "recording.json";

/** Reads `recording.json`. Unknown fields are warned of, since they are mostly misspelt ones. Throws a `SourceError`. */
export async function readDescription(files: Files, warnings: string[]): Promise<Description> {
  const where = `${files.name}/${DESCRIPTION}`;
  const text = await readText(files, DESCRIPTION);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new SourceError(`${where}: this is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new SourceError(`${where}: it must hold one object, { "metresPerUnit": … }`);
  }
  const fields = new Map<string, unknown>(Object.entries(parsed));
  for (const [name, value] of fields) {
    const rule = rules[name];
    if (!rule)
      warnings.push(
        `${where}: the field "${name}" is not known and was ignored (known: ${Object.keys(rules).join(", ")})`,
      );
    else if (!rule.holds(value))
      throw new SourceError(`${where}: ${name} must be ${rule.expects}, not ${JSON.stringify(value)}`);
  }
  return parsed;
}

/** Throws a `SourceError` for an option that makes no sense. */
export function checkOptions(options: OpenOptions): void {
  for (const name of ["metresPerUnit", "fps", "intrinsics"] as const) {
    const value = options[name];
    if (value !== undefined && !rules[name].holds(value)) {
      throw new SourceError(`${name} must be ${rules[name].expects}, not ${JSON.stringify(value)}`);
    }
  }
}

/** What a format takes for granted where nothing is said; what it lacks is assumed with a warning. */
export interface Habits {
  readonly metresPerUnit?: number;
  readonly invalid?: readonly number[];
  readonly fps?: number;
  /** For 640×480; scaled to other sizes. */
  readonly intrinsics?: Pinhole;
}

/** Joins what the user, the recording and the format say. */
export function meaningOf(
  options: OpenOptions,
  said: Description | undefined,
  habits: Habits,
  warnings: string[],
): Meaning {
  const assume = <T>(value: T, sentence: string): T => {
    warnings.push(sentence);
    return value;
  };
  const camera = options.intrinsics ?? said?.intrinsics;
  const field = camera ?? habits.intrinsics;
  const metresPerUnit =
    options.metresPerUnit ??
    said?.metresPerUnit ??
    habits.metresPerUnit ??
    assume(0.001, "nothing says what a unit of depth is: millimetres are assumed (metresPerUnit 0.001)");
  const fps =
    options.fps ??
    said?.fps ??
    habits.fps ??
    assume(30, "nothing says how fast it was recorded: 30 frames per second are assumed");
  const invalid =
    said?.invalid ??
    habits.invalid ??
    (said
      ? []
      : assume([], `there is no ${DESCRIPTION} that names invalid values: only 0 is taken as "no measurement"`));
  if (!field)
    warnings.push("nothing says what lens it was: a 58° × 45° field of view is assumed (intrinsics fx, fy, cx, cy)");
  return {
    metresPerUnit,
    fps,
    invalid: invalid.filter((value) => value !== 0),
    intrinsics(width, height) {
      if (camera) return { ...camera, width, height };
      return field ? scaled(field, width, height) : fieldOfView(width, height);
    },
  };
}

/** A camera of 640×480 when its image has another size: pixel centres are at whole numbers, edges half a pixel outside. */
function scaled({ fx, fy, cx, cy }: Pinhole, width: number, height: number): Intrinsics {
  const [x, y] = [width / 640, height / 480];
  return { fx: fx * x, fy: fy * y, cx: (cx + 0.5) * x - 0.5, cy: (cy + 0.5) * y - 0.5, width, height };
}

function fieldOfView(width: number, height: number): Intrinsics {
  const focal = (pixels: number, degrees: number) => pixels / 2 / Math.tan((degrees / 2) * (Math.PI / 180));
  return { fx: focal(width, 58), fy: focal(height, 45), cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
}

interface Rule {
  readonly expects: string;
  holds(value: unknown): boolean;
}

const finite = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const positive: Rule = { expects: "a number above 0", holds: (value) => finite(value) && value > 0 };

const rules: Record<string, Rule> = {
  depth: {
    expects: 'a path with stars, such as "depth/*.png"',
    holds: (value) => typeof value === "string" && value !== "",
  },
  metresPerUnit: positive,
  invalid: {
    expects: "a list of whole numbers from 0 to 65535",
    holds: (value) => Array.isArray(value) && value.every((x) => Number.isInteger(x) && x >= 0 && x <= 65535),
  },
  fps: positive,
  intrinsics: {
    expects: '{ "fx", "fy", "cx", "cy" } in pixels, fx and fy above 0',
    holds(value) {
      if (typeof value !== "object" || value === null) return false;
      const { fx, fy, cx, cy, distortion = [] } = value as Record<string, unknown>;
      return (
        positive.holds(fx) &&
        positive.holds(fy) &&
        finite(cx) &&
        finite(cy) &&
        Array.isArray(distortion) &&
        distortion.every(finite)
      );
    },
  },
};
