/**
 * Milliseconds to three figures, but none finer than the clock's step: "0.042", "1.23", "18.4", "140", "<0.1".
 * `stepUs` 0: a clock without steps.
 */
export function formatMs(ms: number, stepUs = 0): string {
  const step = stepUs / 1000;
  if (step > 0 && ms < step / 2) return `<${step}`;
  const figures = ms >= 99.95 ? 0 : ms >= 9.995 ? 1 : ms >= 0.995 ? 2 : 3;
  const known = step > 0 ? Math.max(0, Math.ceil(-Math.log10(step))) : figures;
  return ms.toFixed(Math.min(figures, known));
}

/** A share of the budget: "<1 %", "42 %", ">999 %". */
export function formatShare(share: number): string {
  if (share > 9.99) return ">999 %";
  return share < 0.005 ? "<1 %" : `${Math.round(share * 100)} %`;
}

/** Whose clock times come from, and how fine it is. */
export function describeClock(clock: "gpu" | "wall", stepUs: number): string {
  const name = clock === "gpu" ? "GPU clock" : "wall clock";
  return stepUs >= 1 ? `${name}, ${stepUs} µs steps` : name;
}

/** Frames a second are counted over so long. */
const FPS_WINDOW_MS = 2000;
/** Frames so far apart do not follow each other: one was asked for by itself. */
const LONG_MS = 5000;

/**
 * Frames a second from the times of their arrival in ms, of which those that do not count any more are taken out. Where they
 * come slower than can be counted, by how long ago the one before the last was; 0 where one is long overdue.
 */
export function framesPerSecond(arrivals: number[], nowMs: number): number {
  while (arrivals.length > 2 && (arrivals[0] ?? nowMs) < nowMs - FPS_WINDOW_MS) arrivals.shift();
  const recent = arrivals.filter((ms) => ms >= nowMs - FPS_WINDOW_MS).length;
  if (recent > 2) return recent / (FPS_WINDOW_MS / 1000);
  const [last = Number.NEGATIVE_INFINITY, before = Number.NEGATIVE_INFINITY] = arrivals.slice(-2).reverse();
  const apart = last - before;
  return apart < LONG_MS && nowMs - last < 1.5 * apart + 500 ? 1000 / apart : 0;
}
