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
  /** The blocks of the upper triangle by row in the order of elimination: that of the diagonal, then those of its later neighbours. */
  readonly blocks: Float64Array;
  /** The rows in the order of elimination, and each row's place in it. */
  readonly #order: Int32Array;
  readonly #turn: Int32Array;
  /** For each row in the order of elimination the number of its first block, and for each block its other row. */
  readonly #starts: Int32Array;
  readonly #others: Int32Array;
  /** For each row in order and each pair of its later neighbours: where the block begins that its elimination changes. */
  readonly #targets: Int32Array;
  readonly #left = new Float64Array(BLOCK);

  /** `pairs`: the rows that have a block in common. */
  constructor(count: number, pairs: Iterable<readonly [number, number]>) {
    const near = Array.from({ length: count }, () => new Set<number>());
    for (const [i, j] of pairs) {
      near[i].add(j);
      near[j].add(i);
    }
    this.b = new Float64Array(6 * count);
    this.#order = new Int32Array(count);
    this.#turn = new Int32Array(count).fill(count);
    this.#starts = new Int32Array(count + 1);
    for (let turn = 0; turn < count; turn++) {
      let row = -1;
      for (let i = 0; i < count; i++)
        if (this.#turn[i] === count && (row < 0 || near[i].size < near[row].size)) row = i;
      this.#order[turn] = row;
      this.#turn[row] = turn;
      this.#starts[turn + 1] = this.#starts[turn] + 1 + near[row].size;
      for (const i of near[row]) {
        near[i].delete(row);
        for (const j of near[row]) if (j !== i) near[i].add(j);
      }
    }
    this.#others = new Int32Array(this.#starts[count]);
    for (const [turn, row] of this.#order.entries()) {
      const later = [...near[row]].sort((i, j) => this.#turn[i] - this.#turn[j]);
      this.#others.set([row, ...later], this.#starts[turn]);
    }
    this.blocks = new Float64Array(BLOCK * this.#others.length);
    this.#targets = this.#targetsOf();
  }

  #targetsOf(): Int32Array {
    const [starts, others] = [this.#starts, this.#others];
    let size = 0;
    for (let turn = 0; turn + 1 < starts.length; turn++) {
      const count = starts[turn + 1] - starts[turn] - 1;
      size += (count * (count + 1)) / 2;
    }
    const targets = new Int32Array(size);
    for (let turn = 0, at = 0; turn + 1 < starts.length; turn++) {
      for (let k = starts[turn] + 1; k < starts[turn + 1]; k++) {
        // Both lists are in the order of elimination.
        let target = starts[this.#turn[others[k]]];
        for (let l = k; l < starts[turn + 1]; l++) {
          while (others[target] !== others[l]) target++;
          targets[at++] = BLOCK * target;
        }
      }
    }
    return targets;
  }

  /** Where the block of two rows begins in `blocks`; the block's rows are those of the row that is eliminated first. */
  at(i: number, j: number): number {
    const [first, other] = this.isFirst(i, j) ? [i, j] : [j, i];
    return BLOCK * this.#others.indexOf(other, this.#starts[this.#turn[first]]);
  }

  /** Whether row `i` is eliminated before row `j`. */
  isFirst(i: number, j: number): boolean {
    return this.#turn[i] <= this.#turn[j];
  }

  /** Solves the equations, and spoils the blocks. Returns whether there is a solution. */
  solve(): boolean {
    const { b, blocks } = this;
    const [order, starts, others, targets, left] = [this.#order, this.#starts, this.#others, this.#targets, this.#left];
    for (let turn = 0, target = 0; turn < order.length; turn++) {
      const [own, row, end] = [BLOCK * starts[turn], 6 * order[turn], starts[turn + 1]];
      if (!invertBlock(blocks, own)) return false;
      for (let k = starts[turn] + 1; k < end; k++) {
        leftOf(left, blocks, BLOCK * k, own);
        for (let r = 0; r < 6; r++) for (let c = 0; c < 6; c++) b[6 * others[k] + r] -= left[6 * r + c] * b[row + c];
        for (let l = k; l < end; l++) subtractProduct(blocks, targets[target++], left, BLOCK * l);
      }
    }
    for (let turn = order.length - 1; turn >= 0; turn--) {
      const [own, row] = [BLOCK * starts[turn], 6 * order[turn]];
      for (let k = starts[turn] + 1; k < starts[turn + 1]; k++) {
        for (let r = 0; r < 6; r++)
          for (let c = 0; c < 6; c++) b[row + r] -= blocks[BLOCK * k + 6 * r + c] * b[6 * others[k] + c];
      }
      left.fill(0, 0, 6);
      for (let r = 0; r < 6; r++) for (let c = 0; c < 6; c++) left[r] += blocks[own + 6 * r + c] * b[row + c];
      for (let r = 0; r < 6; r++) b[row + r] = left[r];
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

/** Takes the product of `a` and the block at `from` off the block at `at`: two rows at a time, since a number is read slower than used. */
function subtractProduct(blocks: Float64Array, at: number, a: Float64Array, from: number): void {
  for (let c = 0; c < 6; c++) {
    const i = from + c;
    const j = at + c;
    const b0 = blocks[i];
    const b1 = blocks[i + 6];
    const b2 = blocks[i + 12];
    const b3 = blocks[i + 18];
    const b4 = blocks[i + 24];
    const b5 = blocks[i + 30];
    for (let r = 0; r < BLOCK; r += 6)
      blocks[j + r] -= a[r] * b0 + a[r + 1] * b1 + a[r + 2] * b2 + a[r + 3] * b3 + a[r + 4] * b4 + a[r + 5] * b5;
  }
}

/** Inverts a positive definite block in its place by Gauss and Jordan; `false` if the block is not positive definite. */
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
