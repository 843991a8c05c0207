import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Job } from "../../run/batch/job/types.ts";
import { type BatchSettings, identityOf, VERSION } from "../../run/batch/settings.ts";
import { files, folders } from "../fault/healthy.ts";

/** Settings that write nothing. */
export const PLAIN: BatchSettings = {
  ...{ to: null, codec: "zstd", raw: false, stages: ["median"], set: [], settings: null, preset: "default" },
  ...{ noise: "auto", backend: "cpu", adapter: "auto", use: [], start: 0, frames: null, opening: {} },
} as const;

/** A job for a recording at a path. */
export function jobOf(input: string, out: string, key: string, settings: BatchSettings = PLAIN): Job {
  const identity = identityOf(settings);
  return { key, input, bytes: 1, files: 1, stamp: "1", out, settings, identity, version: VERSION };
}

/** The contents of a file that has a recording's extension and holds no recording. */
const BROKEN = new Uint8Array(300).fill(7);

/** The recordings of one file, of several formats, whose extension findRecordings knows. */
const single = files.filter(([name]) => /\.(mcap|bag|db3|mkv|sens|oni)$/.test(name));

/**
 * Writes `count` small recordings of all formats into a folder with subfolders, `broken` of them damaged. Returns the keys of the intact
 * and of the damaged recordings.
 */
export function writeFleet(root: string, count: number, broken: number): { keys: string[]; damaged: string[] } {
  const write = (path: string, content: Uint8Array | string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  const keys: string[] = [];
  const damaged: string[] = [];
  for (let i = 0; i < count; i++) {
    const key = `day${i % 7}/${String(i).padStart(4, "0")}`;
    if (i < broken) {
      damaged.push(`${key}.bag`);
      write(join(root, `${key}.bag`), BROKEN);
      continue;
    }
    const which = i % (single.length + folders.length);
    const [file, contents] = [single[which], folders[which - single.length]];
    // A scene of BOP, and a room of Replica, is a folder inside the data set's folder.
    const [within = ""] = /^(000001|room0\/results)(?=\/)/.exec(Object.keys(contents ?? {})[0] ?? "") ?? [];
    keys.push(file ? `${key}.${file[0]}` : join(key, within));
    if (file) write(join(root, `${key}.${file[0]}`), file[1]);
    for (const [name, content] of Object.entries(contents ?? {})) write(join(root, key, name), content);
  }
  return { keys: keys.sort(), damaged: damaged.sort() };
}
