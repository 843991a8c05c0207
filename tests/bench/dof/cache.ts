import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decode, encode } from "fast-png";
import type { Rgba } from "./light.ts";

/** A picture as a PNG file. */
export const pngOf = ({ width, height, rgba }: Rgba): Uint8Array =>
  encode({ width, height, data: rgba, channels: 4, depth: 8 });

/** Pictures that take long to make, in a folder. */
export class Cache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The picture that is named by all that `parts` say; made and kept if it is not there. */
  picture(parts: readonly (string | number | Uint8Array)[], make: () => Rgba): Rgba {
    const hash = createHash("sha256");
    for (const part of parts) hash.update(typeof part === "object" ? part : `${part}\n`);
    const path = join(this.#folder, `${hash.digest("hex").slice(0, 24)}.png`);
    if (!existsSync(path)) {
      mkdirSync(this.#folder, { recursive: true });
      // Renamed when it is whole: a run that is stopped leaves no half of a picture.
      writeFileSync(`${path}.${process.pid}`, pngOf(make()));
      renameSync(`${path}.${process.pid}`, path);
    }
    const { width, height, data } = decode(readFileSync(path));
    return { width, height, rgba: new Uint8ClampedArray(data) };
  }
}
