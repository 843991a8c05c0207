/** The correlation of neighbouring noise: `near` one pixel apart, and `decay` times as much with each further pixel. */
export interface Grain {
  readonly near: number;
  readonly decay: number;
}

const { fround } = Math;

/** The rows and columns drawn before the first and thrown away; the start no longer matters after them. */
const BEFORE = 24;
/** The standard deviation of the sum of four random bytes. */
const FOUR_BYTES = Math.sqrt((4 * (256 ** 2 - 1)) / 12);

/**
 * Nearly normal noise with mean 0 and variance 1. Along rows and columns its correlation at a distance of k pixels is near · decay^(k − 1).
 * An autoregression with a moving average of two gives that; it runs along the rows, then down the columns: y = decay · y before + e +
 * theta · e before.
 */
export class Field {
  readonly #decay: number;
  readonly #theta: number;
  readonly #scale: number;
  readonly #stride: number;
  /** The row above, before and after the step down the columns. */
  readonly #above: Float32Array;
  readonly #along: Float32Array;
  /** White noise of the same frame with variance 1, row-major like `values`. */
  readonly white: Float32Array;
  readonly values: Float32Array;

  constructor(
    readonly width: number,
    readonly height: number,
    { near, decay }: Grain,
  ) {
    this.#decay = decay;
    this.#theta = thetaOf(near, decay);
    const gain = (1 + 2 * decay * this.#theta + this.#theta ** 2) / (1 - decay ** 2);
    this.#scale = 1 / (gain * FOUR_BYTES);
    this.#stride = width + BEFORE;
    this.#above = new Float32Array(this.#stride);
    this.#along = new Float32Array(this.#stride);
    this.values = new Float32Array(width * height);
    this.white = new Float32Array(width * height);
  }

  /** Draws a field into `values` and `white`. Each `seed`, a whole number below 2³¹, gives another field. */
  draw(seed: number): this {
    const { width, height, white, values } = this;
    const [stride, decay, theta, scale] = [this.#stride, this.#decay, this.#theta, this.#scale];
    const [above, along] = [this.#above, this.#along];
    // Never 0, which xorshift leaves at 0.
    let state = (seed << 1) | 1;
    for (let row = 0; row < height + BEFORE; row++) {
      const first = (row - BEFORE) * width - BEFORE;
      let [drawn, left] = [0, 0];
      for (let x = 0; x < stride; x++) {
        // Marsaglia's xorshift32.
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        // The bytes are mixed once more, since neighbouring states of xorshift are shifted copies of each other.
        const h = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
        const e = (h & 255) + ((h >>> 8) & 255) + ((h >>> 16) & 255) + (h >>> 24) - 510;
        // The step along the row, then the step down the column with both values of the row above.
        left = x === 0 ? e : fround(decay * left + e + theta * drawn);
        drawn = e;
        const now = row === 0 ? left : fround(decay * above[x] + left + theta * along[x]);
        above[x] = now;
        along[x] = left;
        if (row < BEFORE || x < BEFORE) continue;
        white[first + x] = e / FOUR_BYTES;
        values[first + x] = now * scale;
      }
    }
    return this;
  }
}

/** The coefficient of a moving average. With it, an autoregression of `decay` has the correlation `near` between neighbours. */
function thetaOf(near: number, decay: number): number {
  const a = near - decay;
  if (Math.abs(a) < 1e-6) return 0;
  const b = 2 * near * decay - 1 - decay ** 2;
  return (-b - Math.sqrt(b * b - 4 * a * a)) / (2 * a);
}

/** A curve through measured points, linear between and beyond them on two logarithmic axes. */
export function through(points: readonly (readonly [atM: number, mm: number])[]): (z: number) => number {
  const logs = points.map(([atM, mm]) => [Math.log(atM), Math.log(mm)] as const);
  return (z) => {
    const at = Math.log(z);
    const last = logs.length - 2;
    let k = 0;
    while (k < last && at > logs[k + 1][0]) k++;
    const [[x0, y0], [x1, y1]] = [logs[k], logs[k + 1]];
    return Math.exp(y0 + ((y1 - y0) * (at - x0)) / (x1 - x0));
  };
}
