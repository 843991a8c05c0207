import type { Look } from "./look.ts";

/** Two pixels that differ by one of 255 levels of brightness weigh as much as two surfaces that are this far apart, m. */
const LEVEL_M = 0.0045;
/** Cauchy's weights: pixels whose brightness differs by this many levels weigh half as much as pixels of equal brightness. */
const UNLIKE = 8;

/** Takes an equation: its six coefficients, its right side and its weight. */
export type Use = (row: Float64Array, off: number, weight: number) => void;

/**
 * Aligns by brightness, along surfaces whose shape does not show a motion: a point looks alike in both images (Steinbrücker, Sturm and
 * Cremers 2011). A camera may change its exposure, so one image may be brighter as a whole.
 */
export class Light {
  #brighter = 0;
  #sum = 0;
  #weights = 0;
  readonly #row = new Float64Array(6);

  private constructor(
    readonly own: Uint8Array,
    readonly other: Uint8Array,
    readonly to: Look,
  ) {}

  /** `undefined` where a look has no colours. */
  static between(look: Look, to: Look): Light | undefined {
    return look.light && to.light && new Light(look.light, to.light, to);
  }

  /** Makes the equation of a pixel of the look that lies at `place` in the other camera's axes; turns are about `about`. */
  add(pixel: number, place: ArrayLike<number>, about: ArrayLike<number>, use: Use): void {
    const { own, other, to } = this;
    const row = this.#row;
    const x = place[0];
    const y = place[1];
    const z = place[2];
    const { fx, fy, cx, cy } = to.lens;
    const [px, py] = [(x / z) * fx + cx, (y / z) * fy + cy];
    const [u, v] = [Math.floor(px), Math.floor(py)];
    if (u < 0 || v < 0 || u + 1 >= to.across || v + 1 >= to.down) return;
    const k = v * to.across + u;
    const above = other[k + 1] - other[k];
    const below = other[k + to.across + 1] - other[k + to.across];
    const left = other[k] + (px - u) * above;
    const fall = other[k + to.across] + (px - u) * below - left;
    const off = own[pixel] - left - (py - v) * fall - this.#brighter;
    const weight = 1 / (1 + (off / UNLIKE) ** 2);
    this.#sum += weight * off;
    this.#weights += weight;
    row[0] = (fx / z) * (above + (py - v) * (below - above));
    row[1] = (fy / z) * fall;
    row[2] = -(row[0] * x + row[1] * y) / z;
    addTurn(row, x - about[0], y - about[1], z - about[2]);
    use(row, off, LEVEL_M * LEVEL_M * weight);
  }

  /** Call this once all pixels of an iteration were added: the next iteration then allows for how much brighter they are as a whole. */
  end(): void {
    if (this.#weights > 0) this.#brighter += this.#sum / this.#weights;
    this.#sum = this.#weights = 0;
  }
}

/** Adds to a row, whose first three numbers say how a value changes by a shift, how it changes by a turn about a point (x, y, z) away. */
export function addTurn(row: Float64Array, x: number, y: number, z: number): void {
  row[3] = y * row[2] - z * row[1];
  row[4] = z * row[0] - x * row[2];
  row[5] = x * row[1] - y * row[0];
}
