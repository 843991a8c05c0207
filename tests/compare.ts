/** A typed array seen as an image. */
type Pixels = Readonly<ArrayLike<number>>;

interface Layout {
  /** Pixels in a row. */
  readonly width: number;
  /** Values a pixel, next to each other; 1 unless given. */
  readonly channels?: number;
  /** How far a value may be off; 0 unless given. */
  readonly tolerance?: number;
  /** The name of the compared data, for the message. */
  readonly name?: string;
}

/**
 * Where `got` differs from `expected`: how many values, in which part of the image, by how much, and the first few of them.
 * `undefined` if they agree. NaN agrees with NaN only.
 */
export function difference(got: Pixels, expected: Pixels, layout: Layout): string | undefined {
  const { width, channels = 1, tolerance = 0, name = "image" } = layout;
  if (got.length !== expected.length) return `${name}: ${got.length} values, expected ${expected.length}`;
  const first: string[] = [];
  const box = { left: Infinity, top: Infinity, right: -1, bottom: -1 };
  let count = 0;
  let most = 0;
  for (let i = 0; i < got.length; i++) {
    const off = Math.abs(got[i] - expected[i]);
    if (off <= tolerance || Object.is(got[i], expected[i])) continue;
    const x = Math.floor(i / channels) % width;
    const y = Math.floor(i / channels / width);
    count++;
    if (!(off <= most)) most = off;
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
    const channel = channels > 1 ? ` channel ${i % channels}` : "";
    if (first.length < 5) first.push(`  (x ${x}, y ${y})${channel}: expected ${expected[i]}, got ${got[i]}`);
  }
  if (count === 0) return undefined;
  const where = `x ${box.left}…${box.right}, y ${box.top}…${box.bottom}`;
  const allowed = tolerance > 0 ? ` (${tolerance} allowed)` : "";
  return [`${name}: ${count} of ${got.length} values differ by up to ${most}${allowed}, in ${where}`, ...first].join(
    "\n",
  );
}

/** Throws an error that says where two images differ. */
export function expectImage(got: Pixels, expected: Pixels, layout: Layout): void {
  const found = difference(got, expected, layout);
  if (found) throw new Error(found);
}
