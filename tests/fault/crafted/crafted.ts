/** A file of at most a megabyte that was made to take for ever or all of the memory. */
export interface Crafted {
  /** With the ending that its format has. */
  readonly file: string;
  /** The expected outcome: the file opens all the same, it is refused by an error for the user, or by one with these words. */
  readonly told: "opened" | "refused" | RegExp;
  /** Making the file takes seconds: only `npm run crafted` tries it. */
  readonly slow?: boolean;
  /** MiB that its frames take, where they are large. */
  readonly frames?: number;
  make(): Uint8Array | Promise<Uint8Array>;
}

/** A text of the repeated part, without the cost of joining it piece by piece. */
export const repeated = (part: Uint8Array, count: number): Uint8Array => {
  const whole = new Uint8Array(part.length * count);
  for (let i = 0; i < count; i++) whole.set(part, i * part.length);
  return whole;
};

export const MiB = 2 ** 20;

/** The error for work that is out of proportion to the file. */
export const tooMuch = /far more than/;
