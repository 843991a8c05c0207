import type { DepthFrame } from "../core/frame.ts";
import { buffersOf, depthOf } from "../core/plainFrame.ts";
import { areasOf } from "../stages/core/areas.ts";
import type { FoundNoise } from "../stages/core/noise.ts";
import { noiseToFollow } from "../stages/core/noiseFollower.ts";
import type { NoiseAnswer, NoiseQuestion } from "./noiseWorker.ts";

/** Measures the noise that a live stream's filters follow, so that no frame of a page waits for it. */
export interface NoiseAside {
  measure(frames: readonly DepthFrame[], isKnown: boolean): Promise<FoundNoise | undefined>;
  /** Ends the worker. */
  end(): void;
}

/** In a page a worker; where none starts, the page's own thread measures after all. `undefined` where there are no workers. */
export function noiseAside(): NoiseAside | undefined {
  if (import.meta.env.SSR || typeof Worker === "undefined") return undefined;
  let worker: Worker | undefined;
  let answer: (answer?: NoiseAnswer) => void = () => {};
  let lacks = false;
  try {
    worker = new Worker(new URL("./noiseWorker.ts", import.meta.url), { type: "module", name: "depthloom noise" });
    worker.onmessage = ({ data }: MessageEvent<NoiseAnswer>) => answer(data);
    worker.onerror = () => {
      lacks = true;
      answer();
    };
  } catch {
    // The page's policy forbids workers.
    lacks = true;
  }
  return {
    async measure(frames, isKnown) {
      if (lacks) return noiseToFollow(frames, isKnown, areasOf(frames));
      const plain = frames.map(depthOf);
      const sizes = frames.map(({ depth }) => depth.data.length);
      const found = await new Promise<NoiseAnswer | undefined>((resolve) => {
        answer = resolve;
        worker?.postMessage({ frames: plain, isKnown } satisfies NoiseQuestion, plain.flatMap(buffersOf));
      });
      frames.forEach(({ depth }, i) => {
        // What was lent to a worker that failed is lost: the frame is blank.
        depth.data = found?.frames[i].depth ?? new Uint16Array(sizes[i]);
      });
      return found?.noise;
    },
    end() {
      worker?.terminate();
      answer();
    },
  };
}
