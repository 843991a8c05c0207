// The fast form of ../twin.ts, function by function. All arguments are addresses but sizes and counts.

const VALUES: i32 = 65536;

/** Marks in `table`, 65,536 u16, which values occur: 1 or 0. Returns the number of valid pixels. */
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

/**
 * Writes, for each value that occurs, its gap to the one before: all low bytes, then all high bytes. Writes each value's number into its
 * entry in `table`. Returns how many values occur.
 */
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

/** Encodes eight valid pixels that have a row above and a pixel to the left; a, b and d are as for `predicted`. */
function encodeEight(depth: usize, table: usize, row: usize, above: usize, low: usize, valid: i32): void {
  for (let lane = 0; lane < 16; lane += 2) store<u16>(row + lane, load<u16>(table + 2 * <i32>load<u16>(depth + lane)));
  const a = v128.load(row - 2);
  const b = v128.load(above);
  const least = i16x8.min_u(a, b);
  const most = i16x8.max_u(a, b);
  const d = i16x8.min_u(i16x8.max_u(v128.load(above - 2), least), most);
  const difference = i16x8.add(i16x8.sub(v128.load(row), i16x8.add(least, most)), d);
  const zigzag = v128.xor(i16x8.shl(difference, 1), i16x8.shr_s(difference, 15));
  const bytes = i8x16.shuffle(zigzag, zigzag, 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
  v128.store64_lane(low, bytes, 0);
  v128.store64_lane(low + valid, bytes, 1);
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
  let low = out + ((width * height + 7) >> 3);
  let i = 0;
  // The bits of the mask's next byte, collected from eight pixels.
  let bits = 0;
  for (let y = 0; y < height; y++) {
    const row = numbers + 2 * y * width;
    const above = row - 2 * width;
    // Outside the image are the numbers of the nearest pixels inside.
    let a: i32 = y > 0 ? load<u16>(above) : 0;
    let d = a;
    for (let x = 0; x < width; x++, i++) {
      while (x > 0 && y > 0 && (i & 7) === 0 && x + 8 <= width && i16x8.all_true(v128.load(depth + 2 * i))) {
        encodeEight(depth + 2 * i, table, row + 2 * x, above + 2 * x, low, valid);
        store<u8>(out + (i >> 3), 255);
        low += 8;
        x += 8;
        i += 8;
        a = load<u16>(row + 2 * x - 2);
        d = load<u16>(above + 2 * x - 2);
      }
      if (x === width) break;
      const b: i32 = y > 0 ? load<u16>(above + 2 * x) : a;
      const guess = predicted(a, b, d);
      d = b;
      a = guess;
      const value: i32 = load<u16>(depth + 2 * i);
      if (value !== 0) {
        a = load<u16>(table + 2 * value);
        const difference: i32 = <i32>(<i16>(a - guess));
        const zigzag = (difference << 1) ^ (difference >> 15);
        store<u8>(low, <u8>zigzag);
        store<u8>(low + valid, <u8>(zigzag >> 8));
        low++;
        bits |= 1 << (i & 7);
      }
      store<u16>(row + 2 * x, <u16>a);
      store<u8>(out + (i >> 3), <u8>bits);
      if ((i & 7) === 7) bits = 0;
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
