/** Gaps in the times of a recording's frames. */
interface Gaps {
  readonly dropped: number;
  readonly gaps: number;
  readonly longestGapMs: number;
  readonly durationMs: number;
}

/** A gap is longer than this many periods. */
const LATE = 1.5;

/**
 * Looks for gaps in the times of frames, in ms and in the frames' order. The period is the median time between two frames. A gap of n
 * periods, rounded, counts as n − 1 dropped frames. Where the clock steps back, one period has passed.
 */
export function gapsIn(times: readonly number[]): Gaps {
  const steps = times.slice(1).map((time, i) => time - times[i]);
  const forward = steps.filter((step) => step > 0).sort((a, b) => a - b);
  const period = forward[forward.length >> 1] ?? 0;
  const back = steps.filter((step) => step < 0);
  const late = period > 0 ? forward.filter((step) => step > LATE * period) : [];
  return {
    dropped: late.reduce((sum, step) => sum + Math.round(step / period) - 1, 0),
    gaps: late.length,
    longestGapMs: late.at(-1) ?? 0,
    durationMs: back.reduce(
      (sum, step) => sum + period - step,
      times.length > 1 ? times[times.length - 1] - times[0] : 0,
    ),
  };
}
