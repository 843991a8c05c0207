/**
 * Undoes the filters of a PNG (section 9) in place. `rows` has a filter byte and `rowBytes` bytes for each row. Each byte was stored as its
 * difference from a prediction, made from its neighbours in the pixel to the left (a), in the row above (b), and above left (c):
 *
 *     c b
 *     a x      sub: a    up: b    average: (a + b) / 2    Paeth: whichever of a, b, c is nearest to a + b - c
 *
 * Returns the number of the first row whose filter does not exist; `undefined` if all exist.
 */
export function unfilter(rows: Uint8Array, rowBytes: number, pixelBytes: number): number | undefined {
  let above: Uint8Array = new Uint8Array(rowBytes);
  for (let at = 0, y = 0; at < rows.length; at += rowBytes + 1, y++) {
    const row = rows.subarray(at + 1, at + 1 + rowBytes);
    const filter = rows[at];
    if (filter === 1) sub(row, pixelBytes);
    else if (filter === 2) up(row, above);
    else if (filter === 3) average(row, above, pixelBytes);
    else if (filter === 4) paeth(row, above, pixelBytes);
    else if (filter !== 0) return y;
    above = row;
  }
  return undefined;
}

function sub(row: Uint8Array, step: number): void {
  for (let i = step; i < row.length; i++) row[i] += row[i - step];
}

function up(row: Uint8Array, above: Uint8Array): void {
  for (let i = 0; i < row.length; i++) row[i] += above[i];
}

function average(row: Uint8Array, above: Uint8Array, step: number): void {
  for (let i = 0; i < step; i++) row[i] += above[i] >> 1;
  for (let i = step; i < row.length; i++) row[i] += (row[i - step] + above[i]) >> 1;
}

/** A loop takes one byte of each pixel, so that what it needs of the pixel to the left stays in a register. */
function paeth(row: Uint8Array, above: Uint8Array, step: number): void {
  for (let first = 0; first < step; first++) {
    let a = 0;
    let c = 0;
    for (let i = first; i < row.length; i += step) {
      const b = above[i];
      a = (row[i] + nearest(a, b, c)) & 255;
      row[i] = a;
      c = b;
    }
  }
}

/** Chooses by masks of all bits or none: the choice changes from byte to byte, so that branches would take twice as long. */
function nearest(a: number, b: number, c: number): number {
  const p = b - c;
  const q = a - c;
  const sum = p + q;
  const da = (p ^ (p >> 31)) - (p >> 31);
  const db = (q ^ (q >> 31)) - (q >> 31);
  const dc = (sum ^ (sum >> 31)) - (sum >> 31);
  const notA = ((db - da) | (dc - da)) >> 31;
  const notB = (dc - db) >> 31;
  return (a & ~notA) | (((b & ~notB) | (c & notB)) & notA);
}
