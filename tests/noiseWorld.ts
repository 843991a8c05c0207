import type { DepthFrame } from "../core/frame.ts";
import { image } from "./gpu.ts";
import { normal } from "./random.ts";

// A floor, a wall and a box as a sensor of known noise sees them.

export interface World {
  /** Sigma of the noise, a + b·z², mm. */
  readonly a: number;
  readonly b: number;
  /** Noise that neighbouring pixels share: a mean over squares with this many pixels on a side. */
  readonly grain: number;
  /** Depth comes in steps of this, mm at 1 m, growing with z². */
  readonly stepMm: number;
  /** How much nearer everything is from frame to frame, mm. */
  readonly motionMm: number;
  readonly frames: number;
  readonly seed: number;
  /** Depth in mm by pixels from the middle, NaN where there is none; without it a floor, a wall and a box. */
  readonly surface?: (x: number, y: number) => number;
}

export const still: World = { a: 1.2, b: 1, grain: 1, stepMm: 0, motionMm: 0, frames: 3, seed: 1 };
export const [WIDTH, HEIGHT] = [320, 240];

/** A floor, a slanted wall, a box before it, and holes. */
function planes(x: number, y: number): number {
  if ((x * 13 + y * 7) % 61 === 0) return 0;
  if (x > 100 && x < 160 && y > 80 && y < 150) return 1100;
  if (y > 150) return 1 / (1 / 3500 + (y - 150) / 120000);
  return 1 / (1 / 4000 + x / 900000 + y / 1500000);
}

export function framesOf({ a, b, grain, stepMm, motionMm, frames, seed, surface }: World): DepthFrame[] {
  const noise = normal(seed);
  const intrinsics = { fx: 300, fy: 300, cx: WIDTH / 2, cy: HEIGHT / 2, width: WIDTH, height: HEIGHT };
  return Array.from({ length: frames }, (_, index) => {
    const white = Float64Array.from({ length: (WIDTH + grain) * (HEIGHT + grain) }, noise);
    const noiseAt = (x: number, y: number) => {
      let sum = 0;
      for (let v = 0; v < grain; v++)
        for (let u = 0; u < grain; u++) sum += white[(y + v) * (WIDTH + grain) + x + u] ?? 0;
      return sum / grain;
    };
    const depth = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => {
      const [x, y] = [i % WIDTH, Math.floor(i / WIDTH)];
      const truth = surface ? surface(x - WIDTH / 2, y - HEIGHT / 2) || 0 : planes(x, y);
      if (truth === 0) return 0;
      const seen = truth - index * motionMm + (a + b * (truth / 1000) ** 2) * noiseAt(x, y);
      // In tenths of a millimetre; steps are even in 1 / z.
      return Math.round(10 * (stepMm ? 1e6 / (Math.round(1e6 / seen / stepMm) * stepMm) : seen));
    });
    return { depth: image(depth, WIDTH), metresPerUnit: 0.0001, intrinsics, timestamp: index * 33, index };
  });
}

// In pixels about the middle, depth in mm: a ball, a face with brows, nose and lips, and stairs.
const round = (x: number, y: number, radius: number) => Math.sqrt(radius ** 2 - x * x - y * y);
const bump = (x: number, y: number, [u, v, wide, high, mm]: readonly number[]) =>
  mm * Math.exp(-(((x - u) / wide) ** 2) / 2 - ((y - v) / high) ** 2 / 2);
const FEATURES = [
  [0, 0, 9, 22, 14],
  [-30, -30, 16, 6, 5],
  [30, -30, 16, 6, 5],
  [0, 50, 22, 4, -4],
  [0, 40, 22, 4, 4],
];
export const SHAPES = {
  ball: (x: number, y: number) => 700 - round(x, y, 110),
  face: (x: number, y: number) =>
    700 - round(x, y, 110) - FEATURES.reduce((sum, feature) => sum + bump(x, y, feature), 0),
  stairs: (x: number, y: number) => 900 + 0.4 * x + 30 * Math.floor(y / 30) + 0.3 * y,
};
