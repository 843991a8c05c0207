import { beside, type Depth, median, picked, steps, within3 } from "./image.ts";

/** The part of a recording from a fixed camera that does not move. */
export interface Still {
  /** Each pixel's median over time in mm, rounded to a fifth of a unit. */
  readonly reference: Depth;
  /** The pixels that are valid in 80 % of the frames, and jump by more than 5 % in fewer than 5 % of them. */
  readonly mask: Uint8Array;
  /** The sensor's step at each pixel's depth in mm: the gap between neighbouring values that occur in raw. */
  readonly stepMm: Float64Array;
  readonly share: number;
}

/** Finds the still part. `frames` are in units, 0 for none. */
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

/** The nearest whole number; halves go to the even one. */
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

/** Per-frame data that the still part's figures of all filters share. */
export interface StillFrame {
  readonly raw: Depth;
  /** For each pixel of the mask: whether raw is valid and more than 5 % off the reference (`moving`), or at most 5 % (`there`). */
  readonly moving: Uint8Array;
  readonly there: Uint8Array;
  /** At least 3 px away from any depth step in raw, and not beside a hole. */
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
