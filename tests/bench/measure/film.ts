import type { Moment } from "../../../stages/moment.ts";
import type { Case } from "../cases.ts";
import type { Input } from "../types.ts";

// Frames that follow one another, for stages that remember: on a first frame they have nothing to do.

/** Frames that such a stage has seen before it is timed, at least. */
export const HISTORY = 24;
/** As many, before its output is held against the twin's, which has seen the same. */
export const CHECKED_HISTORY = 5;
const NOISY_COPIES = 4;

/** Tells frame after frame its moment. */
export class Film {
  #index = 0;
  #cut = true;

  next(): Moment {
    const index = this.#index++;
    const moment = { index, timestamp: index * 33, fresh: true, follows: !this.#cut };
    this.#cut = false;
    return moment;
  }

  /** The next frame does not follow: nothing that is remembered holds. */
  cut(): void {
    this.#cut = true;
  }
}

/**
 * What a case that remembers is measured on: a recording's images, to and fro, so that none is far from the one before it; else the
 * first image with a sensor's noise, other noise in each copy. All others are measured on what is there.
 */
export function filmed({ timed }: Pick<Case, "timed">, input: Input): Input {
  if (!timed.some((stage) => stage.remembers)) return input;
  const { images, shape } = input;
  if (input.follows) return { ...input, images: [...images, ...images.slice(1, -1).reverse()] };
  const [first = new Uint16Array()] = images;
  const count = Math.max(images.length, NOISY_COPIES);
  return { ...input, images: Array.from({ length: count }, (_, k) => noisy(first, shape.metresPerUnit, k + 1)) };
}

/** A time-of-flight camera's: 1 mm + 0.5 mm/m² · z², about normal. Marsaglia's xorshift32: the same on every machine. */
function noisy(image: Uint16Array, metresPerUnit: number, seed: number): Uint16Array<ArrayBuffer> {
  let state = Math.imul(seed, 0x9e3779b9);
  const copy = new Uint16Array(image.length);
  for (let i = 0; i < image.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const depth = image[i];
    if (depth === 0) continue;
    // The sum of four bytes less its mean, over its standard deviation.
    const normal = ((state & 255) + ((state >>> 8) & 255) + ((state >>> 16) & 255) + (state >>> 24) - 510) / 147.8;
    const sigma = (0.001 + 0.0005 * (depth * metresPerUnit) ** 2) / metresPerUnit;
    copy[i] = Math.max(1, Math.min(65535, Math.round(depth + sigma * normal)));
  }
  return copy;
}
