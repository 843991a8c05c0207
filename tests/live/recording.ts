import ndarray from "ndarray";
import { type DepthFrame, framesOf, type Recording } from "../../sources/index.ts";

/** A recording of empty frames that each take `readMs` to read; frame `fails` cannot be read. `log` lists reads and the close. */
export function recordingOf(length: number, readMs = 0, fails?: number) {
  const log: (number | "closed")[] = [];
  const intrinsics = { fx: 1, fy: 1, cx: 0, cy: 0, width: 1, height: 1 };
  const depth = ndarray(new Uint16Array(1), [1, 1]);
  const blank = { depth, metresPerUnit: 0.001, intrinsics, timestamp: 0 };
  const recording: Recording = {
    name: "fake",
    format: "fake",
    fps: 10,
    length,
    warnings: [],
    get frames$() {
      return framesOf(recording);
    },
    async read(index): Promise<DepthFrame> {
      log.push(index);
      if (readMs > 0) await new Promise((resolve) => setTimeout(resolve, readMs));
      if (index === fails) throw new Error(`frame ${index} is broken`);
      return { ...blank, timestamp: index * 100, index };
    },
    async close() {
      log.push("closed");
    },
  };
  return { recording, log, blank };
}
