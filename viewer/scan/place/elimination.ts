/** Numbers in a block of 6 × 6. */
const BLOCK = 36;

/**
 * Symmetric positive definite equations of 6 × 6 blocks, of which few are not 0: which ones is known at first, so that they can be filled
 * in and solved again and again without allocations. Rows are eliminated one after the other, each time the one with the fewest neighbours
 * (Tinney and Walker 1967), so that a chain with some loops fills hardly anything.
 */
export class BlockSystem {
  /** The right side, which `solve` turns into the solution. */
  readonly b: Float64Array;
  /** The blocks of the upper triangle, in the order of elimination, one after the other. */
  readonly blocks: Float64Array;
  /** By row, in the order of elimination: the row, and its neighbours that are eliminated later. */
  readonly #order: { readonly row: number; readonly later: Int32Array }[] = [];
  /** By row: its place in the order. */
  readonly #turn: Int32Array;
  /** By row: where its blocks begin, by the other row. */
  readonly #at: Map<number, number>[];
  /** For each row in order and each pair of its neighbours: the block that its elimination changes. */
  readonly #targets: Int32Array;
  readonly #left = new Float64Array(BLOCK);
  readonly #x = new Float64Array(6);

  /** `pairs`: the rows that have a block in common. */
  constructor(count: number, pairs: Iterable<readonly [number, number]>) {
    const near = Array.from({ length: count }, () => new Set<number>());
    for (const [i, j] of pairs) {
      near[i].add(j);
      near[j].add(i);
    }
    this.b = new Float64Array(6 * count);
    this.#turn = new Int32Array(count);
    let size = 0;
    this.#at = near.map((_, i) => new Map([[i, BLOCK * size++]]));
    const left = new Set(near.keys());
    while (left.size > 0) {
      let row = -1;
      for (const next of left) if (row < 0 || near[next].size < near[row].size) row = next;
      left.delete(row);
      const later = Int32Array.from(near[row]);
      this.#turn[row] = this.#order.push({ row, later }) - 1;
      for (const i of later) {
        this.#at[row].set(i, BLOCK * size++);
        near[i].delete(row);
        for (const j of later) if (j !== i) near[i].add(j);
      }
    }
    this.blocks = new Float64Array(BLOCK * size);
    for (const { later } of this.#order) later.sort((i, j) => this.#turn[i] - this.#turn[j]);
    const targets: number[] = [];
    for (const { later } of this.#order)
      for (let k = 0; k < later.length; k++)
        for (let l = k; l < later.length; l++) targets.push(this.at(later[k], later[l]));
    this.#targets = Int32Array.from(targets);
  }

  /** Where the block of two rows begins in `blocks`; its rows are those of the row that `isFirst`. */
  at(i: number, j: number): number {
    return (this.isFirst(i, j) ? this.#at[i].get(j) : this.#at[j].get(i)) as number;
  }

  /** Whether row `i` is eliminated before row `j`. */
  isFirst(i: number, j: number): boolean {
    return this.#turn[i] <= this.#turn[j];
  }

  /** Solves the equations, and spoils the blocks. Returns whether there is a solution. */
  solve(): boolean {
    const { b, blocks } = this;
    const [left, x] = [this.#left, this.#x];
    let target = 0;
    for (const { row, later } of this.#order) {
      const [own, at] = [BLOCK * row, this.#at[row]];
      if (!invertBlock(blocks, own)) return false;
      for (let k = 0; k < later.length; k++) {
        const side = at.get(later[k]) as number;
        leftOf(left, blocks, side, own);
        for (let r = 0; r < 6; r++) for (let c = 0; c < 6; c++) b[6 * later[k] + r] -= left[6 * r + c] * b[6 * row + c];
        for (let l = k; l < later.length; l++)
          subtractProduct(blocks, this.#targets[target++], left, blocks, at.get(later[l]) as number);
      }
    }
    for (let k = this.#order.length - 1; k >= 0; k--) {
      const { row, later } = this.#order[k];
      for (const other of later) {
        const side = this.#at[row].get(other) as number;
        for (let r = 0; r < 6; r++)
          for (let c = 0; c < 6; c++) b[6 * row + r] -= blocks[side + 6 * r + c] * b[6 * other + c];
      }
      x.fill(0);
      for (let r = 0; r < 6; r++) for (let c = 0; c < 6; c++) x[r] += blocks[BLOCK * row + 6 * r + c] * b[6 * row + c];
      b.set(x, 6 * row);
    }
    return true;
  }
}

/** The transpose of one block times another one. */
function leftOf(out: Float64Array, blocks: Float64Array, side: number, own: number): void {
  for (let r = 0; r < 6; r++) {
    for (let c = 0; c < 6; c++) {
      let sum = 0;
      for (let k = 0; k < 6; k++) sum += blocks[side + 6 * k + r] * blocks[own + 6 * k + c];
      out[6 * r + c] = sum;
    }
  }
}

/** Takes the product of `a` and the block at `bAt` off the block at `at`. */
function subtractProduct(from: Float64Array, at: number, a: Float64Array, b: Float64Array, bAt: number): void {
  for (let r = 0; r < BLOCK; r += 6) {
    const [a0, a1, a2, a3, a4, a5] = [a[r], a[r + 1], a[r + 2], a[r + 3], a[r + 4], a[r + 5]];
    for (let k = bAt; k < bAt + 6; k++) {
      const first = a0 * b[k] + a1 * b[k + 6] + a2 * b[k + 12];
      from[at + r + k - bAt] -= first + a3 * b[k + 18] + a4 * b[k + 24] + a5 * b[k + 30];
    }
  }
}

/** Inverts a positive definite block in its place by Gauss and Jordan; `false` where it is none. */
export function invertBlock(a: Float64Array, at = 0): boolean {
  for (let k = 0; k < 6; k++) {
    const pivot = a[at + 7 * k];
    if (!(pivot > 0)) return false;
    a[at + 7 * k] = 1;
    for (let c = 0; c < 6; c++) a[at + 6 * k + c] /= pivot;
    for (let r = 0; r < 6; r++) {
      if (r === k) continue;
      const factor = a[at + 6 * r + k];
      a[at + 6 * r + k] = 0;
      for (let c = 0; c < 6; c++) a[at + 6 * r + c] -= factor * a[at + 6 * k + c];
    }
  }
  return true;
}
