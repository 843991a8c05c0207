import { GpuError } from "../../shaders/gpuError.ts";
import type { Stage } from "../../stages/stage.ts";
import type { Gpu } from "../device/gpu.ts";
import { DeviceLostError } from "../errors.ts";
import { CpuRunner } from "./cpuRunner.ts";
import { GpuRunner } from "./gpuRunner.ts";
import type { StageWorker } from "./remote/link.ts";
import { RemoteRunner } from "./remote/runner.ts";
import type { Runner } from "./runner.ts";

/** Devices, or workers, lost one after the other with nothing done in between: then it is the work that loses them. */
const MOST_LOSSES = 4;
/** Waits before each try to open a device, ms: a browser's GPU process takes its time to come back. */
const TRIES_MS = [0, 100, 300, 1000];

export interface HostOptions {
  /** `null` on the CPU. */
  readonly gpu: Gpu | null;
  /** Opens another device. */
  readonly reopen: (() => Promise<Gpu | null>) | undefined;
  /** Whether devices are ours to close. */
  readonly owned: boolean;
  /** Whether the CPU may take over where no device comes back. */
  readonly orCpu: boolean;
  /** Where there is no device: opens a worker that runs these stages' twins. Without it they run on this thread. */
  readonly worker: (() => StageWorker) | undefined;
  readonly stages: readonly Stage[];
  /** Aborted when it is all over. */
  readonly signal: AbortSignal;
  readonly onOverflow: (tiles: number) => void;
  /** Is told of a loss, and what goes on in its place. */
  readonly onLost: (notice: string) => void;
  /** It is over: no frame can go through any more. */
  readonly onEnd: (error: Error) => void;
}

/** What frames were worked on is gone: a device, or the CPU's worker. */
interface Loss {
  readonly what: "GPU" | "stages' worker";
  readonly why: string;
}

/** Where a pipeline runs: a device with what is built on it, or the CPU. A device or a worker that is lost is replaced by another. */
export class Host {
  #gpu: Gpu | null;
  #runner: Runner;
  #lost: Loss | undefined;
  #losses = 0;
  /** The device lost last: answers of it may still be on their way, and Dawn, which gives them, is let go with the device. */
  #gone: Gpu | undefined;
  /** Dawn holds on to who listens to a device, and so to all that is built on it, for as long as the process lives. */
  #unlisten = () => {};

  constructor(readonly options: HostOptions) {
    this.#gpu = options.gpu;
    this.#runner = this.#enter(options.gpu);
  }

  /** Resolves when its worker, if it has one, can begin. */
  async opened(): Promise<void> {
    if (this.#runner instanceof RemoteRunner) await this.#runner.opened;
  }

  get gpu(): Gpu | null {
    return this.#gpu;
  }

  get runner(): Runner {
    return this.#runner;
  }

  /** Whether the device of `runner`, or its worker, is known to be gone, and another takes its place or will. */
  isLost(runner: Runner): boolean {
    return runner !== this.#runner || this.#lost !== undefined;
  }

  /** The same of a runner that has failed: what a lost device does not answer fails before its loss is told. */
  async hasLost(runner: Runner): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve));
    return this.isLost(runner);
  }

  /** The device has done what it was given. */
  worked(runner: Runner): void {
    if (!this.isLost(runner)) this.#losses = 0;
  }

  /** Does `work`, and again on another device where the one that it was begun on is lost meanwhile: `times` counts. */
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

  /** Resolves when the device has done all that it was given, or is gone. */
  async idle(): Promise<void> {
    const runner = this.#runner;
    try {
      await runner.done();
      this.worked(runner);
    } catch (error) {
      if (!(await this.hasLost(runner))) throw error;
    }
  }

  /** Resolves when there is something to run on. */
  async #ready(): Promise<void> {
    const lost = this.#lost;
    if (!lost) return;
    const { what, why } = lost;
    const instead = what === "GPU" ? await this.#replaceGpu(why) : await this.#replaceWorker();
    this.options.onLost(`the ${what} was lost${why ? ` (${why})` : ""}: ${instead}`);
  }

  /** Enters what takes the place of the device that is gone, and says what that is. */
  async #replaceGpu(why: string): Promise<string> {
    await this.#leave();
    const gpu = this.#losses > MOST_LOSSES ? null : await this.#open();
    if (!gpu && !this.options.orCpu) {
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

  /** The same for the CPU's worker. Where none lasts it is done without. */
  async #replaceWorker(): Promise<string> {
    this.#lost = undefined;
    if (this.#losses <= MOST_LOSSES && (await this.#enterCpu())) return "another has taken its place";
    this.#runner = new CpuRunner();
    return "the stages go on on this thread, slower";
  }

  /** Enters the CPU, in its worker if it has one. Says whether that has started: if not, it is this thread. */
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

  /** Asks nothing more of the device that is gone, wherever this ends. */
  async #leave(): Promise<void> {
    const [gpu, runner] = [this.#gpu, this.#runner];
    if (!gpu) return;
    this.#gpu = null;
    this.#runner = new CpuRunner();
    runner.clear();
    this.#unlisten();
    if (!this.options.owned) return;
    await this.#gone?.destroy();
    this.#gone = gpu;
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
    // What its owner does with a device that is shared is not ours to judge.
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

  /** Frees all there is, and closes the device if it is ours. */
  async close(): Promise<void> {
    this.#runner.clear();
    if (!this.options.owned) return;
    await this.#gone?.destroy();
    await this.#gpu?.destroy();
    this.#unlisten();
  }
}
