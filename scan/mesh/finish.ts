import { KNOWN, type Volume } from "../volume/volume.ts";
import { meshOf } from "./mesh.ts";
import { type Box, cropped, type Simplified, simplified, withoutFlecks } from "./tidy.ts";

/** The parts of a volume's surface that are kept. */
export interface Kept {
  /** A box in the axes of the first camera; everything where `undefined`. */
  readonly crop: Box | undefined;
  /** Pieces of fewer triangles are left out. */
  readonly leastPiece: number;
  /** The most triangles of the mesh. */
  readonly triangles: number | undefined;
}

/** The mesh of a volume: the box alone, without flecks, and no larger than asked for. It may be empty. */
export function finished(volume: Volume, { crop, leastPiece, triangles = Infinity }: Kept): Promise<Simplified> {
  const whole = meshOf(volume, KNOWN);
  const wanted = crop ? cropped(whole, crop) : whole;
  return simplified(withoutFlecks(wanted, leastPiece), triangles);
}
