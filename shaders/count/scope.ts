import type { Value } from "./values.ts";

/** A variable, or a value with a name. */
export interface Cell {
  value: Value;
  readonly isMutable: boolean;
}

/** The names of a block, and the expressions in it whose values are known already: a compiler computes them once. */
export class Scope {
  readonly seen = new Map<string, Value>();
  readonly #names = new Map<string, Cell>();

  constructor(readonly parent?: Scope) {}

  set(name: string, value: Value, isMutable: boolean): void {
    this.#names.set(name, { value, isMutable });
  }

  find(name: string): Cell | undefined {
    return this.#names.get(name) ?? this.parent?.find(name);
  }

  known(text: string): Value | undefined {
    return this.seen.get(text) ?? this.parent?.known(text);
  }
}

/** Records the old values of written cells, so that both branches of a condition can be followed from the same state. */
export class Journal {
  #before: Map<Cell, Value> | undefined;

  write(cell: Cell, value: Value): void {
    if (this.#before && !this.#before.has(cell)) this.#before.set(cell, cell.value);
    cell.value = value;
  }

  /** Runs `action`, restores the cells that it wrote, and returns the values that it left in them. */
  tried(action: () => void): Map<Cell, Value> {
    const outer = this.#before;
    const before = new Map<Cell, Value>();
    this.#before = before;
    try {
      action();
    } finally {
      this.#before = outer;
    }
    const left = new Map<Cell, Value>();
    for (const [cell, value] of before) {
      left.set(cell, cell.value);
      cell.value = value;
    }
    return left;
  }
}
