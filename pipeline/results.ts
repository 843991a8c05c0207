import type { DepthFrame } from "../sources/frame.ts";
import type { ProcessedFrame } from "./frame.ts";
import type { Host } from "./run/host.ts";
import type { Runner } from "./run/runner.ts";
import { pointsToArray } from "./run/transfer.ts";

/** A frame that was handed out, as its pipeline sees it. */
export interface HandedOut {
  readonly frame: DepthFrame;
  readonly host: Host;
  /** Whether the buffers hold what it came to. */
  isHeld(): boolean;
  /** Whether a newer frame was handed out, or all buffers were freed. */
  isOld(): boolean;
  isFreed(): boolean;
  /** Does `work` after the runs before it and before those after it, with the buffers holding what the frame comes to. */
  holding<T>(work: (runner: Runner) => Promise<T>): Promise<T>;
}

/**
 * The explicit ways to the CPU. Where the device went with the results, the frame is taken once more through the next one,
 * though newer ones may have been through it: who was handed a frame gets what it came to.
 */
export function readersOf(handed: HandedOut): Pick<ProcessedFrame, "readDepth" | "readPoints" | "readPicture"> {
  const { frame, host } = handed;
  const { signal } = host.options;
  const { runner } = host;
  const read = async <T>(from: (runner: Runner) => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    if (handed.isOld()) throw overwritten(frame);
    let lost = host.isLost(runner);
    if (!lost && handed.isHeld()) {
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
    return handed.holding((current) => {
      // A loss excuses that a newer frame came meanwhile.
      if (handed.isFreed() || (!lost && handed.isOld())) throw overwritten(frame);
      return from(current);
    });
  };
  return {
    readDepth: () => read((runner) => runner.readDepth()),
    readPoints: () => read(async (runner) => pointsToArray(await runner.readPoints())),
    readPicture: () => read((runner) => runner.readPicture()),
  };
}

function overwritten({ index }: DepthFrame): Error {
  const advice = "read it synchronously when you are handed the frame, or hold the source with waitUntil";
  return new Error(`frame ${index} has been overwritten by a newer one: ${advice}`);
}
