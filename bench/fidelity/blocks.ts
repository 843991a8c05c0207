import type { Still } from "./still.ts";

const BLOCK = 16;

/** The first pixels of the blocks that lie completely in the mask and are planar in the reference, to 0.4 % of their depth. */
export function planarBlocks({ reference: { width, height, mm }, mask }: Still): number[] {
  const found: number[] = [];
  for (let y = 0; y + BLOCK <= height; y += BLOCK) {
    for (let x = 0; x + BLOCK <= width; x += BLOCK) {
      const first = y * width + x;
      if (!everyPixel(first, width, (i) => mask[i] === 1)) continue;
      let sum = 0;
      everyPixel(first, width, (i) => {
        sum += mm[i];
        return true;
      });
      if (toPlane(mm, first, width) < 0.004 * Math.max(sum / BLOCK ** 2, 1)) found.push(first);
    }
  }
  return found;
}

export function everyPixel(first: number, width: number, holds: (i: number) => boolean): boolean {
  for (let y = 0; y < BLOCK; y++) {
    for (let i = first + y * width; i < first + y * width + BLOCK; i++) if (!holds(i)) return false;
  }
  return true;
}

/** The RMS distance of a block's pixels to their least-squares plane (linear in the image). */
export function toPlane(mm: Float32Array, first: number, width: number): number {
  let [sum, sx, sy, squares] = [0, 0, 0, 0];
  const middle = (BLOCK - 1) / 2;
  // Depth relative to the first pixel: squares of large numbers would lose the small differences.
  const base = mm[first];
  for (let y = 0; y < BLOCK; y++) {
    for (let x = 0; x < BLOCK; x++) {
      const z = mm[first + y * width + x] - base;
      sum += z;
      sx += (x - middle) * z;
      sy += (y - middle) * z;
      squares += z * z;
    }
  }
  const n = BLOCK ** 2;
  const spread = (n * (n - 1)) / 12;
  return Math.sqrt(Math.max(0, squares - (sum * sum) / n - (sx * sx + sy * sy) / spread) / n);
}
