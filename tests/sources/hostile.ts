import { expect } from "vitest";
import { type OpenOptions, openRecording, SourceError } from "../../sources/index.ts";
import { ReaderFault } from "../../sources/recorded/index.ts";
import { LONG } from "../mode.ts";
import { mutated } from "./mutate.ts";

/** Opens a file from memory. */
export const openBytes = (name: string, bytes: Uint8Array, options: OpenOptions = {}) =>
  openRecording(new File([Uint8Array.from(bytes)], name), options);

/** Opens and reads a file that may be damaged. Returns the outcome; any error but a `SourceError` fails the test. */
export async function survive(name: string, bytes: Uint8Array, what: string): Promise<string> {
  try {
    const recording = await openBytes(name, bytes);
    try {
      for (let index = 0; index < Math.min(recording.length, 3); index++) {
        const { depth, intrinsics } = await recording.read(index);
        if (depth.data.length !== intrinsics.width * intrinsics.height) throw new Error("a frame of another size");
        await recording.pose(index);
      }
      return "read";
    } finally {
      await recording.close();
    }
  } catch (error) {
    const told = `${what}: ${error instanceof Error ? `${error.stack} ${error.cause}` : error}`;
    expect(error, told).toBeInstanceOf(SourceError);
    expect(error, told).not.toBeInstanceOf(ReaderFault);
    return error instanceof Error ? error.message : "";
  }
}

const MOST_SECONDS = 2;
const MOST_BYTES = 512 * 2 ** 20;

/** How much damage the suite does; `npm run fuzz` does far more. */
interface Damage {
  readonly mutations?: number;
  readonly cuts?: number;
  /** Makes the file to open, if it contains the damaged file. */
  readonly within?: (file: Uint8Array) => Uint8Array;
}

/**
 * Opens the file cut at some bytes, then with seeded damage. `npm run fuzz` cuts the file at each of its first 20,000 bytes and damages it
 * 20,000 times (`FUZZ_COUNT`, from the seed `FUZZ_FIRST`); no file may take two seconds of CPU time, and the process may not take 512
 * MiB.
 */
export async function surviveAll(name: string, bytes: Uint8Array, damage: Damage = {}): Promise<void> {
  const { mutations = 20, cuts = 40, within = (file) => file } = damage;
  const first = Number(process.env.FUZZ_FIRST ?? 0);
  const count = LONG ? Number(process.env.FUZZ_COUNT ?? 20_000) : mutations;
  const ends = LONG ? Math.min(bytes.length, 20_000) : cuts;
  const healthy = async () => expect(await survive(name, within(bytes), `${name}, whole`)).toBe("read");
  const slowest = { seconds: 0, what: "" };
  const came = { read: 0, refused: 0 };
  const attempt = async (file: Uint8Array, what: string) => {
    const before = process.cpuUsage();
    came[(await survive(name, within(file), what)) === "read" ? "read" : "refused"]++;
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    if (seconds > slowest.seconds) Object.assign(slowest, { seconds, what });
  };
  await healthy();
  for (let i = 0; i < ends; i++) {
    const length = Math.floor((i * bytes.length) / ends);
    await attempt(bytes.subarray(0, length), `${name} cut at ${length}`);
  }
  for (let seed = first; seed < first + count; seed++) await attempt(mutated(bytes, seed), `${name}, seed ${seed}`);
  // After all this damage, the intact file must still be read.
  await healthy();
  if (!LONG) return;
  const peak = process.resourceUsage().maxRSS * 1024;
  console.log(`${name}, ${bytes.length} bytes: ${JSON.stringify({ ends, count, came, slowest, peakMiB: peak >> 20 })}`);
  expect(slowest.seconds, slowest.what).toBeLessThan(MOST_SECONDS);
  expect(peak).toBeLessThan(MOST_BYTES);
}
