/** The shares of the valid depths that mark the near and the far end of the range. */
const [NEAR_SHARE, FAR_SHARE] = [0.01, 0.99];
/** At most this many pixels are sampled. */
const SAMPLES = 2048;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** The range covers 63% of its way in this time, ms. */
const SLOWNESS_MS = 1200;
/** The range begins to move when it is off by the first ratio, and stops at the second one, so that colours do not crawl. */
const [STARTS, STOPS] = [0.06, 0.01];

/** A range of depths that slowly follows what the sensor sees. Single wild pixels do not move it. */
export class DepthRange {
  nearM = 0.5;
  farM = 4;
  readonly #samples = new Uint16Array(SAMPLES);
  #known = false;
  #moving = false;
  #lastMs = 0;

  /** Has the next image set the range at once. */
  reset(): void {
    this.#known = false;
  }

  /** Samples an image, at a time of the clock. */
  observe(depth: Uint16Array, metresPerUnit: number, nowMs: number): void {
    const valid = this.#sample(depth);
    if (valid.length === 0) return;
    const at = (share: number) => valid[Math.round(share * (valid.length - 1))] * metresPerUnit;
    const near = at(NEAR_SHARE);
    const far = Math.max(at(FAR_SHARE), near * 1.1);
    const passedMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    if (!this.#known) {
      this.#known = true;
      this.#moving = false;
      [this.nearM, this.farM] = [near, far];
      return;
    }
    const off = Math.max(Math.abs(Math.log(near / this.nearM)), Math.abs(Math.log(far / this.farM)));
    this.#moving = off > (this.#moving ? STOPS : STARTS);
    if (!this.#moving) return;
    const part = 1 - Math.exp(-passedMs / SLOWNESS_MS);
    this.nearM *= (near / this.nearM) ** part;
    this.farM *= (far / this.farM) ** part;
  }

  /** Valid depths, sampled evenly over the image and sorted. */
  #sample(depth: Uint16Array): Uint16Array {
    const samples = this.#samples;
    let count = 0;
    // Steps by the golden section spread evenly over any image, and never run along its columns.
    for (let i = 0, at = 0; i < SAMPLES; i++, at = (at + GOLDEN) % 1) {
      const value = depth[Math.floor(at * depth.length)];
      if (value !== 0) samples[count++] = value;
    }
    return samples.subarray(0, count).sort();
  }
}
