import type { Gpu } from "../../pipeline/device/gpu.ts";
import { submit } from "../../pipeline/tune/stopwatch.ts";
import type { Kernel } from "../../shaders/kernel.ts";
import { calibrate, Stopwatch, trials } from "../measure/stopwatch.ts";

const TARGET_US = 2000;
const SOFTWARE_TARGET_US = 20_000;
/** A clock's step may be a fiftieth of what is timed. */
const STEPS = 50;

/** Times dispatches on one device. Its result is the shortest of several trials, because a limit is what a device reaches undisturbed. */
export class Probe {
  readonly stopwatch: Stopwatch;

  constructor(
    readonly gpu: Gpu,
    readonly isQuick: boolean,
  ) {
    this.stopwatch = new Stopwatch(gpu);
  }

  /** A storage buffer that can be written and read back. The caller destroys it. */
  buffer(label: string, size: number): GPUBuffer {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    return this.gpu.device.createBuffer({ label: `ceilings ${label}`, size, usage: STORAGE | COPY_SRC | COPY_DST });
  }

  /** Runs one dispatch, of `x` workgroups. */
  once(kernel: Kernel, x: number): void {
    submit(this.gpu.device, (pass) => kernel.dispatch(pass, x), "ceilings");
  }

  /** The time of one of many dispatches that wait for one another, in µs. */
  async time(kernel: Kernel, x: number): Promise<number> {
    const { software, timestamps, clockResolutionUs } = this.gpu;
    const step = timestamps ? STEPS * clockResolutionUs : 0;
    const effort = {
      trials: this.isQuick ? 4 : 12,
      targetUs: Math.max(step, software ? SOFTWARE_TARGET_US : TARGET_US),
      budgetMs: this.isQuick ? 60 : 250,
    };
    const repeat = (times: number) => this.stopwatch.repeat(times, (pass) => kernel.dispatch(pass, x));
    const repeats = await calibrate(this.stopwatch, effort, 1, repeat);
    return Math.min(...(await trials(effort, () => repeat(repeats)))) / repeats;
  }

  destroy(): void {
    this.stopwatch.destroy();
  }
}
