import type { Bricks } from "./bricks.ts";

/** What bricks held before the frames of one stretch of time changed them; empty for bricks that were made then. */
type Stretch = Map<number, Uint8Array>;

const NOTHING = new Uint8Array(0);

/** Keeps what bricks held before the last frames changed them, one stretch of frames after the other, so that these can be taken back. */
export class Journal {
  readonly #stretches: Stretch[] = [];

  constructor(
    readonly bricks: Bricks,
    /** How many stretches can be taken back. */
    readonly most: number,
  ) {}

  /** How many stretches can be taken back now. */
  get length(): number {
    return this.#stretches.length;
  }

  /** The frames from here on belong to a new stretch. */
  begin(): void {
    this.#stretches.push(new Map());
    if (this.#stretches.length > this.most) this.#stretches.shift();
  }

  /** Call this before a brick is changed. */
  keep(brick: number): void {
    const stretch = this.#stretches.at(-1);
    if (!stretch || stretch.has(brick)) return;
    const { bricks } = this;
    const at = bricks.at(brick);
    const { buffer } = bricks.memory;
    // A brick beyond the memory's end is new.
    const isNew = at + bricks.bytes > buffer.byteLength;
    stretch.set(brick, isNew ? NOTHING : new Uint8Array(buffer, at, bricks.bytes).slice());
  }

  /** Gives the bricks what they held before the last stretch. Returns these bricks. */
  undo(): readonly number[] {
    const stretch = this.#stretches.pop() ?? new Map<number, Uint8Array>();
    const { bricks } = this;
    for (const [brick, held] of stretch) {
      const now = new Uint8Array(bricks.memory.buffer, bricks.at(brick), bricks.bytes);
      if (held === NOTHING) now.fill(0);
      else now.set(held);
    }
    return [...stretch.keys()];
  }
}
