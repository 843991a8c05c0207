import type { Size } from "./view.ts";

// Parts of the image: what is connected, and what is near.

/** Holes that are this wide do not part what is connected, px. */
const BRIDGE = 2;
const AROUND_FOUR = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const;

/** All pixels that are connected with the pixel `seed`, across gaps of up to `BRIDGE` pixels for which `isBlank` holds. */
export function connected(
  { width, height }: Size,
  seed: number,
  isBlank: (j: number) => boolean,
  isNext: (i: number, j: number) => boolean,
): { readonly mask: Uint8Array; readonly pixels: number[] } {
  const mask = new Uint8Array(width * height);
  const pixels = [seed];
  mask[seed] = 1;
  for (let k = 0; k < pixels.length; k++) {
    const i = pixels[k];
    const [u, v] = [i % width, Math.floor(i / width)];
    for (const [dx, dy] of AROUND_FOUR) {
      for (let far = 1; far <= BRIDGE + 1; far++) {
        const [x1, y1] = [u + far * dx, v + far * dy];
        if (x1 < 0 || y1 < 0 || x1 >= width || y1 >= height) break;
        const j = y1 * width + x1;
        if (isBlank(j)) continue;
        if (mask[j] === 0 && isNext(i, j)) {
          mask[j] = 1;
          pixels.push(j);
        }
        break;
      }
    }
  }
  return { mask, pixels };
}

/** Whether a pixel has a 1 within `reach` columns and rows. */
export function blurred(mask: Uint8Array, width: number, reach: number): Uint8Array {
  const grown = (from: Uint8Array, step: number, lines: number, length: number, next: number) => {
    const to = new Uint8Array(from.length);
    for (let line = 0; line < lines; line++) {
      let last = -Infinity;
      for (const forwards of [true, false]) {
        last = -Infinity;
        for (let k = 0; k < length; k++) {
          const i = line * next + (forwards ? k : length - 1 - k) * step;
          if (from[i]) last = k;
          if (k - last <= reach) to[i] = 1;
        }
      }
    }
    return to;
  };
  const height = mask.length / width;
  return grown(grown(mask, 1, height, width, width), width, width, height, 1);
}
