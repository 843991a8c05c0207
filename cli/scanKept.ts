import { existsSync } from "node:fs";
import { type FileHandle, open, rm, stat } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import { POSES_HEAD } from "../run/replay/poseFile.ts";
import { OutputError } from "../run/report/failure.ts";
import { writeWhole } from "../run/report/files.ts";
import { goesOn, settled } from "../run/report/unfinished.ts";
import type { Before, Keep, Midway, ScanPose } from "../scan/keep.ts";
import { poseLine } from "../write/tum.ts";

/** The files that a scan keeps beside its mesh. */
interface Names {
  /** The file with all that the scan knows. */
  readonly path: string;
  /** The file with the poses so far. */
  readonly poses: string;
  /** The file with the mesh of the frames until a scan was stopped. */
  readonly mesh: string;
}

/** A kept scan is the length of its values (f64), the values as V8 writes them, and its bricks. */
const LENGTH_BYTES = 8;
/** The bytes that are written at a time. */
const PART = 2 ** 24;

function* fileOf(midway: Midway, bricks: Uint8Array): Iterable<Uint8Array> {
  const values = serialize(midway);
  yield new Uint8Array(Float64Array.of(values.length).buffer);
  yield values;
  for (let at = 0; at < bricks.length; at += PART) yield bricks.subarray(at, at + PART);
}

function valuesIn(bytes: Uint8Array) {
  try {
    return deserialize(bytes);
  } catch {
    return undefined;
  }
}

/** Reads what a scan kept. Throws an `OutputError` where the file is damaged, whatever V8 makes of its values. */
async function beforeIn(path: string): Promise<Before> {
  const damaged = () => new OutputError(`${path}: it is damaged; remove it, and the scan begins anew`);
  const { size } = await stat(path);
  const read = async (from: number, into: Uint8Array) => {
    const file = await open(path);
    try {
      for (let at = 0; at < into.length; ) {
        const { bytesRead } = await file.read(into, at, Math.min(PART, into.length - at), from + at);
        if (bytesRead === 0) throw damaged();
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
    return into;
  };
  const [length] = new Float64Array((await read(0, new Uint8Array(LENGTH_BYTES))).buffer);
  if (!(length >= 0 && length <= size)) throw damaged();
  const values = await read(LENGTH_BYTES, Buffer.alloc(length));
  const midway: Midway | undefined = valuesIn(values);
  if (typeof midway?.held !== "number") throw damaged();
  return {
    midway,
    async bricks(into) {
      await read(LENGTH_BYTES + length, into);
    },
  };
}

/** Begins the files of a scan. `same` has all values that decide where the scan adds its frames. */
export async function beginKept(names: Names, how: { readonly same: object; readonly force: boolean }): Promise<Kept> {
  const { path } = names;
  const goes = await goesOn(path, { ...how, givesWay: true, isFree: async () => {}, clear: () => rm(path) });
  const before = goes ? await beforeIn(path) : undefined;
  return new Kept(names, await open(names.poses, "a"), before);
}

/** Keeps beside a scan's mesh what would be lost if the scan were stopped: its frames' poses, as text, and now and then all it knows. */
export class Kept implements Keep {
  #isEmpty = true;

  constructor(
    readonly names: Names,
    readonly poses: FileHandle,
    /** What the same scan had done when it was stopped. */
    readonly before: Before | undefined,
  ) {}

  async begin(): Promise<void> {
    await this.poses.truncate();
    await this.poses.write(POSES_HEAD);
  }

  async pose(pose: ScanPose): Promise<void> {
    this.#isEmpty = false;
    await this.poses.write(poseLine(pose));
  }

  midway(midway: Midway, bricks: Uint8Array): Promise<void> {
    return writeWhole(this.names.path, fileOf(midway, bricks));
  }

  /** Removes what nobody needs any more. Returns whether the same command would go on. */
  async end(isWhole: boolean): Promise<boolean> {
    const { path, poses, mesh } = this.names;
    await this.poses.close();
    const gone = isWhole ? [path, poses, mesh] : this.#isEmpty ? [poses] : [];
    for (const one of gone) await rm(one, { force: true });
    const goes = existsSync(path);
    if (!goes) await settled(path);
    return goes;
  }
}
