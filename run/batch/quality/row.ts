import { shownAddress, withoutAccess } from "../../../core/address.ts";
import { isKey } from "../find/keys.ts";
import type { Done, Job } from "../job/types.ts";
import type { Figures } from "./figures.ts";

/** A row of the quality table. The row of a failed recording has the first three fields only. */
export interface Row extends Partial<Figures> {
  readonly recording: string;
  /** Where the recording lies: its absolute path, or its address without what gives access. */
  readonly input: string;
  /** "failed": there is no result. "short": it falls short of what was required. "warned": opening warned of it. */
  readonly state: (typeof STATES)[number];
  /** Why it failed, what it falls short of, or the first warning. */
  readonly why: string;
  readonly bytes: number;
  readonly overBudget?: number | null;
  readonly seconds?: number;
  readonly secondsPerGB?: number | null;
  readonly warnings?: readonly string[];
  readonly sha256?: string;
}

/** The values of `state`. */
export const STATES = ["failed", "short", "warned", "good"] as const;

/** Whether a value from a file is a row: its fields are of their types, and its recording's path leads out of no folder. */
export function isRow(value: unknown): value is Row {
  if (typeof value !== "object" || value === null) return false;
  const { recording, input, state, why, bytes, warnings = [], ...figures }: Record<string, unknown> = { ...value };
  return (
    isKey(recording) &&
    isKey(recording.replaceAll("\\", "/")) &&
    typeof input === "string" &&
    !input.includes("\0") &&
    STATES.some((one) => one === state) &&
    typeof why === "string" &&
    typeof bytes === "number" &&
    Array.isArray(warnings) &&
    warnings.every((line) => typeof line === "string") &&
    Object.values(figures).every((one) => one === null || ["string", "number"].includes(typeof one))
  );
}

/** Bytes in a GB, as disks are sold. */
const GB = 1e9;

type Recording = Pick<Row, "recording" | "input" | "bytes">;

/** The fields that every recording's row has. */
export const recordingOf = ({ key, input, bytes }: Pick<Job, "key" | "input" | "bytes">): Recording => ({
  recording: key,
  input: shownAddress(input),
  bytes,
});

/** The row of a finished recording, before requirements are checked. */
export function rowOf(recording: Recording, { result, run }: Done): Row {
  const { bytes } = recording;
  const { figures, warnings, written } = result;
  return {
    ...recording,
    state: "good",
    why: "",
    ...figures,
    overBudget: run.overBudget,
    seconds: run.seconds,
    secondsPerGB: bytes > 0 ? Number(((run.seconds * GB) / bytes).toPrecision(4)) : null,
    warnings,
    sha256: written.sha256,
  };
}

export const failedRow = (recording: Recording, why: string): Row => ({
  ...recording,
  state: "failed",
  why: withoutAccess(why),
});
