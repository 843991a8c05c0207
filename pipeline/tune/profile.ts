import type { Stage } from "../../stages/core/stage.ts";
import { choose, type Overrides, TuningError } from "../../stages/core/tuning.ts";
import type { Gpu } from "../device/gpu.ts";
import { readKept, writeKept } from "./kept.ts";

/** The overrides that a tuning found fastest for one stage on one device, with both median times in microseconds. */
export interface ProfileEntry {
  /** The fastest values of the kernels' constants. */
  readonly overrides: Overrides;
  /** The median time with these values. */
  readonly medianUs: number;
  /** The median time with the defaults. */
  readonly defaultUs: number;
  /** ISO 8601. */
  readonly date: string;
}

/** Device key → stage → entry. */
type Profiles = Readonly<Record<string, Readonly<Record<string, ProfileEntry>>>>;

/** The name of what is kept. */
const NAME = "profiles";

/** Identifies a device by adapter and driver, as WebGPU reports them: another driver compiles kernels otherwise. */
export const profileKey = ({ vendor, description }: Pick<Gpu, "vendor" | "description">): string =>
  [vendor, description].filter(Boolean).join(" | ");

/** The saved entries for this device, by stage; empty if there is no profile or it cannot be read. */
export async function profilesFor(gpu: Gpu): Promise<ReadonlyMap<string, ProfileEntry>> {
  return new Map(Object.entries((await load())[profileKey(gpu)] ?? {}));
}

/** Saves an entry. Returns where the entry was written. */
export async function saveProfile(gpu: Gpu, stage: string, entry: ProfileEntry): Promise<string> {
  const profiles = await load();
  const key = profileKey(gpu);
  const fresh = { ...profiles, [key]: { ...profiles[key], [stage]: entry } };
  return writeKept(NAME, `${JSON.stringify(fresh, null, 2)}\n`);
}

/** The saved overrides for a stage; empty if there are none, or if they come from another version and no longer fit the stage. */
export function overridesFor(stage: Stage, gpu: Gpu, profiles: ReadonlyMap<string, ProfileEntry>): Overrides {
  const overrides = profiles.get(stage.kind)?.overrides;
  if (!overrides) return {};
  try {
    return choose(stage.name, stage.tuning, gpu.device, overrides);
  } catch (error) {
    if (error instanceof TuningError) return {};
    throw error;
  }
}

async function load(): Promise<Profiles> {
  try {
    return profilesIn((await readKept(NAME)) ?? "{}");
  } catch {
    // A damaged profile counts as empty. The next tuning writes it anew.
    return {};
  }
}

/** Keeps only entries that have the shape of a profile. `overridesFor` checks their values. */
function profilesIn(text: string): Profiles {
  const parsed: unknown = JSON.parse(text);
  if (!isRecord(parsed)) return {};
  const devices = Object.entries(parsed).filter(([, stages]) => isRecord(stages));
  return Object.fromEntries(
    devices.map(([key, stages]) => [key, Object.fromEntries(Object.entries(stages as object).filter(isEntry))]),
  );
}

const isEntry = ([, entry]: [string, unknown]) =>
  isRecord(entry) && isRecord(entry.overrides) && Object.values(entry.overrides).every(isRecord);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
