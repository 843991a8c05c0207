const WIDTH_MM = 0.05;
const HALF = 30_000;

/** Quantiles of a stream of lengths, from bins of 0.05 mm up to ±1.5 m, and exact moments. */
export class Hist {
  readonly #bins = new Uint32Array(2 * HALF + 1);
  n = 0;
  #sum = 0;
  #squares = 0;

  add(mm: number): void {
    this.#bins[Math.max(-HALF, Math.min(HALF, Math.round(mm / WIDTH_MM))) + HALF]++;
    this.n++;
    this.#sum += mm;
    this.#squares += mm * mm;
  }

  /** The quantile of the values; null if there are none. */
  quantile(p: number): number | null {
    if (this.n === 0) return null;
    let seen = 0;
    for (let k = 0; k < this.#bins.length; k++) {
      seen += this.#bins[k];
      if (seen >= p * this.n) return (k - HALF) * WIDTH_MM;
    }
    return HALF * WIDTH_MM;
  }

  mean(): number | null {
    return this.n > 0 ? this.#sum / this.n : null;
  }

  rms(): number | null {
    return this.n > 0 ? Math.sqrt(this.#squares / this.n) : null;
  }
}
