import { type Abortable, signalOf, untilAborted } from "../core/abort.ts";
import { OptionError } from "../core/check.ts";
import { type DepthFrame, shapeOf } from "../core/frame.ts";
import { StaleFrameError } from "./errors.ts";
import type { ProcessedFrame } from "./frame.ts";
import { type DrawnPicture, drawPixels, drawTexture } from "./picture.ts";
import type { Host } from "./run/host.ts";
import type { Runner } from "./run/runner.ts";
import { pointsToArray } from "./run/transfer.ts";

/** How `Results` asks the pipeline to run an earlier frame again. */
export interface Retaking {
  /** Runs `work` after all earlier work and before all later, and again from its beginning each time the device is lost. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  again(frame: DepthFrame): Promise<void>;
}

/**
 * Hands out processed frames and reads their results back. The buffers hold the results of one frame: handing out the next overwrites them.
 */
export class Results {
  /** The frame whose results the buffers hold: the last one, or an earlier one that ran again; `null` if there are none. */
  held: DepthFrame | null = null;
  /** Counts the frames handed out. Only the results of the newest frame can be read. */
  #generation = 0;
  #frees = 0;

  constructor(
    readonly host: Host,
    readonly retaking: Retaking,
  ) {}

  /** The pipeline freed all buffers. */
  freed(): void {
    this.held = null;
    this.#generation++;
    this.#frees++;
  }

  /** Makes the object that the consumer receives for a frame. */
  handOut(frame: DepthFrame, about: Pick<ProcessedFrame, "timing" | "dropped" | "waitUntil">): ProcessedFrame {
    const { runner } = this.host;
    const { resources: gpu, cpu, shape = shapeOf(frame) } = runner;
    const { index, timestamp } = frame;
    const readers = this.#readersOf(frame, runner);
    const picture = this.#pictureOf(frame, { gpu, cpu });
    return { index, timestamp, shape, source: frame, gpu, cpu, picture, ...about, ...readers };
  }

  #pictureOf(frame: DepthFrame, { gpu, cpu }: Pick<ProcessedFrame, "gpu" | "cpu">): DrawnPicture | undefined {
    const { device } = this.host.gpu ?? {};
    const [texture, pixels, generation] = [gpu?.picture, cpu?.picture, this.#generation];
    const size = texture?.color ?? pixels;
    if (!size) return undefined;
    return {
      width: size.width,
      height: size.height,
      drawTo: (canvas) => {
        if (generation !== this.#generation || this.held !== frame) throw new StaleFrameError(frame.index);
        const drawn = pixels ? drawPixels(canvas, pixels) : device && texture && drawTexture(canvas, device, texture);
        if (!drawn) throw new OptionError("drawTo: this canvas has another context already: take a canvas of its own");
      },
    };
  }

  /**
   * The methods that read a frame's results back. If the device was lost together with the results, the frame runs again on the next
   * device, even if newer frames ran meanwhile, and the results of that run are read.
   */
  #readersOf(
    frame: DepthFrame,
    runner: Runner,
  ): Pick<ProcessedFrame, "readDepth" | "readRaw" | "readPoints" | "readPointCount" | "readPicture" | "readPose"> {
    const { host, retaking } = this;
    const { signal } = host.options;
    const [generation, frees] = [++this.#generation, this.#frees];
    const isOld = () => generation !== this.#generation;
    const isFreed = () => frees !== this.#frees;
    const reader =
      <T>(from: (runner: Runner) => Promise<T>) =>
      async (options?: Abortable) =>
        untilAborted(signalOf("read", options), () => read(from));
    const read = async <T>(from: (runner: Runner) => Promise<T>): Promise<T> => {
      signal.throwIfAborted();
      if (isOld()) throw new StaleFrameError(frame.index);
      let lost = host.isLost(runner);
      if (!lost && this.held === frame) {
        try {
          const result = await from(runner);
          host.worked(runner);
          return result;
        } catch (error) {
          lost = await host.hasLost(runner);
          signal.throwIfAborted();
          if (!lost) throw error;
        }
      }
      return retaking.inTurn(async () => {
        if (this.held !== frame && !isFreed()) await retaking.again(frame);
        // After a device loss the consumer could not have read in time, so a newer frame is no reason to refuse.
        if (isFreed() || (!lost && isOld())) throw new StaleFrameError(frame.index);
        return from(host.runner);
      });
    };
    return {
      readDepth: reader((from) => from.readDepth()),
      readRaw: reader((from) => from.readRaw()),
      readPoints: reader(async (from) => pointsToArray(await from.readPoints())),
      readPointCount: reader((from) => from.readPointCount()),
      readPicture: reader((from) => from.readPicture()),
      readPose: reader((from) => from.readPose()),
    };
  }
}
