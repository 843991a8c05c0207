/**
 * Formats milliseconds with three digits, but no finer than the clock's step: "0.042", "1.23", "18.4", "140", "<0.1". A `stepUs` of 0 means
 * a clock without steps.
 */
export function formatMs(ms: number, stepUs = 0): string {
  const step = stepUs / 1000;
  if (step > 0 && ms < step / 2) return `<${step}`;
  const figures = ms >= 99.95 ? 0 : ms >= 9.995 ? 1 : ms >= 0.995 ? 2 : 3;
  const known = step > 0 ? Math.max(0, Math.ceil(-Math.log10(step))) : figures;
  return ms.toFixed(Math.min(figures, known));
}

/** Formats a share of the budget: "<1 %", "42 %", ">999 %". */
export function formatShare(share: number): string {
  if (share > 9.99) return ">999 %";
  return share < 0.005 ? "<1 %" : `${Math.round(share * 100)} %`;
}

/** Names the clock that times come from, and its resolution. */
export function describeClock(clock: "gpu" | "wall", stepUs: number): string {
  const name = clock === "gpu" ? "GPU clock" : "wall clock";
  return stepUs >= 1 ? `${name}, ${stepUs} µs steps` : name;
}

/** The window in ms over which frames per second are counted. */
const FPS_WINDOW_MS = 2000;
/** Frames further apart than this, in ms, do not belong to one stream: each was asked for singly. */
const LONG_MS = 5000;

/**
 * Frames per second from arrival times in ms; removes old arrivals from the list. A rate too slow to be counted comes from the time since
 * the last arrival but one. Returns 0 where the next frame is long overdue.
 */
export function framesPerSecond(arrivals: number[], nowMs: number): number {
  const recent = arrivals.filter((ms) => ms >= nowMs - FPS_WINDOW_MS).length;
  arrivals.splice(0, arrivals.length - Math.max(recent, 2));
  if (recent > 2) return recent / (FPS_WINDOW_MS / 1000);
  const [last = Number.NEGATIVE_INFINITY, before = Number.NEGATIVE_INFINITY] = arrivals.slice(-2).reverse();
  const apart = last - before;
  return apart < LONG_MS && nowMs - last < 1.5 * apart + 500 ? 1000 / apart : 0;
}

/** A copy of a document with its numbers rounded to six decimals: of milliseconds further digits mean nothing. */
export function rounded(document: object): unknown {
  return JSON.parse(
    JSON.stringify(document, (_, value) => (typeof value === "number" ? Math.round(value * 1e6) / 1e6 : value)),
  );
}
