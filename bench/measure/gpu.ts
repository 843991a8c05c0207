import type { Gpu } from "../../pipeline/device/gpu.ts";
import { type Method, type Spread, spreadOf } from "../types.ts";
import { calibrate, type Effort, trials } from "./effort.ts";
import { type Lane, runLane } from "./lanes.ts";
import { Stopwatch } from "./stopwatch.ts";

export interface Timing extends Spread {
  readonly method: Method;
  readonly clock: "gpu" | "wall";
  readonly repeats: number;
}

type Layout = "pass" | "passes" | "stamped";

/**
 * Times a case on its lanes. Frames run one after the other; each waits for the one before, because it writes what an earlier one wrote.
 * For stages with a memory each is the next frame of a film. With several stages, the cost of a pass per stage and of its stamps is
 * measured as well.
 */
export async function timeOnGpu(gpu: Gpu, lanes: readonly Lane[], effort: Effort): Promise<Timing[]> {
  const stopwatch = new Stopwatch(gpu);
  try {
    const repeats = await calibrate(stopwatch, effort, lanes.length, (count) =>
      timeFrames(stopwatch, lanes, count, "pass"),
    );
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
