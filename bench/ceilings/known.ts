import { version } from "../../package.json";
import type { Gpu } from "../../pipeline/device/gpu.ts";
import { readKept, writeKept } from "../../pipeline/tune/kept.ts";
import { profileKey } from "../../pipeline/tune/profile.ts";
import type { Ceilings } from "./types.ts";

type Device = Pick<Gpu, "vendor" | "description">;

const NAME = "ceilings";

/** Identifies a device, its driver, and the kernels that measured it. */
const keyOf = (device: Device) => `${profileKey(device)} | depthloom ${version}`;

/** The rates that were measured of a device before; `undefined` if nothing was, or with another version of Depthloom. */
export async function knownCeilings(device: Device): Promise<Ceilings | undefined> {
  const found = (await all())[keyOf(device)];
  return isCeilings(found) ? found : undefined;
}

/** Keeps what was measured of a device. Returns where it was written. */
export async function keepCeilings(device: Device, ceilings: Ceilings): Promise<string> {
  return writeKept(NAME, `${JSON.stringify({ ...(await all()), [keyOf(device)]: ceilings }, null, 1)}\n`);
}

async function all(): Promise<Readonly<Record<string, unknown>>> {
  try {
    const found: unknown = JSON.parse((await readKept(NAME)) ?? "{}");
    return isRecord(found) ? found : {};
  } catch {
    // A damaged file counts as empty. The next measurement writes it anew.
    return {};
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isCeilings(value: unknown): value is Ceilings {
  if (!isRecord(value) || !Array.isArray(value.memory) || !isRecord(value.rates)) return false;
  const areNumbers = (record: unknown, names: readonly string[]) =>
    isRecord(record) && names.every((name) => typeof record[name] === "number");
  return (
    areNumbers(value.rates, ["f32", "i32", "logic", "both"]) &&
    typeof value.dispatchUs === "number" &&
    typeof value.date === "string" &&
    value.memory.length > 0 &&
    value.memory.every((one) => areNumbers(one, ["bytes", "readGBps", "writeGBps", "copyGBps"]))
  );
}
