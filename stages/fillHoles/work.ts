import { type FrameFacts, valueAt } from "../core/work.ts";

/** Every 16th row is sampled, which is near enough for a mean. */
const ROWS = 16;

/**
 * The mean number of rounds after which the search from a hole ends (`rimOf` in shaders/fillHoles.wgsl); 1, the minimum, if the depth is
 * not known.
 */
export function meanRounds(depth: FrameFacts["depth"], reach: number): number {
  if (!depth) return 1;
  const { width, height } = depth;
  const isValid = (x: number, y: number) => x >= 0 && y >= 0 && x < width && y < height && valueAt(depth, x, y) !== 0;
  const isRim = (x: number, y: number, dx: number, dy: number, far: number) => {
    for (let k = 1; k <= far; k++) if (isValid(x + k * dx, y + k * dy)) return true;
    return false;
  };
  const isSurrounded = (x: number, y: number, far: number) => {
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -1; dx <= 1; dx++) if ((dx !== 0 || dy !== 0) && !isRim(x, y, dx, dy, far)) return false;
    }
    return true;
  };
  let holes = 0;
  let rounds = 0;
  for (let y = 0; y < height; y += ROWS) {
    for (let x = 0; x < width; x++) {
      if (isValid(x, y)) continue;
      let far = 1;
      while (far < reach && !isSurrounded(x, y, far)) far++;
      holes++;
      rounds += far;
    }
  }
  return holes > 0 ? rounds / holes : 1;
}
