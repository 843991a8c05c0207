import type { Row } from "./row.ts";

/** A column of the quality table. */
export interface Column {
  readonly name: keyof Row;
  /** Its head on the page. */
  readonly title: string;
  /** The column's explanation on the page. */
  readonly about: string;
  /** Formats a number for the page; files have the number itself. */
  readonly as?: (value: number) => string;
}

const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
const mm = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} mm`;
const noise = (metres: 1 | 2 | 3 | 4): Column => ({
  name: `noise${metres}m`,
  title: `noise at ${metres} m`,
  about: `standard deviation of depth at ${metres} m; empty where the first frames measure nothing near there`,
  as: mm,
});

/** The columns in their order; all but the first three can be required. */
export const COLUMNS: readonly Column[] = [
  { name: "recording", title: "recording", about: "its path below the inputs' root" },
  { name: "state", title: "state", about: "good, opened with a warning, short of what was required, or failed" },
  { name: "why", title: "why", about: "the first warning, what it falls short of, or why it failed" },
  { name: "format", title: "format", about: "the recording's format" },
  { name: "width", title: "width", about: "pixels of the first frame" },
  { name: "height", title: "height", about: "pixels of the first frame" },
  { name: "frames", title: "frames", about: "frames that could be read" },
  { name: "unreadable", title: "unreadable", about: "frames that could not be read" },
  { name: "empty", title: "empty", about: "frames without a valid pixel" },
  { name: "dropped", title: "dropped", about: "frames that are missing by the times of the others" },
  { name: "gaps", title: "gaps", about: "times that the next frame came later than after 1.5 periods" },
  {
    name: "longestGapMs",
    title: "longest gap",
    about: "the longest of these gaps",
    as: (ms) => `${Math.round(ms)} ms`,
  },
  { name: "durationMs", title: "duration", about: "first frame to last", as: (ms) => `${(ms / 1000).toFixed(1)} s` },
  { name: "fps", title: "fps", about: "nominal frames per second" },
  { name: "valid", title: "valid", about: "pixels with a measurement, of all", as: percent },
  { name: "fill", title: "fill", about: "pixels with a measurement, of those that ever had one", as: percent },
  { name: "flying", title: "flying", about: "flying pixels and small islands, of the valid pixels", as: percent },
  ...([1, 2, 3, 4] as const).map(noise),
  { name: "colour", title: "colour", about: "frames with colour", as: percent },
  {
    name: "colourRepeats",
    title: "colour repeats",
    about: "frames whose colour is that of the frame before: the cameras are out of step",
    as: percent,
  },
  { name: "warned", title: "warned", about: "warnings on opening: what was assumed, left out or read in part" },
  { name: "overBudget", title: "over budget", about: "frames whose filters took longer than 33 ms", as: percent },
  { name: "seconds", title: "seconds", about: "how long the recording took" },
  { name: "bytes", title: "size", about: "bytes of the recording's files", as: (n) => `${(n / 1e6).toFixed(1)} MB` },
  { name: "secondsPerGB", title: "s per GB", about: "seconds for each GB of the recording" },
];

/** The columns of numbers: what can be required. */
export const NUMBERS = COLUMNS.filter(({ name }) => !["recording", "state", "why", "format"].includes(name));
