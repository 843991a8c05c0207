import type { Gpu } from "../../pipeline/device/gpu.ts";
import { type Method, type Spread, spreadOf } from "../types.ts";
import { type Lane, runLane } from "./lanes.ts";
import { calibrate, type Effort, Stopwatch, trials } from "./stopwatch.ts";

export interface Timing extends Spread {
  readonly method: Method;
  readonly clock: "gpu" | "wall";
  readonly repeats: number;
}

/**
 * Times a case on its lanes. Frames run one after the other: each frame waits for the frame before, because both write to the same
 * buffers. For stages with a memory the frames follow each other as in a film.
 */
export async function timeOnGpu(gpu: Gpu, lanes: readonly Lane[], effort: Effort): Promise<Timing[]> {
  const stopwatch = new Stopwatch(gpu);
  try {
    const repeats = await calibrate(stopwatch, effort, lanes.length, (count) => timeFrames(stopwatch, lanes, count));
    const micros = await trials(effort, () => timeFrames(stopwatch, lanes, repeats));
    const pass: Timing = {
      ...spreadOf(micros.map((us) => us / repeats)),
      method: "pass",
      clock: stopwatch.clock,
      repeats,
    };
    const alone = await trials(effort, (trial) => timeSubmit(gpu, lanes[trial % lanes.length]));
    return [pass, { ...spreadOf(alone), method: "submit", clock: "wall", repeats: 1 }];
  } finally {
    stopwatch.destroy();
  }
}

function timeFrames(stopwatch: Stopwatch, lanes: readonly Lane[], repeats: number) {
  let frame = 0;
  return stopwatch.repeat(repeats, (pass) => {
    const { steps, film } = lanes[frame++ % lanes.length];
    const context = film.next();
    for (const { built } of steps) built.encode(pass, context);
  });
}

async function timeSubmit({ device }: Gpu, lane: Lane): Promise<number> {
  const begin = performance.now();
  runLane(device, lane);
  await device.queue.onSubmittedWorkDone();
  return (performance.now() - begin) * 1000;
}
