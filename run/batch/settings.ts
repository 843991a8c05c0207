import { createHash } from "node:crypto";
import { version } from "../../package.json";
import type { OpenOptions } from "../../sources/index.ts";
import type { Preset } from "../../stages/core/presets.ts";
import type { DepthCodec } from "../../write/mcap.ts";
import { type ChosenStages, chooseStages, type ReadSettings } from "../replay/settings.ts";
import { usePackages } from "../replay/usePackages.ts";
import type { RunRequest } from "../request.ts";

/** The kinds of file that `--to` writes. */
export type Target = "mcap" | "png" | "tum" | "ply";

/** Everything that determines a recording's result, as plain values that can be sent to another machine. */
export interface BatchSettings extends Pick<RunRequest, "backend" | "adapter" | "noise"> {
  readonly start: number;
  /** The format to write; `null` writes only the row of the table and the thumbnail. */
  readonly to: Target | null;
  readonly codec: DepthCodec;
  /** Whether depth is written as it came, not filtered. */
  readonly raw: boolean;
  /** The stages' names; `null` stands for the stages of the settings file, or for the default stages. */
  readonly stages: readonly string[] | null;
  readonly set: readonly string[];
  readonly settings: ReadSettings | null;
  readonly preset: Preset;
  readonly use: readonly string[];
  /** How many frames at most; `null`: all. */
  readonly frames: number | null;
  readonly opening: Omit<OpenOptions, "signal" | "formats">;
}

/** Depthloom's version; another version may compute other results. */
export const VERSION: string = version;

/** A hash over everything that decides a result besides the recording: the settings and Depthloom's version. */
export function identityOf(settings: BatchSettings): string {
  const { settings: file, ...rest } = settings;
  return createHash("sha256")
    .update(JSON.stringify(sorted({ ...rest, settings: file?.settings ?? null, version: VERSION })))
    .digest("hex")
    .slice(0, 16);
}

/** The value, with the fields of every object in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, sorted(field)]));
}

/**
 * Makes the filters that the settings choose: stages that make points, colours or pictures have no part in what batch writes. Throws a
 * `RequestError` for a stage or parameter that does not exist.
 */
export async function filtersOf({ use, stages, settings, set, preset }: BatchSettings): Promise<ChosenStages> {
  await usePackages(use);
  const chosen = chooseStages(stages ?? undefined, settings ?? undefined, set, preset);
  return { ...chosen, stages: chosen.stages.filter(({ role }) => role === "filter"), stopgap: undefined };
}
