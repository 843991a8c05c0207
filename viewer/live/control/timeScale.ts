import type { Recording } from "../../../sources/index.ts";

/** The times between two ticks that people count in, s. */
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

/** A tick of the timeline's scale. */
export interface Tick {
  /** Its place: 0 at the first frame, 1 at the last. */
  readonly share: number;
  readonly text: string;
}

type Timed = Pick<Recording, "length" | "fps" | "timestampOf">;

/** The time of a frame since the first one, s, by the frames' own timestamps if the recording knows them. */
export function secondsAt(recording: Timed, index: number): number {
  const { fps } = recording;
  const since = (recording.timestampOf?.(index) ?? Number.NaN) - (recording.timestampOf?.(0) ?? 0);
  return Number.isFinite(since) ? since / 1000 : fps > 0 ? index / fps : 0;
}

/** From 2000 to 2100, ms since 1970: times of a clock that began with the device lie before. */
const YEAR_2000 = 946_684_800_000;
const YEAR_2100 = 4_102_444_800_000;

/** The date of a time in ms since 1970; `undefined` for a time of a clock that counts from a moment of its own. */
export const dateOf = (ms: number): Date | undefined => (ms > YEAR_2000 && ms < YEAR_2100 ? new Date(ms) : undefined);

/** When a frame was taken, where the recording's clock tells the date. */
export const stampAt = (recording: Pick<Recording, "timestampOf">, index: number): Date | undefined =>
  dateOf(recording.timestampOf?.(index) ?? 0);

/** A date and time of day where the page is: "2026-11-27 14:03:22.517". */
export function spellStamp(stamp: Date): string {
  const local = new Date(stamp.getTime() - stamp.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, -1).replace("T", " ");
}

/** At most `most` ticks at round times, not closer than frames; none where there would be a single one, or the recording has no time. */
export function ticksOf(recording: Timed, most: number): Tick[] {
  const last = recording.length - 1;
  const total = last > 0 ? secondsAt(recording, last) : 0;
  if (!(total > 0) || most < 2) return [];
  // The mean time between frames is too long where the camera paused, and the nominal one where the rate is a guess.
  const period = Math.min(total / last, recording.fps > 0 ? 1 / recording.fps : Number.POSITIVE_INFINITY);
  const found = STEPS.find((one) => total / one < most && one >= 0.99 * period);
  const step = found ?? 3600 * Math.ceil(total / most / 3600 + 1e-9);
  const ticks: Tick[] = [];
  for (let i = 0; i * step <= total; i++) {
    const share = frameAt(recording, i * step) / last;
    // Where the recording pauses, many times fall between two frames.
    const apart = share - (ticks.at(-1)?.share ?? Number.NEGATIVE_INFINITY);
    if (apart >= 0.8 / most) ticks.push({ share, text: spell(i * step, step, total) });
  }
  return ticks.length > 1 ? ticks : [];
}

/** The place of a time among the frames, which may lie between two. */
export function frameAt(recording: Timed, seconds: number): number {
  let [low, high] = [0, recording.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (secondsAt(recording, middle) < seconds) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return 0;
  const [before, after] = [secondsAt(recording, low - 1), secondsAt(recording, low)];
  return low - Math.min(1, Math.max(0, (after - seconds) / (after - before || 1)));
}

function spell(seconds: number, step: number, total: number): string {
  if (total < 60) return `${seconds.toFixed(step < 0.1 ? 2 : step < 1 ? 1 : 0)} s`;
  const two = (value: number) => `${Math.floor(value)}`.padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
