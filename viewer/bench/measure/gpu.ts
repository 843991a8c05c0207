import type { Gpu } from "../../../pipeline/device/gpu.ts";
import { type Method, type Spread, spreadOf } from "../types.ts";
import { type Lane, runLane } from "./lanes.ts";
import { Stopwatch } from "./stopwatch.ts";

export interface Effort {
  readonly trials: number;
  /** How long the work between two stamps should take, so that the stamps' resolution and cost do not matter. */
  readonly targetUs: number;
  /** Trials stop when this time is spent, but not before the third; when four times this is spent, after the first. */
  readonly budgetMs: number;
}

export interface Timing extends Spread {
  readonly method: Method;
  readonly clock: "gpu" | "wall";
  readonly repeats: number;
}

type Layout = "pass" | "passes" | "stamped";
const MOST_REPEATS = 512;
/** An H200 that was idle for two seconds, as while a twin is computed, runs at a sixth of its clock rate; 0.2 s of work restore it. */
const WARM_MS = 500;
const LONGEST_WARM_MS = 3000;

/**
 * Times a case on its lanes. Frames run one after the other; each waits for the one before, because it writes what an earlier one wrote.
 * For stages with a memory each is the next frame of a film. With several stages, the cost of a pass per stage and of its stamps is
 * measured as well.
 */
export async function timeOnGpu(gpu: Gpu, lanes: readonly Lane[], effort: Effort): Promise<Timing[]> {
  const stopwatch = new Stopwatch(gpu);
  try {
    const repeats = await calibrate(stopwatch, lanes, effort);
    const stages = lanes[0]?.steps.length ?? 0;
    const layouts: Layout[] = stages > 1 && gpu.timestamps ? ["pass", "passes", "stamped"] : ["pass"];
    const timings: Timing[] = [];
    for (const layout of layouts) {
      const count = layout === "stamped" ? Math.min(repeats, Math.floor((Stopwatch.CAPACITY - 1) / stages)) : repeats;
      const micros = await trials(effort, () => timeFrames(stopwatch, lanes, count, layout));
      const spread = spreadOf(micros.map((us) => us / count));
      timings.push({ ...spread, method: layout, clock: stopwatch.clock, repeats: count });
    }
    const alone = await trials(effort, (trial) => timeSubmit(gpu, lanes[trial % lanes.length]));
    timings.push({ ...spreadOf(alone), method: "submit", clock: "wall", repeats: 1 });
    return timings;
  } finally {
    stopwatch.destroy();
  }
}

/**
 * The number of frames that fills the target time; every lane runs equally often, at least once. It goes on until the device has been busy
 * for a while, since its clock rate rises under load.
 */
async function calibrate(stopwatch: Stopwatch, lanes: readonly Lane[], { targetUs }: Effort): Promise<number> {
  const begin = performance.now();
  let repeats = lanes.length;
  for (;;) {
    const us = (await timeFrames(stopwatch, lanes, repeats, "pass")) ?? targetUs;
    const wanted = Math.min(MOST_REPEATS, Math.max(1, (repeats * targetUs) / us), repeats * 8);
    const settled = wanted <= repeats * 1.5;
    repeats = Math.ceil(wanted / lanes.length) * lanes.length;
    const spent = performance.now() - begin;
    if ((settled && spent > WARM_MS) || spent > LONGEST_WARM_MS) return repeats;
  }
}

function timeFrames(stopwatch: Stopwatch, lanes: readonly Lane[], repeats: number, layout: Layout) {
  const stages = lanes[0]?.steps.length ?? 0;
  const last = layout === "stamped" ? repeats * stages : 1;
  return stopwatch.time(last, (encoder, stamp) => {
    if (layout === "pass") {
      const pass = encoder.beginComputePass(stamp({ begin: 0, end: 1 }));
      for (let r = 0; r < repeats; r++) {
        const { steps, film } = lanes[r % lanes.length];
        const moment = film.next();
        for (const { built } of steps) built.encode(pass, moment);
      }
      pass.end();
      return;
    }
    for (let r = 0, passes = 0; r < repeats; r++) {
      const { steps, film } = lanes[r % lanes.length];
      const moment = film.next();
      for (const { built } of steps) {
        const first = passes++ === 0;
        const end = layout === "stamped" ? passes : passes === repeats * stages ? 1 : undefined;
        const pass = encoder.beginComputePass(stamp({ ...(first && { begin: 0 }), ...(end !== undefined && { end }) }));
        built.encode(pass, moment);
        pass.end();
      }
    }
  });
}

async function timeSubmit({ device }: Gpu, lane: Lane): Promise<number> {
  const begin = performance.now();
  runLane(device, lane);
  await device.queue.onSubmittedWorkDone();
  return (performance.now() - begin) * 1000;
}

/** Runs two warm-ups, then as many trials as the budget allows; runs whose clock went backwards are left out. */
async function trials({ trials: count, budgetMs }: Effort, run: (trial: number) => Promise<number | null>) {
  const micros: number[] = [];
  const begin = performance.now();
  for (let trial = -2; trial < count; trial++) {
    const us = await run(trial + 2);
    const spent = performance.now() - begin;
    if (us !== null && (trial >= 0 || spent > budgetMs)) micros.push(us);
    if (spent > budgetMs && (micros.length >= 3 || spent > 4 * budgetMs) && micros.length > 0) break;
  }
  if (micros.length === 0) throw new Error("the GPU's clock ran backwards in every trial");
  return micros;
}
