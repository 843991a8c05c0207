import type { Stage } from "../../stages/stage.ts";
import { choose, type Overrides, TuningError } from "../../stages/tuning.ts";
import type { Gpu } from "../device/gpu.ts";

/** What a tuning found best for one stage on one device. */
export interface ProfileEntry {
  readonly overrides: Overrides;
  readonly medianUs: number;
  readonly defaultUs: number;
  /** ISO 8601. */
  readonly date: string;
}

/** Device → stage → entry. */
type Profiles = Readonly<Record<string, Readonly<Record<string, ProfileEntry>>>>;

const STORAGE_KEY = "depthloom.profiles";

/** Adapter and driver, as WebGPU tells them. Another driver compiles otherwise: it is another device. */
export const profileKey = ({ vendor, description }: Pick<Gpu, "vendor" | "description">): string =>
  [vendor, description].filter(Boolean).join(" | ");

/** What was found for this device, by stage. No profile, or one that cannot be read, is an empty one. */
export async function profilesFor(gpu: Gpu): Promise<ReadonlyMap<string, ProfileEntry>> {
  return new Map(Object.entries((await load())[profileKey(gpu)] ?? {}));
}

/** Remembers an entry; gives the place it was written to. */
export async function saveProfile(gpu: Gpu, stage: string, entry: ProfileEntry): Promise<string> {
  const profiles = await load();
  const key = profileKey(gpu);
  return store({ ...profiles, [key]: { ...profiles[key], [stage]: entry } });
}

/** The overrides for a stage, none where nothing is known. An entry from another version, which no longer fits, counts as none. */
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
    return profilesIn(await read());
  } catch {
    // Written by hand, or cut short: as good as none. The next tuning writes it anew.
    return {};
  }
}

/** Only what has the shape of a profile; the values are checked when they are used. */
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

async function read(): Promise<string> {
  if (import.meta.env.SSR) {
    const { readFile } = await import("node:fs/promises");
    return readFile(await pathOf(), "utf8");
  }
  return globalThis.localStorage.getItem(STORAGE_KEY) ?? "{}";
}

async function store(profiles: Profiles): Promise<string> {
  const text = `${JSON.stringify(profiles, null, 2)}\n`;
  if (import.meta.env.SSR) {
    const { mkdir, rename, writeFile } = await import("node:fs/promises");
    const { dirname } = await import("node:path");
    const path = await pathOf();
    await mkdir(dirname(path), { recursive: true });
    // Renamed into place: who reads at the same time never sees half of it.
    const fresh = `${path}.${process.pid}`;
    await writeFile(fresh, text);
    await rename(fresh, path);
    return path;
  }
  globalThis.localStorage.setItem(STORAGE_KEY, text);
  return `localStorage ${STORAGE_KEY}`;
}

async function pathOf(): Promise<string> {
  const { homedir } = await import("node:os");
  const { join } = await import("node:path");
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "depthloom", "profiles.json");
}
