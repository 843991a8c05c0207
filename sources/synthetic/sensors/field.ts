/** How alike the noise of neighbours is: `near` one pixel apart, and `decay` times as much with each pixel further. */
export interface Grain {
  readonly near: number;
  readonly decay: number;
}

/** Rows and columns before the first that are drawn and thrown away: by then the beginning is forgotten. */
const BEFORE = 24;
/** Standard deviation of the sum of four bytes. */
const FOUR_BYTES = Math.sqrt((4 * (256 ** 2 - 1)) / 12);

/**
 * Noise with mean 0 and variance 1, near to normal, that has a grain: k pixels apart along a row or a column it is alike by
 * near · decay^(k − 1). An autoregression with a moving average of two does that, one along the rows and one down the columns:
 * y = decay · y before + e + theta · e before.
 */
export class Field {
  readonly #decay: number;
  readonly #theta: number;
  readonly #scale: number;
  readonly #stride: number;
  readonly #work: Float32Array;
  /** White noise of the same frame, of variance 1, row-major as `values`. */
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
    this.#work = new Float32Array(this.#stride * (height + BEFORE));
    this.values = new Float32Array(width * height);
    this.white = new Float32Array(width * height);
  }

  /** Draws the field of this seed, a whole number below 2³¹, into `values` and `white`: another for each. */
  draw(seed: number): this {
    const [work, stride, decay, theta] = [this.#work, this.#stride, this.#decay, this.#theta];
    // Never 0, which stays 0.
    let state = (seed << 1) | 1;
    for (let i = 0; i < work.length; i++) {
      // Marsaglia's xorshift32.
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      // Its bytes are mixed once more: neighbours of one generator are not to be told apart by shifts.
      const h = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
      work[i] = (h & 255) + ((h >>> 8) & 255) + ((h >>> 16) & 255) + (h >>> 24) - 510;
    }
    const { width, height, white, values } = this;
    for (let y = 0; y < height; y++) {
      const row = (y + BEFORE) * stride + BEFORE;
      for (let x = 0; x < width; x++) white[y * width + x] = work[row + x] / FOUR_BYTES;
    }
    for (let i = 0; i < work.length; i += stride) {
      for (let x = 1, e = work[i]; x < stride; x++) {
        const now = work[i + x];
        work[i + x] = decay * work[i + x - 1] + now + theta * e;
        e = now;
      }
    }
    const before = work.slice(0, stride);
    for (let i = stride; i < work.length; i += stride) {
      for (let x = 0; x < stride; x++) {
        const now = work[i + x];
        work[i + x] = decay * work[i + x - stride] + now + theta * before[x];
        before[x] = now;
      }
    }
    for (let y = 0; y < height; y++) {
      const row = (y + BEFORE) * stride + BEFORE;
      for (let x = 0; x < width; x++) values[y * width + x] = work[row + x] * this.#scale;
    }
    return this;
  }
}

/** What makes an autoregression of `decay` alike by `near` one step apart. */
function thetaOf(near: number, decay: number): number {
  const a = near - decay;
  if (Math.abs(a) < 1e-6) return 0;
  const b = 2 * near * decay - 1 - decay ** 2;
  return (-b - Math.sqrt(b * b - 4 * a * a)) / (2 * a);
}

/** A curve through measured points, straight between them where both axes are logarithmic, and beyond them. */
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
