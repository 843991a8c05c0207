/** A file of at most a megabyte, crafted to keep a reader busy for ever or to fill the memory. */
export interface Crafted {
  /** The file's name, with its format's extension. */
  readonly file: string;
  /** The expected outcome: the file opens, or is refused by a SourceError; a RegExp must match the error's message. */
  readonly told: "opened" | "refused" | RegExp;
  /** Whether making the file takes seconds, so that only `npm run crafted` tries the file. */
  readonly slow?: boolean;
  /** The MiB that the file's frames take, if they are large. */
  readonly frames?: number;
  make(): Uint8Array | Promise<Uint8Array>;
}

type Make = Crafted["make"];
type More = Partial<Omit<Crafted, "file" | "make">>;

/** Crafted files with this outcome: their name, more about them if anything, and their maker. */
const withOutcome =
  (told: Crafted["told"]) =>
  (file: string, ...[more, make]: readonly [More, Make] | readonly [Make]): Crafted =>
    typeof more === "function" ? { file, told, make: more } : { file, told, ...more, make: make as Make };

export const opened = withOutcome("opened");
export const refused = withOutcome("refused");
/** Refused, because the work is out of proportion to the file. */
export const tooMuch = withOutcome(/far more than/);

/** `count` copies of `part`, in one array. */
export const repeated = (part: Uint8Array, count: number): Uint8Array => {
  const whole = new Uint8Array(part.length * count);
  for (let i = 0; i < count; i++) whole.set(part, i * part.length);
  return whole;
};

export const MiB = 2 ** 20;
