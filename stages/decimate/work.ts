import { type FrameFacts, valueAt } from "../core/work.ts";

/** Blocks of every 8th row of blocks are sampled, which is near enough for a mean. */
const ROWS = 8;

/**
 * The least mean number of rounds of a block's search for the median (`pixelOf` in shaders/decimate/depth.wgsl), each of which at least
 * halves the span of depths; 0 if the depth is not known.
 */
export function meanRounds(depth: FrameFacts["depth"], factor: number): number {
  if (!depth) return 0;
  const [across, down] = [Math.floor(depth.width / factor), Math.floor(depth.height / factor)];
  let blocks = 0;
  let rounds = 0;
  for (let y = 0; y < down; y += ROWS) {
    for (let x = 0; x < across; x++, blocks++) {
      let [low, high] = [0xffff, 0];
      for (let i = 0; i < factor * factor; i++) {
        const z = valueAt(depth, factor * x + (i % factor), factor * y + Math.floor(i / factor));
        if (z === 0) continue;
        low = Math.min(low, z);
        high = Math.max(high, z);
      }
      if (low < high) rounds += Math.floor(Math.log2(high - low + 1));
    }
  }
  return blocks > 0 ? rounds / blocks : 0;
}
