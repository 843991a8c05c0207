import { existsSync } from "node:fs";
import { type FileHandle, open, readFile, rm } from "node:fs/promises";
import { POSES_HEAD } from "../run/replay/poseFile.ts";
import { writeWhole } from "../run/report/files.ts";
import { goesOn, settled } from "../run/report/unfinished.ts";
import type { Found, Keep, ScanPose } from "../scan/scan.ts";
import { poseLine } from "../write/tum.ts";

/** The files that a scan keeps beside its mesh. */
interface Names {
  /** With all that was found. */
  readonly path: string;
  /** With the poses so far. */
  readonly poses: string;
  /** With the mesh of the frames until a scan was stopped. */
  readonly mesh: string;
}

/** What a scan found, as text that keeps every bit of it. */
export const textOf = (found: Found): string =>
  JSON.stringify(found, (_, value) => (value instanceof Float64Array ? [...value] : value));

/** What such a text says. */
export const foundIn = (text: string): Found =>
  JSON.parse(text, (_, value) => (isPose(value) ? Float64Array.from(value) : value));

const isPose = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length === 12 && value.every((one) => typeof one === "number");

/** Begins the files of a scan. `same`: all that decides where its frames are added. */
export async function beginKept({ same, ...names }: Names & { readonly same: object }): Promise<Kept> {
  const { path } = names;
  const goes = await goesOn(path, { same, force: true, clear: () => rm(path) });
  const before: Found | undefined = goes ? foundIn(await readFile(path, "utf8")) : undefined;
  const kept = new Kept(names, await open(names.poses, "a"), before);
  await kept.begin();
  for (const pose of before?.poses ?? []) await kept.pose(pose);
  return kept;
}

/**
 * Keeps beside a scan's mesh what would be lost if the scan were stopped: while frames are added their poses, as text; then all that was
 * found, from which the same command makes the mesh without following the camera again.
 */
export class Kept implements Keep {
  #isEmpty = true;

  constructor(
    readonly names: Names,
    readonly poses: FileHandle,
    /** What the same scan had found when it was stopped. */
    readonly before: Found | undefined,
  ) {}

  async begin(): Promise<void> {
    await this.poses.truncate();
    await this.poses.write(POSES_HEAD);
  }

  async pose(pose: ScanPose): Promise<void> {
    this.#isEmpty = false;
    await this.poses.write(poseLine(pose));
  }

  found(found: Found): Promise<void> {
    return writeWhole(this.names.path, textOf(found));
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
