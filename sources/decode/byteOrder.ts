/** The largest step between neighbours that counts as one on a surface, in units. */
const SMOOTH = 64;
/** The fewest pairs of different neighbours that tell anything. */
const FEWEST = 100;

/**
 * Whether the two bytes of each value are in the wrong order, as where a program hands a little-endian buffer to a PNG writer. Neighbours
 * on a surface differ little. With swapped bytes few neighbours differ little; most do so once the bytes are swapped back. An image whose
 * low bytes are all equal, as one of 8 bits times 256, tells nothing.
 */
export function isSwapped(data: Uint16Array, width: number): boolean {
  let [pairs, asItIs, swapped, lows] = [0, 0, 0, 0];
  for (let i = 1; i < data.length; i++) {
    const [a, b] = [data[i - 1], data[i]];
    if (i % width === 0 || a === b || a === 0 || b === 0) continue;
    pairs++;
    lows |= (a ^ b) & 255;
    if (Math.abs(a - b) <= SMOOTH) asItIs++;
    if (Math.abs(swap(a) - swap(b)) <= SMOOTH) swapped++;
  }
  return pairs >= FEWEST && lows !== 0 && asItIs < 0.25 * pairs && swapped > 0.7 * pairs;
}

export function swapBytes(data: Uint16Array): void {
  for (let i = 0; i < data.length; i++) data[i] = swap(data[i]);
}

const swap = (value: number) => ((value & 255) << 8) | (value >> 8);
