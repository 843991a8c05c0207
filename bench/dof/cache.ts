import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decode, encode } from "fast-png";
import type { Rgba } from "./light.ts";

/** Encodes a picture as PNG. */
export const pngOf = ({ width, height, rgba }: Rgba): Uint8Array =>
  encode({ width, height, data: rgba, channels: 4, depth: 8 });

/** A folder with pictures that take long to make. */
export class Cache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The picture that `parts` identify; it is made and stored if it is not there. */
  picture(parts: readonly (string | number | Uint8Array)[], make: () => Rgba): Rgba {
    const hash = createHash("sha256");
    for (const part of parts) hash.update(typeof part === "object" ? part : `${part}\n`);
    const path = join(this.#folder, `${hash.digest("hex").slice(0, 24)}.png`);
    if (!existsSync(path)) {
      mkdirSync(this.#folder, { recursive: true });
      // The file is renamed when complete, so an interrupted run leaves no partial picture.
      writeFileSync(`${path}.${process.pid}`, pngOf(make()));
      renameSync(`${path}.${process.pid}`, path);
    }
    const { width, height, data } = decode(readFileSync(path));
    return { width, height, rgba: new Uint8ClampedArray(data) };
  }
}
