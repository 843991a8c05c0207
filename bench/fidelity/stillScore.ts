import { everyPixel, planarBlocks, toPlane } from "./blocks.ts";
import { Hist } from "./hist.ts";
import { type Depth, median, ratio } from "./image.ts";
import type { Still, StillFrame } from "./still.ts";

interface Jitter {
  readonly n: number;
  /** The median over pixels of the standard deviation over time, mm. */
  readonly raw: number;
  readonly out: number;
  readonly ratio: number | null;
}

export interface StillFigures {
  readonly share: number;
  /** The jitter by bands of depth in metres, "1-1.5". */
  readonly jitter: Readonly<Record<string, Jitter>>;
  /**
   * The geometric mean of the bands' ratios, weighted by pixels, without bands in which most pixels never change; 0 if that leaves none.
   */
  readonly jitterRatio: number | null;
  /** As `jitterRatio`, of the root mean square over all pixels, which includes the few that change. */
  readonly jitterRmsRatio: number | null;
  /** The share of consecutive pairs that differ by a step of the sensor or more. */
  readonly changed: number | null;
  readonly changedRaw: number | null;
  /** The share of consecutive pairs that differ in validity. */
  readonly flips: number | null;
  readonly bias: number | null;
  /** RMS distance to a local plane in 16 × 16 blocks that are planar in the reference. */
  readonly grain: number | null;
  readonly grainRaw: number | null;
  /** |output − raw| in mm of pixels that have just changed, at the 95th percentile; and the share of them that are more than 5 % off. */
  readonly changedP95: number | null;
  readonly ghost: number | null;
  /** The share of pixels that showed something moving, are invalid in raw now, and still have a value. */
  readonly stale: number | null;
}

const BANDS = [0.3, 0.7, 1, 1.5, 2, 3, 4, 6, 10];

interface Sums {
  readonly n: Uint16Array;
  readonly sum: Float64Array;
  readonly squares: Float64Array;
}

/** Accumulates the still part's figures of a filter's output, frame by frame. */
export class StillScore {
  readonly #sums: { readonly raw: Sums; readonly out: Sums };
  readonly #changes = { raw: [0, 0], out: [0, 0] };
  readonly #flips = [0, 0];
  readonly #grains = { raw: [] as number[], out: [] as number[] };
  readonly #blocks: readonly number[];
  readonly #just = new Hist();
  #ghosts = 0;
  #stale = [0, 0];
  #before: { frame: StillFrame; out: Float32Array } | undefined;
  #frames = 0;

  /** `warmup` is the number of frames before jitter counts. */
  constructor(
    readonly still: Still,
    readonly warmup = 4,
  ) {
    const sums = (): Sums => {
      const n = still.mask.length;
      return { n: new Uint16Array(n), sum: new Float64Array(n), squares: new Float64Array(n) };
    };
    this.#sums = { raw: sums(), out: sums() };
    this.#blocks = planarBlocks(still);
  }

  add(frame: StillFrame, { mm }: Depth): void {
    const before = this.#before;
    const out = mm.slice();
    if (before) this.#trails(frame, before.frame, out);
    if (before && this.#frames >= this.warmup) this.#steady(frame, before.frame, out, before.out);
    this.#before = { frame, out };
    this.#frames++;
  }

  #steady(frame: StillFrame, last: StillFrame, out: Float32Array, lastOut: Float32Array): void {
    const { mask, reference, stepMm } = this.still;
    for (const [key, now, before] of [
      ["raw", frame.raw.mm, last.raw.mm],
      ["out", out, lastOut],
    ] as const) {
      const { n, sum, squares } = this.#sums[key];
      const changes = this.#changes[key];
      for (let i = 0; i < mask.length; i++) {
        if (!mask[i]) continue;
        const z = now[i];
        if (frame.there[i] && last.there[i] && z > 0) {
          const d = z - reference.mm[i];
          n[i]++;
          sum[i] += d;
          squares[i] += d * d;
          if (before[i] > 0) {
            changes[1]++;
            if (Math.abs(z - before[i]) > stepMm[i] - 0.11) changes[0]++;
          }
        }
        if (key === "out" && !frame.moving[i] && !last.moving[i]) {
          this.#flips[1]++;
          if (z > 0 !== before[i] > 0) this.#flips[0]++;
        }
      }
    }
    for (const block of this.#blocks) {
      if (!everyPixel(block, reference.width, (i) => frame.there[i] === 1 && out[i] > 0)) continue;
      this.#grains.raw.push(toPlane(frame.raw.mm, block, reference.width));
      this.#grains.out.push(toPlane(out, block, reference.width));
    }
  }

  #trails(frame: StillFrame, last: StillFrame, out: Float32Array): void {
    const { raw, moving, there, calm } = frame;
    for (let i = 0; i < out.length; i++) {
      const z = raw.mm[i];
      if (last.moving[i] && !(z > 0)) {
        this.#stale[1]++;
        if (out[i] > 0) this.#stale[0]++;
      }
      if (!calm[i] || !(out[i] > 0)) continue;
      const turned = (moving[i] && last.there[i]) || (there[i] && last.moving[i]);
      const jumped = moving[i] && last.moving[i] && Math.abs(z - last.raw.mm[i]) > 0.05 * z;
      if (!turned && !jumped) continue;
      const off = Math.abs(out[i] - z);
      this.#just.add(off);
      if (off > 0.05 * z) this.#ghosts++;
    }
  }

  figures(): StillFigures {
    const { reference, mask, share } = this.still;
    const need = Math.max(4, 0.5 * (this.#frames - this.warmup));
    const { raw, out } = this.#sums;
    const good = [...mask.keys()].filter((i) => raw.n[i] >= need && out.n[i] >= need);
    const spread = ({ n, sum, squares }: Sums, i: number) =>
      Math.sqrt(Math.max(0, squares[i] - sum[i] ** 2 / n[i]) / (n[i] - 1));
    const mean = ({ n, sum }: Sums) => (good.length > 0 ? median(good.map((i) => sum[i] / n[i])) : null);
    const rms = (sums: Sums) => Math.sqrt(good.reduce((sum, i) => sum + spread(sums, i) ** 2, 0) / (good.length || 1));
    const jitter: Record<string, Jitter> = {};
    let [logs, weight] = [0, 0];
    for (let k = 0; k + 1 < BANDS.length; k++) {
      const [low, high] = [BANDS[k] * 1000, BANDS[k + 1] * 1000];
      const band = good.filter((i) => reference.mm[i] >= low && reference.mm[i] < high);
      if (band.length <= 500) continue;
      const [r, o] = [raw, out].map((sums) => median(band.map((i) => spread(sums, i))));
      const share = ratio(o, r);
      jitter[`${BANDS[k]}-${BANDS[k + 1]}`] = { n: band.length, raw: r, out: o, ratio: share };
      if (!share) continue;
      logs += band.length * Math.log(share);
      weight += band.length;
    }
    const part = ([some, all]: readonly number[]) => ratio(some, all);
    const middle = (values: readonly number[]) => (values.length > 0 ? median(values) : null);
    return {
      share,
      jitter,
      jitterRatio: weight > 0 ? Math.exp(logs / weight) : Object.keys(jitter).length > 0 ? 0 : null,
      jitterRmsRatio: ratio(rms(out), rms(raw)),
      changed: part(this.#changes.out),
      changedRaw: part(this.#changes.raw),
      flips: part(this.#flips),
      bias: mean(out),
      grain: middle(this.#grains.out),
      grainRaw: middle(this.#grains.raw),
      changedP95: this.#just.quantile(0.95),
      ghost: ratio(this.#ghosts, this.#just.n),
      stale: part(this.#stale),
    };
  }
}
