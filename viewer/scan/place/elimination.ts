/** A symmetric matrix of blocks of 6 × 6: for each row, by column, the blocks that are not 0. */
export type Blocks = readonly Map<number, Float64Array>[];

/**
 * Solves A x = b for a positive definite matrix of blocks: eliminates one row after the other, each time the one with the fewest
 * neighbours (Tinney and Walker 1967), so that a chain with some loops fills hardly anything. Changes both; `b` becomes x. Returns
 * whether there is a solution.
 */
export function solveBlocks(rows: Blocks, b: Float64Array): boolean {
  const order: number[] = [];
  const left = new Set(rows.keys());
  while (left.size > 0) {
    let next = -1;
    for (const row of left) if (next < 0 || rows[row].size < rows[next].size) next = row;
    left.delete(next);
    order.push(next);
    if (!eliminate(rows, b, next)) return false;
  }
  for (const row of order.reverse()) {
    for (const [other, block] of rows[row]) if (other !== row) subtract(b, row, block, b, other);
    const x = times(rows[row].get(row) as Float64Array, b, row);
    b.set(x, 6 * row);
  }
  return true;
}

/** Leaves the inverse of the row's own block in its place, and no other row knows of it afterwards. */
function eliminate(rows: Blocks, b: Float64Array, row: number): boolean {
  const own = rows[row].get(row);
  if (!own || !invertBlock(own)) return false;
  const others = [...rows[row].keys()].filter((other) => other !== row);
  const solved = times(own, b, row);
  for (const i of others) {
    const left = product(rows[i].get(row) as Float64Array, own);
    subtract(b, i, rows[i].get(row) as Float64Array, solved, 0);
    rows[i].delete(row);
    for (const j of others) {
      const block = rows[i].get(j) ?? new Float64Array(36);
      rows[i].set(j, block);
      subtractProduct(block, left, rows[row].get(j) as Float64Array);
    }
  }
  return true;
}

/** The product of a block and six numbers of a vector. */
function times(a: Float64Array, b: Float64Array, at: number): Float64Array {
  const out = new Float64Array(6);
  for (let r = 0; r < 6; r++) for (let c = 0; c < 6; c++) out[r] += a[6 * r + c] * b[6 * at + c];
  return out;
}

function subtract(from: Float64Array, at: number, a: Float64Array, b: Float64Array, of: number): void {
  for (let r = 0; r < 6; r++) for (let c = 0; c < 6; c++) from[6 * at + r] -= a[6 * r + c] * b[6 * of + c];
}

/** The product of two blocks. */
export function product(a: Float64Array, b: Float64Array): Float64Array {
  const out = new Float64Array(36);
  subtractProduct(out, a, b);
  for (let k = 0; k < 36; k++) out[k] = -out[k];
  return out;
}

function subtractProduct(from: Float64Array, a: Float64Array, b: Float64Array): void {
  for (let r = 0; r < 36; r += 6) {
    for (let c = 0; c < 6; c++) {
      const first = a[r] * b[c] + a[r + 1] * b[6 + c] + a[r + 2] * b[12 + c];
      from[r + c] -= first + a[r + 3] * b[18 + c] + a[r + 4] * b[24 + c] + a[r + 5] * b[30 + c];
    }
  }
}

/** Inverts a positive definite block in its place by Gauss and Jordan; `false` where it is none. */
export function invertBlock(a: Float64Array): boolean {
  for (let k = 0; k < 6; k++) {
    const pivot = a[7 * k];
    if (!(pivot > 0)) return false;
    a[7 * k] = 1;
    for (let c = 0; c < 6; c++) a[6 * k + c] /= pivot;
    for (let r = 0; r < 6; r++) {
      if (r === k) continue;
      const factor = a[6 * r + k];
      a[6 * r + k] = 0;
      for (let c = 0; c < 6; c++) a[6 * r + c] -= factor * a[6 * k + c];
    }
  }
  return true;
}
