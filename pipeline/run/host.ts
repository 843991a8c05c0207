import { GpuError } from "../../shaders/gpuError.ts";
import type { Stage } from "../../stages/core/stage.ts";
import type { Gpu } from "../device/gpu.ts";
import { DeviceLostError } from "../errors.ts";
import { CpuRunner } from "./cpuRunner.ts";
import { GpuRunner } from "./gpuRunner.ts";
import type { StageWorker } from "./remote/link.ts";
import { RemoteRunner } from "./remote/runner.ts";
import type { Runner } from "./runner.ts";

/** After this many losses (of devices or workers) without any work finished in between, the work itself is taken as the cause. */
const MOST_LOSSES = 4;
/** Waits before each attempt to open a device, in ms: a browser's GPU process needs time to restart. */
const TRIES_MS = [0, 100, 300, 1000];

export interface HostOptions {
  /** `null` on the CPU backend. */
  readonly gpu: Gpu | null;
  /** Opens another device after a loss. */
  readonly reopen: (() => Promise<Gpu | null>) | undefined;
  /** Whether the pipeline opened the devices and therefore closes them. */
  readonly owned: boolean;
  /** Whether the CPU may take over where no other device can be opened. */
  readonly cpuFallback: boolean;
  /** Opens a worker that runs the stages' twins when there is no device. Without it the twins run on this thread. */
  readonly worker: (() => StageWorker) | undefined;
  readonly stages: readonly Stage[];
  /** Aborts when the pipeline has ended. */
  readonly signal: AbortSignal;
  readonly onOverflow: (tiles: number) => void;
  /** Called with one line of text after a loss, saying what replaces the lost device or worker. */
  readonly onLost: (notice: string) => void;
  /** Called when no frame can be processed any more. */
  readonly onEnd: (error: Error) => void;
}

/** The lost part: the device, or the worker of the CPU backend. */
interface Loss {
  readonly what: "GPU" | "stages' worker";
  readonly why: string;
}

/** The device (or CPU) that a pipeline runs on, and the runner that belongs to it. Replaces a device or a worker that is lost. */
export class Host {
  #gpu: Gpu | null;
  #runner: Runner;
  #lost: Loss | undefined;
  #losses = 0;
  /**
   * The device lost last. The lost device's `destroy` waits until the next loss or the end, since it would release Dawn, which still
   * delivers the device's callbacks.
   */
  #lastLost: Gpu | undefined;
  /** Removes the listener for uncaptured errors. Dawn keeps a listener, and all that it refers to, alive until the process ends. */
  #unlisten = () => {};

  constructor(readonly options: HostOptions) {
    this.#gpu = options.gpu;
    this.#runner = this.#enter(options.gpu);
  }

  /** Resolves when the stages' worker, if there is one, has started. */
  async opened(): Promise<void> {
    if (this.#runner instanceof RemoteRunner) await this.#runner.opened;
  }

  get gpu(): Gpu | null {
    return this.#gpu;
  }

  get runner(): Runner {
    return this.#runner;
  }

  /** Whether the device or the worker of `runner` is known to be lost. */
  isLost(runner: Runner): boolean {
    return runner !== this.#runner || this.#lost !== undefined;
  }

  /** Whether a runner failed because its device was lost. Waits one turn, since a call may fail before the loss is reported. */
  async hasLost(runner: Runner): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve));
    return this.isLost(runner);
  }

  /** Records that the runner has finished work, which resets the count of losses. */
  worked(runner: Runner): void {
    if (!this.isLost(runner)) this.#losses = 0;
  }

  /** Runs `work`, and again from its beginning, on another device, each time the device is lost; `times` says how often. */
  async surviving<T>(work: (times: number) => Promise<T>): Promise<T> {
    for (let times = 0; ; times++) {
      await this.#ready();
      const runner = this.#runner;
      try {
        const result = await work(times);
        if (!this.isLost(runner)) return result;
      } catch (error) {
        const lost = await this.hasLost(runner);
        this.options.signal.throwIfAborted();
        if (!lost) throw error;
      }
    }
  }

  /** Resolves when the device has finished all work submitted so far, or is lost. */
  async idle(): Promise<void> {
    const runner = this.#runner;
    try {
      await runner.done();
      this.worked(runner);
    } catch (error) {
      if (!(await this.hasLost(runner))) throw error;
    }
  }

  /** Resolves when there is a device, a worker or a thread to run on: replaces what was lost. */
  async #ready(): Promise<void> {
    const lost = this.#lost;
    if (!lost) return;
    const { what, why } = lost;
    const instead = what === "GPU" ? await this.#replaceGpu(why) : await this.#replaceWorker();
    this.options.onLost(`the ${what} was lost${why ? ` (${why})` : ""}: ${instead}`);
  }

  /** Replaces the lost device by another, or by the CPU. Returns the words for `onLost`. */
  async #replaceGpu(why: string): Promise<string> {
    await this.#leave();
    const gpu = this.#losses > MOST_LOSSES ? null : await this.#open();
    if (!gpu && !this.options.cpuFallback) {
      const error = new DeviceLostError(why);
      this.options.onEnd(error);
      throw error;
    }
    this.#gpu = gpu;
    this.#lost = undefined;
    if (gpu) {
      this.#runner = this.#enter(gpu);
      return "another has taken its place";
    }
    this.#losses = 0;
    const without = (await this.#enterCpu()) ? "" : ", on this thread since the stages' worker does not start";
    return `the CPU goes on in its place${without}`;
  }

  /** Replaces the lost worker by another, or by this thread if workers keep dying. Returns the words for `onLost`. */
  async #replaceWorker(): Promise<string> {
    this.#lost = undefined;
    if (this.#losses <= MOST_LOSSES && (await this.#enterCpu())) return "another has taken its place";
    this.#runner = new CpuRunner();
    return "the stages go on on this thread, slower";
  }

  /** Switches to the CPU backend: its worker if there is one. Returns false if the worker did not start and this thread runs instead. */
  async #enterCpu(): Promise<boolean> {
    try {
      this.#runner = this.#enter(null);
      await this.opened();
      return true;
    } catch {
      this.options.signal.throwIfAborted();
      this.#runner = new CpuRunner();
      return false;
    }
  }

  /** Lets go of the lost device: nothing more is asked of it, even if no other can be opened. */
  async #leave(): Promise<void> {
    const [gpu, runner] = [this.#gpu, this.#runner];
    if (!gpu) return;
    this.#gpu = null;
    this.#runner = new CpuRunner();
    runner.clear();
    this.#unlisten();
    if (!this.options.owned) return;
    await this.#lastLost?.destroy();
    this.#lastLost = gpu;
  }

  async #open(): Promise<Gpu | null> {
    for (const ms of TRIES_MS) {
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      this.options.signal.throwIfAborted();
      const gpu = await this.options.reopen?.().catch(() => null);
      if (gpu) return gpu;
    }
    return null;
  }

  #enter(gpu: Gpu | null): Runner {
    const { reopen, owned, onOverflow, onEnd, worker, stages, signal } = this.options;
    if (!gpu) {
      const died = (why: string) => this.#lose({ what: "stages' worker", why });
      return worker ? new RemoteRunner(worker(), stages, signal, died) : new CpuRunner();
    }
    void gpu.device.lost.then(({ message }) => {
      if (gpu !== this.#gpu) return;
      if (!reopen) return onEnd(new DeviceLostError(message));
      this.#lose({ what: "GPU", why: message });
    });
    // The owner of a shared device may cause errors on it that are none of this pipeline's.
    if (owned) {
      const refused = ({ error }: GPUUncapturedErrorEvent) => {
        if (gpu === this.#gpu) onEnd(new GpuError(`the GPU refused a command: ${error.message}`));
      };
      gpu.device.addEventListener("uncapturederror", refused);
      this.#unlisten = () => gpu.device.removeEventListener("uncapturederror", refused);
    }
    return new GpuRunner(gpu, onOverflow);
  }

  #lose(loss: Loss): void {
    this.#lost = loss;
    this.#losses++;
  }

  /** Frees everything, and closes the device if the pipeline opened it. */
  async close(): Promise<void> {
    this.#runner.clear();
    if (!this.options.owned) return;
    await this.#lastLost?.destroy();
    await this.#gpu?.destroy();
    this.#unlisten();
  }
}
