import { RequestError } from "../run/report/failure.ts";
import { type Case, defaultCases, parseCase } from "./cases.ts";
import { DATA_KINDS, type DataKind, makeInput, openInput } from "./frames.ts";
import type { Effort } from "./measure/stopwatch.ts";
import type { BenchOptions } from "./options.ts";
import type { Input, Size } from "./types.ts";

const SIZES: readonly Size[] = [
  { width: 320, height: 240 },
  { width: 640, height: 480 },
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
  { width: 3840, height: 2160 },
  { width: 4096, height: 4096 },
];
const QUICK: readonly Size[] = SIZES.slice(1, 2);
/** The largest frame for a software GPU and for the twins, which would take seconds beyond it. */
const SLOW: readonly Size[] = SIZES.slice(0, 3);
/** The pixels of the largest frame if no sizes are given: the renderer and the twins are not made for more, and would take seconds. */
export const SLOW_PIXELS = 1920 * 1080;
/** From this size on, a frame's buffers rotate until they exceed any cache; smaller ones stay in a cache in real use, too. */
const ROTATE_FROM_PIXELS = 1.5e6;
const ROTATED_BYTES = 256 * 2 ** 20;
/** The number of a recording's frames that take turns. */
const RECORDED_IMAGES = 4;

/** The cases for one input. An input is made when its turn comes and released afterwards, since the large ones take much memory. */
export interface Job {
  readonly label: string;
  readonly cases: readonly Case[];
  open(): Promise<Input>;
}

/** The inputs and cases to measure, in order. Throws a `RequestError` for unknown stages, data and sizes. */
export function planOf({ stage, stages, data, sizes, recording, quick }: BenchOptions, slow: boolean): Job[] {
  const cases = stages === undefined ? defaultCases(stage) : stages.split(",").map(parseCase);
  const kinds = data?.split(",").map((name) => name.trim());
  for (const kind of kinds ?? []) {
    const there = Object.keys(DATA_KINDS).join(", ");
    if (!(kind in DATA_KINDS)) throw new RequestError(`--data: there is no data "${kind}"; there are ${there}`);
  }
  const jobs: Job[] = [];
  for (const size of sizes ?? (quick ? QUICK : slow ? SLOW : SIZES)) {
    for (const kind of Object.keys(DATA_KINDS) as DataKind[]) {
      const small = sizes !== undefined || size.width * size.height <= SLOW_PIXELS;
      const isHeavy = (one: Case) => kind === "moving" || one.timed.some(({ name }) => name === "dofSplat");
      const fits = (one: Case) => small || !isHeavy(one);
      const here = cases.filter((one) => (kinds ?? one.data).includes(kind) && fits(one));
      const label = `${size.width}x${size.height} ${kind}`;
      if (here.length > 0) jobs.push({ label, cases: here, open: () => makeInput(kind, size, imagesFor(size)) });
    }
  }
  for (const path of recording ?? []) {
    jobs.push({ label: path, cases, open: () => openInput(path, RECORDED_IMAGES) });
  }
  return jobs;
}

/** Whether the twins are timed on a frame: on all frames if only the CPU is measured. */
export function timesTwins({ backend }: BenchOptions, { shape: { intrinsics } }: Input): boolean {
  if (backend === "webgpu") return false;
  return backend === "cpu" || intrinsics.width * intrinsics.height <= SLOW_PIXELS;
}

/** The number of trials and the time for them. */
export function effortOf({ trials, quick }: BenchOptions, slow: boolean): Effort {
  return {
    trials: trials ?? (quick ? 5 : slow ? 15 : 25),
    targetUs: slow ? 20_000 : 2000,
    budgetMs: quick ? 400 : 3000,
  };
}

/** How many images take turns, so that no cache holds those of a large frame. */
export function imagesFor({ width, height }: Size): number {
  const pixels = width * height;
  return pixels < ROTATE_FROM_PIXELS ? 1 : Math.min(16, Math.max(2, Math.ceil(ROTATED_BYTES / (4 * pixels))));
}
