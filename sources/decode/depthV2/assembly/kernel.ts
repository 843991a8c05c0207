// The fast form of ../twin.ts, function by function. All arguments are addresses but sizes and counts.

const VALUES: i32 = 65536;

/** Whether values occur, `table` of 65,536 u16: 1 or 0. Returns the number of valid pixels. */
export function survey(depth: usize, pixels: i32, table: usize): i32 {
  memory.fill(table, 0, 2 * VALUES);
  let valid = 0;
  for (let i = 0; i < pixels; i++) {
    const value = load<u16>(depth + 2 * i);
    store<u16>(table + 2 * <i32>value, 1);
    valid += value !== 0 ? 1 : 0;
  }
  store<u16>(table, 0);
  return valid;
}

/** Writes the gaps between the values that occur, low bytes and then high bytes, and makes `table` their numbers. Returns how many. */
export function dictionary(table: usize, out: usize): i32 {
  let count = 0;
  for (let value = 1; value < VALUES; value++) count += load<u16>(table + 2 * value);
  let number = 0;
  let last = 0;
  for (let value = 1; value < VALUES; value++) {
    if (load<u16>(table + 2 * value) === 0) continue;
    const gap = value - last - 1;
    store<u8>(out + number, <u8>gap);
    store<u8>(out + count + number, <u8>(gap >> 8));
    store<u16>(table + 2 * value, <u16>number);
    number++;
    last = value;
  }
  return count;
}

/**
 * The prediction from the numbers a to the left, b above, and d above to the left (Weinberger et al., 2000): the median of a, b and a + b -
 * d.
 */
function predicted(a: i32, b: i32, d: i32): i32 {
  return max(min(a, b), min(max(a, b), a + b - d));
}

/** Writes the mask, then the zigzag differences from the predictions: low bytes, then high bytes. `numbers` is scratch, a u16 per pixel. */
export function encode(
  depth: usize,
  table: usize,
  numbers: usize,
  out: usize,
  width: i32,
  height: i32,
  valid: i32,
): void {
  const mask = (width * height + 7) >> 3;
  memory.fill(out, 0, mask);
  let low = out + mask;
  let i = 0;
  for (let y = 0; y < height; y++) {
    const row = numbers + 2 * y * width;
    const above = row - 2 * width;
    // Outside the image are the numbers of the nearest pixels inside.
    let a: i32 = y > 0 ? load<u16>(above) : 0;
    let d = a;
    for (let x = 0; x < width; x++, i++) {
      const b: i32 = y > 0 ? load<u16>(above + 2 * x) : a;
      const guess = predicted(a, b, d);
      d = b;
      const value: i32 = load<u16>(depth + 2 * i);
      if (value === 0) {
        store<u16>(row + 2 * x, <u16>guess);
        a = guess;
        continue;
      }
      const at = out + (i >> 3);
      store<u8>(at, <u8>(<i32>load<u8>(at) | (1 << (i & 7))));
      const number: i32 = load<u16>(table + 2 * value);
      store<u16>(row + 2 * x, <u16>number);
      a = number;
      const difference: i32 = <i32>(<i16>(number - guess));
      const zigzag = (difference << 1) ^ (difference >> 15);
      store<u8>(low, <u8>zigzag);
      store<u8>(low + valid, <u8>(zigzag >> 8));
      low++;
    }
  }
}

/** Fills `table` with the values of a dictionary of `count`. Returns 0 where they do not fit 16 bits. */
export function values(block: usize, count: i32, table: usize): i32 {
  let value = 0;
  for (let number = 0; number < count; number++) {
    value += 1 + (load<u8>(block + number) | ((<i32>load<u8>(block + count + number)) << 8));
    if (value >= VALUES) return 0;
    store<u16>(table + 2 * number, <u16>value);
  }
  return 1;
}

/** The inverse of `encode`, into `depth`. Returns 0 where the block is damaged. */
export function decode(
  block: usize,
  table: usize,
  count: i32,
  numbers: usize,
  depth: usize,
  width: i32,
  height: i32,
  valid: i32,
): i32 {
  let low = block + ((width * height + 7) >> 3);
  const end = low + valid;
  let i = 0;
  for (let y = 0; y < height; y++) {
    const row = numbers + 2 * y * width;
    const above = row - 2 * width;
    let a: i32 = y > 0 ? load<u16>(above) : 0;
    let d = a;
    for (let x = 0; x < width; x++, i++) {
      const b: i32 = y > 0 ? load<u16>(above + 2 * x) : a;
      a = predicted(a, b, d);
      d = b;
      if ((<i32>load<u8>(block + (i >> 3)) & (1 << (i & 7))) === 0) {
        store<u16>(row + 2 * x, <u16>a);
        store<u16>(depth + 2 * i, 0);
        continue;
      }
      if (low === end) return 0;
      const zigzag: i32 = <i32>load<u8>(low) | ((<i32>load<u8>(low + valid)) << 8);
      low++;
      a = (a + ((zigzag >> 1) ^ -(zigzag & 1))) & 0xffff;
      if (a >= count) return 0;
      store<u16>(row + 2 * x, <u16>a);
      store<u16>(depth + 2 * i, load<u16>(table + 2 * a));
    }
  }
  return low === end ? 1 : 0;
}
