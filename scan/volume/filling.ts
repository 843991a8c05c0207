import type { Volume } from "./volume.ts";

/** The greatest coordinates that a key has (shaders/scan/places.wgsl). */
const MOST_X = 1023;
const MOST_Y = 511;
const MOST_Z = 1023;

/** What a GPU's volume has, beside its bricks' bytes. */
export interface Head {
  /** The bricks' places, as shaders/scan/places.wgsl packs them. */
  readonly keys: Uint32Array;
  readonly frames: number;
  readonly isFull: boolean;
}

/** Fills a volume with what a GPU's volume holds. The bricks are then in the order of their coordinates. */
export class Filling {
  constructor(
    readonly volume: Volume,
    readonly head: Head,
  ) {
    volume.take({ ...head, coordinates: Int32Array.from([...head.keys.toSorted()].flatMap(placeOf)) });
  }

  /** Takes the bytes of whole bricks, in the order of the keys; `from`: how many bytes came before. */
  take(part: Uint8Array, from: number): void {
    const { bricks } = this.volume;
    const memory = new Uint8Array(bricks.memory.buffer);
    for (let at = 0; at < part.length; at += bricks.bytes) {
      const brick = bricks.find(...placeOf(this.head.keys[(from + at) / bricks.bytes]));
      memory.set(part.subarray(at, at + bricks.bytes), bricks.at(brick));
    }
  }
}

/** The place of a brick, by its key. */
function placeOf(key: number): [x: number, y: number, z: number] {
  return [(key & 2047) - MOST_X - 1, ((key >>> 11) & 1023) - MOST_Y - 1, (key >>> 21) - MOST_Z - 1];
}

/** The key of the brick at a place; 0 for a place that lies too far out to have a key. */
export function keyOf(x: number, y: number, z: number): number {
  if (Math.abs(x) > MOST_X || Math.abs(y) > MOST_Y || Math.abs(z) > MOST_Z) return 0;
  return ((x + MOST_X + 1) | ((y + MOST_Y + 1) << 11) | ((z + MOST_Z + 1) << 21)) >>> 0;
}
