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

function paeth(row: Uint8Array, above: Uint8Array, step: number): void {
  for (let i = 0; i < step; i++) row[i] += above[i];
  for (let i = step; i < row.length; i++) {
    const [a, b, c] = [row[i - step], above[i], above[i - step]];
    const guess = a + b - c;
    const [da, db, dc] = [Math.abs(guess - a), Math.abs(guess - b), Math.abs(guess - c)];
    row[i] += da <= db && da <= dc ? a : db <= dc ? b : c;
  }
}
