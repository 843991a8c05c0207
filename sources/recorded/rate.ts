/** The slowest time lapse, a frame in some hours, and the fastest camera, in frames per second. */
const [SLOWEST, FASTEST] = [1e-4, 1e4];

/** Whether a camera can have this frame rate: times in a file may say anything. */
export const isRate = (fps: number): boolean => fps >= SLOWEST && fps <= FASTEST;

/**
 * Frames per second from the median step between times in ms, rounded to a tenth, slow rates to two digits; `undefined` where the times
 * give none.
 */
export function rateOf(times: ArrayLike<number>): number | undefined {
  const steps = Float64Array.from({ length: Math.max(0, times.length - 1) }, (_, i) => times[i + 1] - times[i]).sort();
  const rate = 1000 / steps[steps.length >> 1];
  if (!(rate > 0 && Number.isFinite(rate))) return undefined;
  return rate < 1 ? Number(rate.toPrecision(2)) : Math.round(10 * rate) / 10;
}
