import { SourceError } from "../../core/source.ts";
import { checkSize } from "./png.ts";

/** The header of a PGM (P5), a PPM (P6) or a PFM of one channel (Pf), and the position of its pixels. */
export interface Netpbm {
  readonly kind: "P5" | "P6" | "Pf";
  readonly width: number;
  readonly height: number;
  readonly start: number;
  /** Whether the low byte of a PFM's floats comes first. */
  readonly little: boolean;
  /** The scale that a PFM says, without the sign that tells the order of bytes. */
  readonly scale: number;
}

// A comment must reach the end of its line. Otherwise a header of many "#" could be matched in exponentially many ways.
const GAP = "(?:\\s+#[^\\n]*(?=\\n))*\\s+";
const HEADER = new RegExp(`^(P[56f])${GAP}(\\d{1,6})${GAP}(\\d{1,6})${GAP}(-?\\d{1,5}(?:\\.\\d{0,9})?)\\s`);
/** The bytes of a pixel. */
const BYTES = { P5: 2, P6: 3, Pf: 4 } as const;

/** Reads a header and checks that all pixels are there: two bytes each in a PGM, three in a PPM, four in a PFM. Throws a `SourceError`. */
export function readNetpbm(bytes: Uint8Array, where: string): Netpbm {
  const text = String.fromCharCode(...bytes.subarray(0, 256));
  const found = HEADER.exec(text);
  if (!found)
    throw new SourceError(`${where}: this is not a binary PGM, PPM or PFM of one channel; copy or record it again`);
  const kind = found[1] as Netpbm["kind"];
  const [width, height, most] = found.slice(2).map(Number);
  checkSize({ width, height }, where, "it");
  if ((kind === "P5" && most < 256) || (kind === "P6" && !(most >= 1 && most <= 255)))
    throw new SourceError(`${where}: it has ${most + 1} levels; depth needs a PGM of 16 bits, colour a PPM of 8`);
  const size = width * height * BYTES[kind];
  if (bytes.length - found[0].length < size)
    throw new SourceError(`${where}: it is cut short: ${width}×${height} need ${size} bytes; copy or record it again`);
  return { kind, width, height, start: found[0].length, little: most < 0, scale: Math.abs(most) };
}
