import type { FrameContext } from "../../stages/core/resources.ts";
import type { Case } from "../cases.ts";
import { xorshift } from "../random.ts";
import type { Input } from "../types.ts";

// Consecutive frames for stages with a memory; on a first frame such a stage has no work.

/** A stage with a memory processes at least this many frames before it is timed. */
export const HISTORY = 24;
/** Kernel and twin both process this many frames before their outputs are compared. */
export const CHECKED_HISTORY = 5;
const NOISY_COPIES = 4;

/** Gives each frame its context: index, time stamp, and whether it follows the one before. */
export class Film {
  #index = 0;
  #cut = true;

  next(): FrameContext {
    const index = this.#index++;
    const context = { index, timestamp: index * 33, fresh: true, begins: this.#cut, follows: !this.#cut };
    this.#cut = false;
    return context;
  }

  /** Makes the next frame one that does not follow, so that all memory is reset. */
  cut(): void {
    this.#cut = true;
  }
}

/**
 * The images on which a case with a memory is measured: a recording's images forwards and backwards, so that neighbours are alike; else the
 * first image with a sensor's noise, different in each copy. All other cases use the images as they are.
 */
export function filmed({ timed }: Pick<Case, "timed">, input: Input): Input {
  if (!timed.some((stage) => stage.remembers)) return input;
  const { images, shape } = input;
  if (input.follows) return { ...input, images: [...images, ...images.slice(1, -1).reverse()] };
  const [first = new Uint16Array()] = images;
  const count = Math.max(images.length, NOISY_COPIES);
  return { ...input, images: Array.from({ length: count }, (_, k) => noisy(first, shape.metresPerUnit, k + 1)) };
}

/** A time-of-flight camera's noise, 1 mm + 0.5 mm/m² · z², nearly normal, and the same on every machine. */
function noisy(image: Uint16Array, metresPerUnit: number, seed: number): Uint16Array<ArrayBuffer> {
  const next = xorshift(Math.imul(seed, 0x9e3779b9));
  const copy = new Uint16Array(image.length);
  for (let i = 0; i < image.length; i++) {
    const word = next();
    const depth = image[i];
    if (depth === 0) continue;
    // The sum of four bytes less its mean, divided by its standard deviation.
    const normal = ((word & 255) + ((word >>> 8) & 255) + ((word >>> 16) & 255) + (word >>> 24) - 510) / 147.8;
    const sigma = (0.001 + 0.0005 * (depth * metresPerUnit) ** 2) / metresPerUnit;
    copy[i] = Math.max(1, Math.min(65535, Math.round(depth + sigma * normal)));
  }
  return copy;
}
