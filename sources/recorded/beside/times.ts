import { baseOf } from "../../files/files.ts";

/** Seconds, milliseconds, microseconds and nanoseconds, in ms. */
export const UNITS = [1000, 1, 1e-3, 1e-6];
/** Ticks of 100 ns since 1601 (Windows), the year 1 (.NET) or 1970 in this century, and a tick in ms. */
export const TICKS = /^(1[23]\d{16}|6[345]\d{16}|1[3-9]\d{15})$/;
export const TICK_MS = 1e-4;
/** The shortest and the longest step between a camera's frames, and the step of dates, ms. */
const SHORTEST = 3;
const LONGEST = 20_000;
const DAY = 86_400_000;
const QUICK = 2000;
/** The longest step between frames whose times may be ticks or nanoseconds, ms. */
const SLOW = 500;
/** The share of the steps that are near the median one: the others are gaps. */
const EVEN = 0.6;

/**
 * The times in ms that names tell, one each: seconds with decimals ("305.377", "1305031102.1604"), whole seconds, ms, µs or ns of a clock
 * (ten digits and more), or dates ("20240131_120000_123"). `undefined` where they tell none: times differ, and most steps are alike.
 */
export function timesIn(names: readonly string[]): number[] | undefined {
  if (names.length === 0) return undefined;
  const dates = names.map(dateIn);
  if (dates.every((time) => time !== undefined) && isEven(dates, DAY)) return dates;
  // Seconds and nanoseconds in two numbers, as ROS writes stamps: "1700000000_033000000".
  const tokens = names.map(
    (name) =>
      stem(name)
        .replace(/(?<!\d)(\d{9,10})[-_ ,](\d{9}|\d{6})(?!\d)/, "$1.$2")
        .match(/\d+(\.\d+)?/g) ?? [],
  );
  for (let from = tokens[0].length - 1; from >= 0; from--) {
    const texts = tokens.map((list) => list[from] ?? "");
    const seconds = texts.every((text) => /^\d{1,12}\.\d{3,}$/.test(text));
    if (!seconds && !texts.every((text) => /^\d{10,20}(\.\d+)?$/.test(text))) continue;
    const units = texts.every((text) => TICKS.test(text)) ? [TICK_MS] : UNITS;
    const numbers = texts.map(Number);
    if (!seconds && texts.some((text) => text[0] === "0") && areCounted(numbers)) continue;
    const times = timesInUnit(numbers, units);
    if (times) return times;
  }
  return undefined;
}

/**
 * Whether numbers count frames (every frame, or one in several): all steps are multiples of the smallest step, which in µs is no camera's.
 */
function areCounted(numbers: readonly number[]): boolean {
  const sorted = numbers.toSorted((a, b) => a - b);
  const steps = sorted.slice(1).map((one, i) => one - sorted[i]);
  const least = steps.reduce((least, step) => Math.min(least, step), Number.POSITIVE_INFINITY);
  return least < 1000 * SHORTEST && steps.every((step) => step % least === 0);
}

/** The times in ms of numbers in `unit`, else in whichever unit makes them a camera's; `undefined` where none does. */
export function timesFrom(numbers: readonly number[], unit?: number): number[] | undefined {
  if (numbers.length < 2) return undefined;
  // Dates come as ms since 1970 whatever the name says.
  if (unit !== undefined && numbers.every((one) => one * unit < 4e12))
    return new Set(numbers).size === numbers.length ? numbers.map((one) => one * unit) : undefined;
  const ticks = numbers.map((one) => one * TICK_MS);
  // A machine that has run for months counts as many nanoseconds as there are ticks since 1970; as ticks their steps would be too long.
  const areTicks = numbers.every((one) => TICKS.test(one.toFixed(0))) && (numbers[0] > 1e17 || isEven(ticks, SLOW));
  return timesInUnit(numbers, areTicks ? [TICK_MS] : UNITS);
}

/** Several units may fit (60 a second in µs are 17 s in ms). Times since 2010 are the likeliest, then steps below 2 s. */
function timesInUnit(numbers: readonly number[], units: readonly number[]): number[] | undefined {
  const all = units.map((unit) => numbers.map((one) => one * unit)).filter((times) => isEven(times));
  const quick = all.filter((times) => isEven(times, QUICK));
  const isNow = ([time]: readonly number[]) => time > 1.26e12 && time < 4e12;
  return quick.find(isNow) ?? all.find(isNow) ?? quick[0] ?? all[0];
}

/** Whether times may be those of frames: all differ, most steps are alike, and a camera can have them. A lone time must be of our days. */
function isEven(times: readonly number[], longest = LONGEST): boolean {
  if (times.length === 1) return times[0] > 1e11 && times[0] < 4e12;
  const sorted = times.toSorted((a, b) => a - b);
  const steps = sorted.slice(1).map((time, i) => time - sorted[i]);
  const median = steps.toSorted((a, b) => a - b)[steps.length >> 1];
  const near = steps.filter((step) => step > 0.5 * median && step < 1.5 * median).length;
  return steps.every((step) => step > 0) && median >= SHORTEST && median <= longest && near >= EVEN * steps.length;
}

/** Says that most frames have no pose. */
export const fewPosed = (found: number, count: number, withinMs: number): string =>
  `${found} of ${count} frames have a pose, the others none within ${withinMs} ms of their time`;

const stem = (name: string) => baseOf(name).replace(/\.[a-z]\w*$/i, "");

const DATE =
  /(?<!\d)((?:19|20)\d\d)[-_.]?(\d\d)[-_.]?(\d\d)[-_.T ]*(\d\d)[-_.:h]?(\d\d)[-_.:m]?(\d\d)(?:[-_., ]?(\d{1,9}))?(?!\d)/;
/** A time of day with a fraction: "12-00-00-033000". */
const CLOCK = /(?<!\d)(\d\d)[-_.:h](\d\d)[-_.:m](\d\d)[-_.,](\d{3,9})(?!\d)/;

/** The time in ms of a date in a text; `undefined` where it has none. */
export function dateIn(name: string): number | undefined {
  const clock = CLOCK.exec(stem(name));
  const found = DATE.exec(stem(name)) ?? (clock && ["", "1970", "1", "1", ...clock.slice(1)]);
  if (!found) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number);
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60 && second < 61;
  return isDate
    ? Date.UTC(year, month - 1, day, hour, minute, second) + 1000 * Number(`0.${found[7] ?? 0}`)
    : undefined;
}
