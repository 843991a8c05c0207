import type { Size } from "./view.ts";

// Parts of the image: what is connected, and what is near.

/** The widest hole, in px, across which pixels still count as connected. */
const BRIDGE = 2;

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
    const u = i % width;
    const v = (i - u) / width;
    for (let way = 0; way < 4; way++) {
      // Right, left, down and up, to the border at most.
      const most = Math.min(BRIDGE + 1, way === 0 ? width - 1 - u : way === 1 ? u : way === 2 ? height - 1 - v : v);
      const step = (way & 1 ? -1 : 1) * (way < 2 ? 1 : width);
      let far = 1;
      while (far <= most && isBlank(i + far * step)) far++;
      const j = i + far * step;
      if (far > most || mask[j] === 1 || !isNext(i, j)) continue;
      mask[j] = 1;
      pixels.push(j);
    }
  }
  return { mask, pixels };
}

/** The mean of pixels' columns and rows. */
export function middleIn(width: number, pixels: readonly number[]): { readonly x: number; readonly y: number } {
  let [x, y] = [0, 0];
  for (const i of pixels) {
    x += i % width;
    y += Math.floor(i / width);
  }
  return { x: x / pixels.length, y: y / pixels.length };
}

/** A mask that is 1 wherever `mask` has a 1 within `reach` columns and rows. */
export function blurred(mask: Uint8Array, width: number, reach: number): Uint8Array {
  const grown = (from: Uint8Array, step: number, lines: number, length: number, next: number) => {
    const to = new Uint8Array(from.length);
    for (let line = 0; line < lines; line++) {
      for (const by of [step, -step]) {
        let left = -1;
        for (let k = 0, i = line * next + (by > 0 ? 0 : (length - 1) * step); k < length; k++, i += by) {
          left = from[i] ? reach : left - 1;
          if (left >= 0) to[i] = 1;
        }
      }
    }
    return to;
  };
  const height = mask.length / width;
  return grown(grown(mask, 1, height, width, width), width, width, height, 1);
}

/** The smallest rectangle around pixels. */
export function boundsOf(width: number, pixels: readonly number[]) {
  let [left, right, top, bottom] = [width, 0, Infinity, 0];
  for (const i of pixels) {
    [left, right] = [Math.min(left, i % width), Math.max(right, i % width)];
    [top, bottom] = [Math.min(top, Math.floor(i / width)), Math.max(bottom, Math.floor(i / width))];
  }
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** A rectangle, wider by `by` on each side. */
export const around = ({ x, y, width, height }: ReturnType<typeof boundsOf>, by: number) => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});

/** The gaps without depth in the rows between two pixels of a mask: the pixel before and the one behind each. */
export function* gapsIn(width: number, z: Float32Array, mask: Uint8Array): Generator<readonly [number, number]> {
  for (let i = 0, last = -1; i < z.length; i++) {
    if (i % width === 0) last = -1;
    if (z[i] === 0) continue;
    if (mask[i] && last >= 0 && i - last > 1) yield [last, i];
    last = mask[i] ? i : -1;
  }
}
