import { type DepthFrame, shapeOf } from "../sources/frame.ts";
import type { ProcessedFrame } from "./frame.ts";
import type { Host } from "./run/host.ts";
import type { Runner } from "./run/runner.ts";
import { pointsToArray } from "./run/transfer.ts";

/** How a pipeline takes a frame once more that was handed out before. */
export interface Retaking {
  /** Does `work` after the runs before it and before those after it, and again where the device is lost meanwhile. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  again(frame: DepthFrame): Promise<void>;
}

/** What the frames came to: whose results the buffers hold, and who was handed them. They last until the next one is handed out. */
export class Results {
  /** The last frame, but where an earlier one was run again. */
  held: DepthFrame | null = null;
  /** Counts what was handed out: an older frame's results are gone. */
  #generation = 0;
  #frees = 0;

  constructor(
    readonly host: Host,
    readonly retaking: Retaking,
  ) {}

  /** All buffers were freed. */
  freed(): void {
    this.held = null;
    this.#generation++;
    this.#frees++;
  }

  /** A frame as its consumer gets it. */
  handOut(frame: DepthFrame, about: Pick<ProcessedFrame, "timing" | "dropped" | "waitUntil">): ProcessedFrame {
    const { runner } = this.host;
    const { resources: gpu, cpu, shape = shapeOf(frame) } = runner;
    const { index, timestamp } = frame;
    return { index, timestamp, shape, source: frame, gpu, cpu, ...about, ...this.#readersOf(frame, runner) };
  }

  /**
   * The explicit ways to the CPU. Where the device went with the results, the frame is taken once more through the next one,
   * though newer ones may have been through it: who was handed a frame gets what it came to.
   */
  #readersOf(frame: DepthFrame, runner: Runner): Pick<ProcessedFrame, "readDepth" | "readPoints" | "readPicture"> {
    const { host, retaking } = this;
    const { signal } = host.options;
    const [generation, frees] = [++this.#generation, this.#frees];
    const isOld = () => generation !== this.#generation;
    const isFreed = () => frees !== this.#frees;
    const read = async <T>(from: (runner: Runner) => Promise<T>): Promise<T> => {
      signal.throwIfAborted();
      if (isOld()) throw overwritten(frame);
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
        // A loss excuses that a newer frame came meanwhile.
        if (isFreed() || (!lost && isOld())) throw overwritten(frame);
        return from(host.runner);
      });
    };
    return {
      readDepth: () => read((from) => from.readDepth()),
      readPoints: () => read(async (from) => pointsToArray(await from.readPoints())),
      readPicture: () => read((from) => from.readPicture()),
    };
  }
}

function overwritten({ index }: DepthFrame): Error {
  const advice = "read it synchronously when you are handed the frame, or hold the source with waitUntil";
  return new Error(`frame ${index} has been overwritten by a newer one: ${advice}`);
}
