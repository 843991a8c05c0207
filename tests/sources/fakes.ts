import { type DepthFrame, image, SourceError } from "../../sources/index.ts";

/** A recording in memory of 1×1 frames, 100 ms apart, which logs the frames that are read. */
export function fake(length: number, readMs: number | ((index: number) => number) = 0, fails: readonly number[] = []) {
  const reads: number[] = [];
  return {
    reads,
    length,
    fps: 10,
    async read(index: number): Promise<DepthFrame> {
      reads.push(index);
      const ms = typeof readMs === "number" ? readMs : readMs(index);
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      if (fails.includes(index)) throw new SourceError(`frame ${index} is bad`);
      return {
        depth: image(new Uint16Array([index + 1]), [1, 1]),
        metresPerUnit: 1,
        intrinsics: { fx: 1, fy: 1, cx: 0, cy: 0, width: 1, height: 1 },
        timestamp: index * 100,
        index,
      };
    },
  };
}
