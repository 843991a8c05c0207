import { Hist } from "./hist.ts";
import { beside, type Depth, median, picked, ratio, steps, within3 } from "./image.ts";

/** What does not move in a recording from a fixed camera. */
export interface Still {
  /** Each pixel's median over time, mm, to a fifth of a unit. */
  readonly reference: Depth;
  /** Valid in 80 % of the frames, and jumps by more than 5 % in fewer than 5 % of them. */
  readonly mask: Uint8Array;
  /** One step of the sensor at each pixel's depth, mm: the gap between neighbouring values that raw ever takes there. */
  readonly stepMm: Float64Array;
  readonly share: number;
}

/** Finds it. `frames` are in units, 0 for none. */
export function stillOf(frames: readonly Uint16Array[], width: number, mmPerUnit: number): Still {
  const size = frames[0].length;
  const reference = new Float32Array(size);
  const mask = new Uint8Array(size);
  const values: number[] = [];
  for (let i = 0; i < size; i++) {
    let jumps = 0;
    values.length = 0;
    for (let t = 0; t < frames.length; t++) {
      const z = frames[t][i];
      if (z > 0) values.push(z);
      const before = t > 0 ? frames[t - 1][i] : 0;
      if (z > 0 && before > 0 && Math.abs(z - before) > 0.05 * Math.min(z, before)) jumps++;
    }
    if (values.length === 0) continue;
    const fifths = Math.min(65535, toEven(median(values) * 5));
    reference[i] = Math.fround(fifths * (mmPerUnit / 5));
    const holds = values.length / frames.length >= 0.8 && jumps / frames.length < 0.05;
    mask[i] = holds && fifths > 0 ? 1 : 0;
  }
  const share = mask.reduce((sum, m) => sum + m, 0) / size;
  const image = { width, height: size / width, mm: reference };
  return { reference: image, mask, stepMm: stepsAt(frames, reference, mmPerUnit), share };
}

/** The nearest whole number; of two the even one. */
const toEven = (x: number) => (x % 1 === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

function stepsAt(frames: readonly Uint16Array[], reference: Float32Array, mmPerUnit: number): Float64Array {
  const counts = new Uint32Array(65536);
  for (const t of picked(frames.length)) for (const z of frames[t]) counts[z]++;
  counts[0] = 0;
  const levels = Uint32Array.from(counts.keys()).filter((z) => counts[z] >= 3);
  const all = Array.from(levels.subarray(1), (z, k) => z - levels[k]);
  const gaps = all.map((gap, k) => Math.min(gap, 1.5 * median(all.slice(Math.max(0, k - 7), k + 8))));
  const finest = Array.from(levels, (_, k) =>
    Math.min(gaps[Math.max(0, k - 1)] ?? 1, gaps[Math.min(k, gaps.length - 1)] ?? 1),
  );
  return Float64Array.from(reference, (mm) => {
    const units = Math.round(mm / mmPerUnit);
    let [low, high] = [0, levels.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (levels[middle] < units) low = middle + 1;
      else high = middle;
    }
    return Math.max(finest[Math.min(low, levels.length - 1)] ?? 1, 1) * mmPerUnit;
  });
}

/** What of a frame the still part's figures ask for; the same for every filter. */
export interface StillFrame {
  readonly raw: Depth;
  /** By pixel of the mask: raw is there and more, or less, than 5 % off the reference. */
  readonly moving: Uint8Array;
  readonly there: Uint8Array;
  /** At least 3 px from any step of raw, and not beside a hole. */
  readonly calm: Uint8Array;
}

export function stillFrame(raw: Depth, { reference, mask }: Still): StillFrame {
  const moving = new Uint8Array(mask.length);
  const there = new Uint8Array(mask.length);
  raw.mm.forEach((z, i) => {
    if (!(mask[i] && z > 0)) return;
    const at = reference.mm[i];
    (Math.abs(z - at) > Math.fround(Math.fround(0.05) * at) ? moving : there)[i] = 1;
  });
  const near = within3(steps(raw, 0.04), raw.width);
  const holes = beside(
    Uint8Array.from(raw.mm, (z) => (z > 0 ? 0 : 1)),
    raw.width,
  );
  return { raw, moving, there, calm: near.map((edge, i) => (edge || holes[i] ? 0 : 1)) };
}

export interface Jitter {
  readonly n: number;
  /** Standard deviation over time, the median over pixels, mm. */
  readonly raw: number;
  readonly out: number;
  readonly ratio: number | null;
}

export interface StillFigures {
  readonly share: number;
  /** By bands of depth in metres, "1-1.5". */
  readonly jitter: Readonly<Record<string, Jitter>>;
  /** The geometric mean of the bands' ratios, weighed by pixels; bands in which most pixels never change are left out, and if all are it is 0. */
  readonly jitterRatio: number | null;
  /** The same of the root mean square over all pixels, which the few that change count in. */
  readonly jitterRmsRatio: number | null;
  /** Share of consecutive pairs that differ by a step of the sensor or more. */
  readonly changed: number | null;
  readonly changedRaw: number | null;
  /** Share of pairs whose validity differs. */
  readonly flips: number | null;
  readonly flipsRaw: number | null;
  readonly bias: number | null;
  readonly biasRaw: number | null;
  /** RMS to a local plane in 16 × 16 blocks that are planar in the reference. */
  readonly grain: number | null;
  readonly grainRaw: number | null;
  /** |output − raw| of pixels that just changed, 95 % of them, mm; and the share of them more than 5 % off. */
  readonly changedP95: number | null;
  readonly ghost: number | null;
  readonly changedCount: number;
  /** Share of pixels that showed something moving, are invalid in raw now, and have a value still. */
  readonly stale: number | null;
}

const BANDS = [0.3, 0.7, 1, 1.5, 2, 3, 4, 6, 10];
const BLOCK = 16;

interface Sums {
  readonly n: Uint16Array;
  readonly sum: Float64Array;
  readonly squares: Float64Array;
}

/** The still part's figures of what a filter made, frame by frame. */
export class StillScore {
  readonly #sums: { readonly raw: Sums; readonly out: Sums };
  readonly #changes = { raw: [0, 0], out: [0, 0] };
  readonly #flips = { raw: [0, 0], out: [0, 0] };
  readonly #grains = { raw: [] as number[], out: [] as number[] };
  readonly #blocks: readonly number[];
  readonly #just = new Hist();
  #ghosts = 0;
  #stale = [0, 0];
  #before: { frame: StillFrame; out: Float32Array } | undefined;
  #frames = 0;

  /** `warmup`: frames before jitter counts. */
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
      const [changes, flips] = [this.#changes[key], this.#flips[key]];
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
        if (!frame.moving[i] && !last.moving[i]) {
          flips[1]++;
          if (z > 0 !== before[i] > 0) flips[0]++;
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
      flips: part(this.#flips.out),
      flipsRaw: part(this.#flips.raw),
      bias: mean(out),
      biasRaw: mean(raw),
      grain: middle(this.#grains.out),
      grainRaw: middle(this.#grains.raw),
      changedP95: this.#just.quantile(0.95),
      ghost: ratio(this.#ghosts, this.#just.n),
      changedCount: this.#just.n,
      stale: part(this.#stale),
    };
  }
}

/** The first pixels of the blocks that are all in the mask and planar in the reference, to 0.4 % of their depth. */
function planarBlocks({ reference: { width, height, mm }, mask }: Still): number[] {
  const found: number[] = [];
  for (let y = 0; y + BLOCK <= height; y += BLOCK) {
    for (let x = 0; x + BLOCK <= width; x += BLOCK) {
      const first = y * width + x;
      if (!everyPixel(first, width, (i) => mask[i] === 1)) continue;
      let sum = 0;
      everyPixel(first, width, (i) => {
        sum += mm[i];
        return true;
      });
      if (toPlane(mm, first, width) < 0.004 * Math.max(sum / BLOCK ** 2, 1)) found.push(first);
    }
  }
  return found;
}

function everyPixel(first: number, width: number, holds: (i: number) => boolean): boolean {
  for (let y = 0; y < BLOCK; y++) {
    for (let i = first + y * width; i < first + y * width + BLOCK; i++) if (!holds(i)) return false;
  }
  return true;
}

/** RMS of a block to the plane of least squares through it (linear in the image). */
function toPlane(mm: Float32Array, first: number, width: number): number {
  let [sum, sx, sy, squares] = [0, 0, 0, 0];
  const middle = (BLOCK - 1) / 2;
  // Depths less the first's: squares of large numbers would lose what is looked for.
  const base = mm[first];
  for (let y = 0; y < BLOCK; y++) {
    for (let x = 0; x < BLOCK; x++) {
      const z = mm[first + y * width + x] - base;
      sum += z;
      sx += (x - middle) * z;
      sy += (y - middle) * z;
      squares += z * z;
    }
  }
  const n = BLOCK ** 2;
  const spread = (n * (n - 1)) / 12;
  return Math.sqrt(Math.max(0, squares - (sum * sum) / n - (sx * sx + sy * sy) / spread) / n);
}
