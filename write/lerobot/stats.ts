/** A feature's statistics, one number for each of its values or channels; `count` is the number of samples. */
export type Stats = Readonly<Record<string, readonly number[]>>;

/** LeRobot's quantiles (compute_stats.py, DEFAULT_QUANTILES). */
const QUANTILES = { q01: 0.01, q10: 0.1, q50: 0.5, q90: 0.9, q99: 0.99 };
/** LeRobot takes every n-th pixel of images that are larger than this, so that about `SMALL` are left on the longer side. */
const LARGE = 300;
const SMALL = 150;

/** The statistics of values in ascending order, each with how often it occurs. */
function statsOf(values: ArrayLike<number>, timesOf: (index: number) => number): Record<string, number> {
  const seen: [value: number, before: number][] = [];
  let [count, sum, squares] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const times = timesOf(i);
    if (times === 0) continue;
    const value = values[i];
    seen.push([value, count]);
    count += times;
    sum += times * value;
    squares += times * value * value;
  }
  const mean = sum / count;
  const at = (share: number) => seen.findLast(([, before]) => before <= share * (count - 1))?.[0] ?? 0;
  const quantiles = Object.entries(QUANTILES).map(([name, share]) => [name, at(share)]);
  const std = Math.sqrt(Math.max(0, squares / count - mean * mean));
  return { min: at(0), max: at(1), mean, std, count, ...Object.fromEntries(quantiles) };
}

/** The statistics of a feature with one number for each frame; `numbers` ascend. */
export const numberStats = (numbers: readonly number[]): Stats => perChannel([statsOf(numbers, () => 1)]);

/** The statistics of a feature with a list of as many numbers for each frame; those that are not known do not count. */
export const vectorStats = (lists: readonly (readonly number[])[]): Stats =>
  perChannel(
    lists[0].map((_, i) => {
      const known = lists.flatMap((list) => (Number.isFinite(list[i]) ? [list[i]] : []));
      return statsOf(known.length > 0 ? known.sort((a, b) => a - b) : [0], () => 1);
    }),
  );

const perChannel = (channels: readonly Record<string, number>[]): Stats =>
  Object.fromEntries(
    Object.keys(channels[0]).map((name) => [
      name,
      name === "count" ? [channels[0].count] : channels.map((one) => one[name]),
    ]),
  );

/** Collects the statistics of an episode's images from as many frames and pixels as LeRobot takes (compute_stats.py, `sample_images`). */
export class ImageStats {
  readonly #sampled: ReadonlySet<number>;
  readonly #times: readonly Float64Array[];
  #images = 0;

  constructor(
    /** The frames of the episode. */
    length: number,
    /** How many numbers of a pixel count, and how many it has. */
    readonly channels: number,
    readonly step: number,
    levels: number,
  ) {
    const least = Math.min(100, length);
    const samples = Math.max(least, Math.min(Math.floor(length ** 0.75), 10_000));
    const at = (i: number) => Math.round((i * (length - 1)) / Math.max(1, samples - 1));
    this.#sampled = new Set(Array.from({ length: samples }, (_, i) => at(i)));
    this.#times = Array.from({ length: channels }, () => new Float64Array(levels));
  }

  add(frame: number, data: Uint8Array | Uint16Array, width: number, height: number): void {
    if (!this.#sampled.has(frame)) return;
    this.#images++;
    const longer = Math.max(width, height);
    const every = longer < LARGE ? 1 : Math.floor(longer / SMALL);
    for (let y = 0; y < height; y += every)
      for (let x = 0; x < width; x += every)
        for (let c = 0; c < this.channels; c++) this.#times[c][data[this.step * (y * width + x) + c]]++;
  }

  /** The statistics in units of `scale`. */
  stats(scale: number): Stats {
    const levels = Float64Array.from({ length: this.#times[0].length }, (_, i) => i * scale);
    const found = perChannel(this.#times.map((times) => statsOf(levels, (i) => times[i])));
    return { ...found, count: [this.#images] };
  }
}

/** The statistics of all episodes from those of each (compute_stats.py, `aggregate_feature_stats`). */
export function aggregated(episodes: readonly Stats[]): Stats {
  const total = episodes.reduce((sum, { count }) => sum + count[0], 0);
  const weighted = (of: (stats: Stats) => number) =>
    episodes.reduce((sum, one) => sum + one.count[0] * of(one), 0) / total;
  const each = (of: (channel: number) => number) => episodes[0].mean.map((_, channel) => of(channel));
  const mean = each((c) => weighted((one) => one.mean[c]));
  const quantiles = Object.keys(QUANTILES).map((name) => [name, each((c) => weighted((one) => one[name][c]))]);
  return {
    min: each((c) => Math.min(...episodes.map((one) => one.min[c]))),
    max: each((c) => Math.max(...episodes.map((one) => one.max[c]))),
    mean,
    std: each((c) => Math.sqrt(weighted((one) => one.std[c] ** 2 + (one.mean[c] - mean[c]) ** 2))),
    count: [total],
    ...Object.fromEntries(quantiles),
  };
}
