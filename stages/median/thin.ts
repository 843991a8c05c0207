import { max, min } from "./branchless.ts";
import { AROUND_X, AROUND_Y, FARTHER, NEARER, OTHERS, THIN_BITS } from "./layout.ts";

/**
 * Gives the pixels of lines one pixel wide, and with `corners` those of the corners of small things, their own depth back;
 * shaders/median/thin.wgsl explains the method.
 */
export function keepThin(
  input: Uint16Array,
  output: Uint16Array,
  width: number,
  height: number,
  corners: boolean,
): void {
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const z = input[i];
      if (Math.abs(output[i] - z) > z >> THIN_BITS && isThin(input, x, y, width, height, corners)) output[i] = z;
    }
  }
}

function isThin(input: Uint16Array, x: number, y: number, width: number, height: number, corners: boolean): boolean {
  const seen = around(input, x, y, width, height);
  if (countOneBits(seen & 255) !== 1) return isLine(seen, corners);
  // The end of a line has one neighbour, which is part of it.
  const to = 31 - Math.clz32(seen & 255);
  const next = around(input, x + offset(AROUND_X, to), y + offset(AROUND_Y, to), width, height);
  return countOneBits(next & 255) === 2 && isLine(next, false);
}

/** A bit for each neighbour with the depth of pixel (x, y), clockwise, and how many of the others are nearer and farther. */
function around(input: Uint16Array, x: number, y: number, width: number, height: number): number {
  const z = input[y * width + x];
  const step = z >> THIN_BITS;
  let seen = 0;
  for (let i = 0; i < 8; i++) {
    const u = x + offset(AROUND_X, i);
    const v = y + offset(AROUND_Y, i);
    const other = u < 0 || v < 0 || u >= width || v >= height ? 0 : input[v * width + u];
    if (other === 0) continue;
    if (Math.abs(other - z) <= step) seen |= 1 << i;
    else seen += other < z ? NEARER : FARTHER;
  }
  return seen;
}

/** Two bits of a table, as −1, 0 or 1. */
function offset(table: number, i: number): number {
  return ((table >> (2 * i)) & 3) - 1;
}

/**
 * Whether what was seen around a pixel is part of a line or the corner of a small thing: two or three of its depth, two of them opposite or
 * three in a row, and four or more all nearer or farther.
 */
function isLine(seen: number, corners: boolean): boolean {
  const alike = seen & 255;
  const turned = alike | (alike << 8);
  const isOpposite = (alike & ((turned >> 3) | (turned >> 4) | (turned >> 5))) !== 0;
  const isCorner = corners && (alike & (turned >> 1) & (turned >> 2)) !== 0;
  const nearer = (seen >> 8) & 15;
  const farther = seen >> 12;
  return (
    (isOpposite || isCorner) && countOneBits(alike) <= 3 && min(nearer, farther) === 0 && max(nearer, farther) >= OTHERS
  );
}

function countOneBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
