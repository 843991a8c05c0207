import { expect } from "vitest";
import { type OpenOptions, openRecording, SourceError } from "../../sources/index.ts";
import { mutated } from "./mutate.ts";

/** Opens a file from memory, by content alone. */
export const openBytes = (name: string, bytes: Uint8Array, options: OpenOptions = {}) =>
  openRecording(new File([Uint8Array.from(bytes)], name), options);

/** Opens and reads what may be damaged. Returns what came of it; anything but a `SourceError` fails the test. */
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
    expect(error, `${what}: ${error instanceof Error ? error.stack : error}`).toBeInstanceOf(SourceError);
    return error instanceof Error ? error.message : "";
  }
}

/** The file cut at every byte (at some, of a large one), then with seeded damage. */
export async function surviveAll(name: string, bytes: Uint8Array, mutations = 300, cuts = 2500): Promise<void> {
  const step = Math.ceil(bytes.length / cuts);
  for (let length = 0; length < bytes.length; length += step) {
    await survive(name, bytes.subarray(0, length), `${name} cut at ${length}`);
  }
  for (let seed = 0; seed < mutations; seed++) await survive(name, mutated(bytes, seed), `${name}, seed ${seed}`);
}
