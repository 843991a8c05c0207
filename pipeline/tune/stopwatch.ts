import { AGAIN } from "../../stages/core/resources.ts";
import type { BuiltStage } from "../../stages/core/stage.ts";
import { TuningError } from "../../stages/core/tuning.ts";
import type { Gpu } from "../device/gpu.ts";

/** Records the dispatches of one compute pass. */
export type Work = (pass: GPUComputePassEncoder) => void;

/** Times compute passes on the GPU's clock. Without timestamps, each pass is timed from submit to done on the wall clock. */
export interface PassTimer {
  /** Microseconds of each pass, from the end of the pass before it (for the first, from its own begin). */
  time(passes: readonly Work[]): Promise<number[]>;
  destroy(): void;
}

const MOST_PASSES = 64;
/** After this many unusable runs in a row the clock is given up. */
const MOST_TRIES = 100;

export function openPassTimer({ device, timestamps }: Gpu): PassTimer {
  return timestamps ? gpuClock(device) : wallClock(device);
}

/** Submits a pass without timing it. */
export function submit(device: GPUDevice, work: Work, label = "tune"): void {
  const encoder = device.createCommandEncoder({ label });
  const pass = encoder.beginComputePass({ label });
  work(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

function wallClock(device: GPUDevice): PassTimer {
  return {
    async time(passes) {
      const micros: number[] = [];
      for (const work of passes) {
        const begin = performance.now();
        submit(device, work);
        await device.queue.onSubmittedWorkDone();
        micros.push((performance.now() - begin) * 1000);
      }
      return micros;
    },
    destroy() {},
  };
}

function gpuClock(device: GPUDevice): PassTimer {
  const count = MOST_PASSES + 1;
  const querySet = device.createQuerySet({ label: "tune", type: "timestamp", count });
  const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const resolved = device.createBuffer({ label: "tune stamps", size: 8 * count, usage: QUERY_RESOLVE | COPY_SRC });
  const mapped = device.createBuffer({ label: "tune stamps mapped", size: 8 * count, usage: MAP_READ | COPY_DST });
  const time = async (passes: readonly Work[], tries = 0): Promise<number[]> => {
    const encoder = device.createCommandEncoder({ label: "tune" });
    for (const [i, work] of passes.entries()) {
      const first = i === 0 ? { beginningOfPassWriteIndex: 0 } : {};
      const pass = encoder.beginComputePass({
        label: "tune",
        timestampWrites: { querySet, ...first, endOfPassWriteIndex: i + 1 },
      });
      work(pass);
      pass.end();
    }
    const size = 8 * (passes.length + 1);
    encoder.resolveQuerySet(querySet, 0, passes.length + 1, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, mapped, 0, size);
    device.queue.submit([encoder.finish()]);
    await mapped.mapAsync(GPUMapMode.READ, 0, size);
    const stamps = [...new BigUint64Array(mapped.getMappedRange(0, size))];
    mapped.unmap();
    const micros = passes.map((_, i) => Number(stamps[i + 1] - stamps[i]) / 1000);
    // WebGPU allows the clock to run backwards; such a run is repeated.
    if (micros.every((us) => us >= 0) && micros.some((us) => us > 0)) return micros;
    if (tries === MOST_TRIES) throw new TuningError("this GPU's clock stands still: nothing can be measured on it");
    return time(passes, tries + 1);
  };
  return {
    time: (passes) => time(passes),
    destroy() {
      for (const it of [querySet, resolved, mapped]) it.destroy();
    },
  };
}

/** Splits a stage's pass into its dispatches, each with the name of its kernel; by default those of a frame that is processed again. */
export function dispatchesOf(
  stage: Pick<BuiltStage, "encode">,
  context = AGAIN,
): { readonly name: string; readonly work: Work }[] {
  const found: { name: string; work: Work }[] = [];
  let name = "";
  let bind: Work[] = [];
  const dispatch = (work: Work) => {
    const before = bind;
    found.push({
      name,
      work: (pass) => {
        for (const step of before) step(pass);
        work(pass);
      },
    });
  };
  const recorder = {
    setPipeline(pipeline: GPUComputePipeline) {
      name = pipeline.label;
      bind = [(pass) => pass.setPipeline(pipeline)];
    },
    setBindGroup(index: number, group: GPUBindGroup) {
      bind = [...bind, (pass) => pass.setBindGroup(index, group)];
    },
    dispatchWorkgroups: (...size: [number, number, number]) => dispatch((pass) => pass.dispatchWorkgroups(...size)),
    dispatchWorkgroupsIndirect: (args: GPUBuffer, offset: number) =>
      dispatch((pass) => pass.dispatchWorkgroupsIndirect(args, offset)),
  };
  // A stage's kernels call only these methods of a pass (shaders/kernel.ts).
  stage.encode(recorder as unknown as GPUComputePassEncoder, context);
  return found;
}
