// The twin of assembly/kernel.ts: runs where there is no WebAssembly, and tests are held against it.

const VALUES = 65536;

/** Marks in `table` which values occur: 1 or 0. Returns the number of valid pixels. */
export function survey(depth: Uint16Array, table: Uint16Array): number {
  table.fill(0);
  let valid = 0;
  for (let i = 0; i < depth.length; i++) {
    table[depth[i]] = 1;
    if (depth[i] !== 0) valid++;
  }
  table[0] = 0;
  return valid;
}

/**
 * Writes the gaps between the values that occur, all low bytes before all high bytes; `table` then has each value's number. Returns how
 * many values occur.
 */
export function dictionary(table: Uint16Array, out: Uint8Array): number {
  let count = 0;
  for (let value = 1; value < VALUES; value++) count += table[value];
  let number = 0;
  let last = 0;
  for (let value = 1; value < VALUES; value++) {
    if (table[value] === 0) continue;
    const gap = value - last - 1;
    out[number] = gap;
    out[count + number] = gap >> 8;
    table[value] = number++;
    last = value;
  }
  return count;
}

/**
 * The prediction from the numbers a to the left, b above, and d above to the left (Weinberger et al., 2000): the median of a, b and a + b -
 * d.
 */
const predicted = (a: number, b: number, d: number) => Math.max(Math.min(a, b), Math.min(Math.max(a, b), a + b - d));

/** Writes the mask, then the zigzag differences from the predictions: low bytes, then high bytes. */
export function encode(
  depth: Uint16Array,
  table: Uint16Array,
  out: Uint8Array,
  width: number,
  height: number,
  valid: number,
): void {
  const numbers = new Uint16Array(depth.length);
  const mask = (depth.length + 7) >> 3;
  out.fill(0, 0, mask);
  let low = mask;
  for (let y = 0, i = 0; y < height; y++) {
    // Outside the image are the numbers of the nearest pixels inside.
    let a = y > 0 ? numbers[i - width] : 0;
    let d = a;
    for (let x = 0; x < width; x++, i++) {
      const b = y > 0 ? numbers[i - width] : a;
      const guess = predicted(a, b, d);
      d = b;
      if (depth[i] === 0) {
        numbers[i] = guess;
        a = guess;
        continue;
      }
      out[i >> 3] |= 1 << (i & 7);
      const number = table[depth[i]];
      numbers[i] = number;
      a = number;
      const difference = ((number - guess) << 16) >> 16;
      const zigzag = (difference << 1) ^ (difference >> 15);
      out[low] = zigzag;
      out[low + valid] = zigzag >> 8;
      low++;
    }
  }
}

/** Fills `table` with the values of a dictionary of `count`. Returns false where they do not fit 16 bits. */
export function values(block: Uint8Array, count: number, table: Uint16Array): boolean {
  let value = 0;
  for (let number = 0; number < count; number++) {
    value += 1 + (block[number] | (block[count + number] << 8));
    if (value >= VALUES) return false;
    table[number] = value;
  }
  return true;
}

/** The inverse of `encode`, into `depth`. Returns false where the block is damaged. */
export function decode(
  block: Uint8Array,
  table: Uint16Array,
  depth: Uint16Array,
  width: number,
  height: number,
  valid: number,
): boolean {
  const numbers = new Uint16Array(depth.length);
  let low = (depth.length + 7) >> 3;
  const end = low + valid;
  for (let y = 0, i = 0; y < height; y++) {
    let a = y > 0 ? numbers[i - width] : 0;
    let d = a;
    for (let x = 0; x < width; x++, i++) {
      const b = y > 0 ? numbers[i - width] : a;
      a = predicted(a, b, d);
      d = b;
      if ((block[i >> 3] & (1 << (i & 7))) === 0) {
        numbers[i] = a;
        depth[i] = 0;
        continue;
      }
      if (low === end) return false;
      const zigzag = block[low] | (block[low + valid] << 8);
      low++;
      a = (a + ((zigzag >> 1) ^ -(zigzag & 1))) & 0xffff;
      if (a >= table.length) return false;
      numbers[i] = a;
      depth[i] = table[a];
    }
  }
  return low === end;
}
