import { SourceError } from "../source.ts";
import { type Files, MAX_NAMES, readText } from "./files/files.ts";
import type { OpenOptions, Pinhole } from "./format.ts";

/** `recording.json` (see DESIGN: a folder of PNGs). */
export interface Description {
  /** Which files are depth, and which colour: paths with stars, seen from the folder that this one is in. */
  readonly depth?: string;
  readonly color?: string;
  /** Whether colour shows what depth shows, pixel by pixel. */
  readonly registered?: boolean;
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
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
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

interface Rule {
  readonly expects: string;
  holds(value: unknown): boolean;
}

const isPath = (value: unknown) => typeof value === "string" && value !== "";
const finite = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const positive: Rule = { expects: "a number above 0", holds: (value) => finite(value) && value > 0 };

const rules: Record<string, Rule> = {
  depth: { expects: 'a path with stars, such as "depth/*.png"', holds: isPath },
  color: { expects: 'a path with stars, such as "color/*.png"', holds: isPath },
  registered: { expects: "true or false", holds: (value) => typeof value === "boolean" },
  metresPerUnit: positive,
  invalid: {
    expects: "a list of whole numbers from 0 to 65535",
    holds: (value) => Array.isArray(value) && value.every((x) => Number.isInteger(x) && x >= 0 && x <= 65535),
  },
  // The times that follow from it have to be numbers, too.
  fps: { ...positive, holds: (value) => finite(value) && value > 0 && Number.isFinite((MAX_NAMES * 1000) / value) },
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
