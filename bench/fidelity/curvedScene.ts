import type { FrameShape } from "../../core/frame.ts";
import { Field, type Grain } from "../../sources/synthetic/sensors/field.ts";
import type { Depth } from "./image.ts";

/** The solids of the scene: a slanted wall, a ball before it, and a ball with a face's relief. */
export const THINGS = ["wall", "ball", "face"] as const;
export type Thing = (typeof THINGS)[number];

/** The scene as one camera sees it from where it stands. */
export interface CurvedScene extends FrameShape {
  readonly name: string;
  /** The true depth, and the number of the thing in `THINGS` that each pixel sees. */
  readonly truth: Depth;
  readonly things: Uint8Array;
  /** Frame `t` as the camera measures it. */
  look(t: number): Uint16Array;
}

const FOCAL_PX = 600;
/** The size at which the relief below is given, and how far away the face is then. */
const NEAR_M = 0.6;
/** The face's parts (nose, brows …) from `NEAR_M` away: centre (from the frame's middle) and size in pixels, height in m. */
const RELIEF = [
  [115.5, -4.5, 9, 22, 0.014],
  [85.5, -34.5, 16, 6, 0.005],
  [145.5, -34.5, 16, 6, 0.005],
  [115.5, 45.5, 22, 4, -0.004],
  [115.5, 35.5, 22, 4, 0.004],
  [90.5, -17.5, 9, 6, -0.006],
  [140.5, -17.5, 9, 6, -0.006],
  [60.5, 10.5, 14, 14, 0.004],
] as const;

/** Where a ray meets a ball in front, in m along the axis; infinite if it does not. */
function ballAt(dx: number, dy: number, [x, y, z]: readonly [number, number, number], radius: number): number {
  const [a, b, k] = [dx * dx + dy * dy + 1, dx * x + dy * y + z, x * x + y * y + z * z - radius * radius];
  const d = b * b - a * k;
  return d > 0 ? (b - Math.sqrt(d)) / a : Number.POSITIVE_INFINITY;
}

/** The scene from `away` m: it grows with the distance, so that it fills the same pixels. */
function seen(away: number, width: number, height: number): { truth: Depth; things: Uint8Array } {
  const mm = new Float32Array(width * height);
  const things = new Uint8Array(width * height);
  const size = away / NEAR_M;
  for (let i = 0; i < mm.length; i++) {
    const [u, v] = [(i % width) - (width - 1) / 2, Math.floor(i / width) - (height - 1) / 2];
    const [dx, dy] = [u / FOCAL_PX, v / FOCAL_PX];
    const bumps = RELIEF.reduce(
      (sum, [x, y, a, b, high]) => sum + high * Math.exp(-(((u - x) / a) ** 2 + ((v - y) / b) ** 2) / 2),
      0,
    );
    const each = [
      1.6 * away + 0.4 * away * dx,
      ballAt(dx, dy, [-0.18 * size, -0.05 * size, 1.05 * away], 0.11 * size),
      ballAt(dx, dy, [0.1 * size, 0, 1.05 * away], 0.1 * size) - bumps * size,
    ];
    const nearest = Math.min(...each);
    mm[i] = 1000 * nearest;
    things[i] = each.indexOf(nearest);
  }
  return { truth: { width, height, mm }, things };
}

/**
 * Three cameras: coded light at hand, 0.9 mm of noise; a Kinect v1 at 1.5 m, with its steps of disparity; and time of flight at 1 m with
 * 2.5 mm of noise in whole millimetres.
 */
export function curvedScenes(width = 640, height = 480): CurvedScene[] {
  const intrinsics = { fx: FOCAL_PX, fy: FOCAL_PX, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
  const scene = (name: string, away: number, metresPerUnit: number, grain: Grain, noisy: Noisy): CurvedScene => {
    const { truth, things } = seen(away, width, height);
    const field = new Field(width, height, grain);
    const look = (t: number) => {
      const { values } = field.draw(t + 1);
      return Uint16Array.from(truth.mm, (mm, i) => Math.round(noisy(mm / 1000, values[i]) / metresPerUnit));
    };
    return { name, intrinsics, metresPerUnit, truth, things, look };
  };
  return [
    scene("coded light at 0.6 m", 0.6, 0.000125, { near: 0.6, decay: 0.3 }, (z, n) => z + 0.0025 * z * z * n),
    scene("Kinect v1 at 1.5 m", 1.5, 0.001, { near: 0.68, decay: 0.4 }, (z, n) => 348 / Math.round(348 / z + 0.55 * n)),
    scene("time of flight at 1 m", 1, 0.001, { near: 0.5, decay: 0.15 }, (z, n) => z + 0.0025 * z * z * n),
  ];
}

/** A measured depth in m, from the true one and noise of variance 1. */
type Noisy = (z: number, noise: number) => number;
