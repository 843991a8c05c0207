import type { BenchOptions } from "../../viewer/cli/bench.ts";
import { UsageError } from "../../viewer/report/failure.ts";
import { type Case, defaultCases, parseCase } from "./cases.ts";
import { DATA_KINDS, type DataKind, makeInput, openInput } from "./frames.ts";
import type { Effort } from "./measure/gpu.ts";
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
/** A software GPU, and the twins, take seconds for a frame beyond. */
const SLOW: readonly Size[] = SIZES.slice(0, 3);
/** Where nothing is asked for: the renderer and the twins take seconds for a frame beyond, and are not made for it. */
const SLOW_PIXELS = 1920 * 1080;
/** From this size on a frame's buffers are rotated until they are past any cache: smaller ones are in a cache in real use too. */
const ROTATE_FROM_PIXELS = 1.5e6;
const ROTATED_BYTES = 256 * 2 ** 20;
/** Of a recording: how many frames take turns. */
const RECORDED_IMAGES = 4;

/** Cases on one input. The input is made when its turn comes and forgotten after it: the large ones are large. */
export interface Job {
  readonly label: string;
  readonly cases: readonly Case[];
  open(): Promise<Input>;
}

/** What is to be measured, in order. Throws a `UsageError` for stages, data and sizes that do not exist. */
export function planOf({ stage, stages, data, sizes, recording, quick }: BenchOptions, slow: boolean): Job[] {
  const cases = stages === undefined ? defaultCases(stage) : stages.split(",").map(parseCase);
  const kinds = data?.split(",").map((name) => name.trim());
  for (const kind of kinds ?? []) {
    const there = Object.keys(DATA_KINDS).join(", ");
    if (!(kind in DATA_KINDS)) throw new UsageError(`--data: there is no data "${kind}"; there are ${there}`);
  }
  const jobs: Job[] = [];
  for (const size of sizes ?? (quick ? QUICK : slow ? SLOW : SIZES)) {
    for (const kind of Object.keys(DATA_KINDS) as DataKind[]) {
      const small = sizes !== undefined || size.width * size.height <= SLOW_PIXELS;
      const fits = (one: Case) => small || !one.timed.some(({ name }) => name === "dofSplat");
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

/** Whether the twins of a frame are timed: all of them where they alone are asked for. */
export function timesTwins({ backend }: BenchOptions, { shape: { intrinsics } }: Input): boolean {
  if (backend === "webgpu") return false;
  return backend === "cpu" || intrinsics.width * intrinsics.height <= SLOW_PIXELS;
}

/** How hard to try. */
export function effortOf({ trials, quick }: BenchOptions, slow: boolean): Effort {
  return {
    trials: trials ?? (quick ? 5 : slow ? 15 : 25),
    targetUs: slow ? 20_000 : 2000,
    budgetMs: quick ? 400 : 3000,
  };
}

function imagesFor({ width, height }: Size): number {
  const pixels = width * height;
  return pixels < ROTATE_FROM_PIXELS ? 1 : Math.min(16, Math.max(2, Math.ceil(ROTATED_BYTES / (4 * pixels))));
}
