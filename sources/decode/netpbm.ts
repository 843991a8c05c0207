import { SourceError } from "../source.ts";
import { MAX_PIXELS } from "./png.ts";

/** A PGM (P5) or PPM (P6): what its header says, and where the pixels begin. */
export interface Netpbm {
  readonly kind: "P5" | "P6";
  readonly width: number;
  readonly height: number;
  readonly start: number;
}

/** Reads a header and checks that the pixels are all there: two bytes each in a PGM of 16 bits, three in a PPM. Throws a `SourceError`. */
export function readNetpbm(bytes: Uint8Array, where: string): Netpbm {
  const text = String.fromCharCode(...bytes.subarray(0, 256));
  const found = /^(P[56])(?:\s+#[^\n]*)*\s+(\d{1,6})\s+(\d{1,6})\s+(\d{1,5})\s/.exec(text);
  if (!found) throw new SourceError(`${where}: this is no binary PGM or PPM; copy or record it again`);
  const kind = found[1] === "P5" ? "P5" : "P6";
  const [width, height, most] = found.slice(2).map(Number);
  if (width * height === 0 || width * height > MAX_PIXELS)
    throw new SourceError(`${where}: it says it is ${width}×${height}; more than 64 megapixels, or none, are refused`);
  if (kind === "P5" ? most < 256 : most > 255)
    throw new SourceError(`${where}: it has ${most + 1} levels; depth needs a PGM of 16 bits, colour a PPM of 8`);
  const size = width * height * (kind === "P5" ? 2 : 3);
  if (bytes.length - found[0].length < size)
    throw new SourceError(`${where}: it is cut short: ${width}×${height} need ${size} bytes; copy or record it again`);
  return { kind, width, height, start: found[0].length };
}
