import type { Bricks } from "./bricks.ts";

/** The number of bricks that one array keeps. */
const SLAB = 256;
/** In place of a number: the brick was empty. */
const NOTHING = -1;

/** The earlier contents of the bricks that the frames of one stretch of time have changed. */
class Stretch {
  /** For each brick the number of its former content, or `NOTHING`. */
  readonly held = new Map<number, number>();
  readonly slabs: Uint8Array[] = [];
  count = 0;
  /** For a stretch that was taken back: the bricks that it made. */
  readonly made = new Set<number>();
}

/** Keeps what bricks held before the last frames changed them, one stretch of frames after the other, so that these can be taken back. */
export class Journal {
  readonly #stretches: Stretch[] = [];
  /** What the bricks of stretches that were taken back held last, so that the last of these can be put back. */
  readonly #undone: Stretch[] = [];
  /** Arrays that are free again. */
  readonly #free: Uint8Array[] = [];
  #memory = new Uint8Array(0);

  constructor(
    readonly bricks: Bricks,
    /** How many stretches can be taken back at most. */
    readonly most: number,
    /** The most bytes of all stretches: the oldest stretches are dropped to stay below. */
    readonly mostBytes: number,
  ) {}

  /** How many stretches can be taken back now. */
  get length(): number {
    return this.#stretches.length;
  }

  /** How many stretches that were taken back can be put back now. */
  get undone(): number {
    return this.#undone.length;
  }

  /** The frames from here on belong to a new stretch. What was taken back is gone. */
  begin(): void {
    this.#forget();
    this.#stretches.push(new Stretch());
    if (this.#stretches.length > this.most) this.#letGo();
  }

  /** Forgets everything. The memory stays, for what comes. */
  clear(): void {
    this.#forget();
    while (this.#stretches.length > 0) this.#letGo();
  }

  /** Call this before a brick is changed; `isNew`: no frame has changed it yet. */
  keep(brick: number, isNew: boolean): void {
    const stretch = this.#stretches.at(-1);
    if (!stretch || stretch.held.has(brick)) return;
    if (isNew) {
      stretch.held.set(brick, NOTHING);
      return;
    }
    stretch.held.set(brick, this.#copy(brick, stretch));
  }

  /** Gives the bricks what they held before the last stretch. Returns these bricks. */
  undo(): readonly number[] {
    const stretch = this.#stretches.pop() ?? new Stretch();
    const { held } = stretch;
    const back = new Stretch();
    // A stretch may have made more bricks than the journal has room for.
    if (held.size * this.bricks.bytes > this.mostBytes) this.#forget();
    else {
      for (const [brick, number] of held) {
        const copied = this.#copy(brick, back);
        back.held.set(brick, copied);
        if (number === NOTHING) back.made.add(brick);
      }
      this.#undone.push(back);
    }
    return this.#give(stretch);
  }

  /** Gives the bricks what they held before the last `undo`. Returns these bricks. */
  redo(): readonly number[] {
    const back = this.#undone.pop();
    if (!back) return [];
    this.#stretches.push(new Stretch());
    for (const brick of back.held.keys()) this.keep(brick, back.made.has(brick));
    return this.#give(back);
  }

  /** Copies what a brick holds into a stretch, and returns the copy's number. */
  #copy(brick: number, stretch: Stretch): number {
    const { bytes } = this.bricks;
    const at = this.bricks.at(brick);
    const number = stretch.count++;
    const place = number % SLAB;
    if (place === 0) stretch.slabs.push(this.#slab());
    stretch.slabs.at(-1)?.set(this.#whole().subarray(at, at + bytes), place * bytes);
    return number;
  }

  /** Gives the bricks what a stretch kept of them, and lets it go. */
  #give({ held, slabs }: Stretch): readonly number[] {
    const { bytes } = this.bricks;
    const memory = this.#whole();
    for (const [brick, number] of held) {
      const at = this.bricks.at(brick);
      const from = (number % SLAB) * bytes;
      if (number === NOTHING) memory.fill(0, at, at + bytes);
      else memory.set(slabs[Math.floor(number / SLAB)].subarray(from, from + bytes), at);
    }
    this.#free.push(...slabs);
    return [...held.keys()];
  }

  #forget(): void {
    for (const { slabs } of this.#undone.splice(0)) this.#free.push(...slabs);
  }

  /** Gives an array for bricks. The present stretch is never refused an array. */
  #slab(): Uint8Array {
    const bytes = SLAB * this.bricks.bytes;
    const taken = () => this.#stretches.reduce((sum, { slabs }) => sum + slabs.length, 1) * bytes;
    while (this.#stretches.length > 1 && taken() > this.mostBytes) this.#letGo();
    return this.#free.pop() ?? new Uint8Array(bytes);
  }

  /** Lets the earliest stretch go. */
  #letGo(): void {
    this.#free.push(...(this.#stretches.shift()?.slabs ?? []));
  }

  #whole(): Uint8Array {
    const { buffer } = this.bricks.memory;
    if (this.#memory.buffer !== buffer) this.#memory = new Uint8Array(buffer);
    return this.#memory;
  }
}
