import type { FrameShape } from "../../sources/core/frame.ts";
import { within } from "../../sources/synthetic/geometry.ts";
import { AGAIN } from "../../stages/core/frameContext.ts";
import type { CpuFrame } from "../../stages/core/stage.ts";
import { compact, dofSplat } from "../../stages/index.ts";
import { lensPoints } from "./lens.ts";
import { encode, type Rgba } from "./light.ts";
import { type Unrest, unrestOf } from "./metrics/unrest.ts";
import { sensor, shotOf } from "./shot.ts";
import { Exposure } from "./truth.ts";
import { WORLDS } from "./views.ts";

/** The number of points across; the picture has twice as many pixels each way. */
const WIDTH = 240;
const STEP_DEG = 0.25;
const STEPS = 4;
/** Rays per pixel of the truth. */
const RAYS = 16;

/** Where a slow orbit around a still frame starts: degrees to the side, and how much nearer than the sensor to the orbit's centre. */
const PLACES = [
  { name: "the sensor's place", yawDeg: 0, nearer: 1 },
  { name: "30° to the side", yawDeg: 30, nearer: 1 },
  { name: "3 times nearer", yawDeg: 5, nearer: 3 },
] as const;
const PIVOT_M = 2.1;

export interface OrbitRow extends Unrest {
  readonly name: string;
  /** The unrest of a pinhole's own pictures over the same pixels: the least that can be reached. */
  readonly truth: Unrest;
  /** PSNR in dB against the pinhole's pictures, over the same pixels. */
  readonly psnr: number;
}

interface Drawn extends Rgba {
  readonly depth: Float32Array;
}

/** Frames of a camera that orbits a still frame of exact depth, a quarter of a degree per step, with everything in focus. */
export function orbitRows(): OrbitRow[] {
  const world = WORLDS.room();
  const view = { name: "orbit", world: "room", focusM: 1, fNumber: 1000 } as const;
  const { frame, shape } = shotOf(view, new Exposure(world, sensor(WIDTH)));
  const state: CpuFrame = { depth: frame.depth, color: frame.color, points: undefined, picture: undefined };
  compact().twin(shape).run(state, AGAIN);
  const large = sensor(2 * WIDTH);
  return PLACES.map(({ name, yawDeg, nearer }) => {
    const poses = Array.from({ length: STEPS + 1 }, (_, i) => poseOf(yawDeg + i * STEP_DEG, nearer));
    const ours = poses.map((pose) => draw(shape, state, pose));
    const exact = poses.map((pose) => {
      const camera = within(world.camera, cameraOf(pose));
      return encode(new Exposure({ ...world, camera }, large).light({ blur: 0, inverseFocus: 1 }, lensPoints(RAYS)));
    });
    const seen = ours[0]?.depth.map((_, p) => Number(ours.every(({ depth }) => depth[p] > 0))) ?? new Float32Array();
    return { name, ...unrestOf(ours, seen), truth: unrestOf(exact, seen), psnr: psnrOf(ours, exact, seen) };
  });
}

function draw(shape: FrameShape, state: CpuFrame, pose: number[]): Drawn {
  const { width, height } = sensor(2 * WIDTH);
  dofSplat({ width, height, fNumber: 0, pose }).twin(shape).run(state, AGAIN);
  if (!state.picture) throw new Error("the twin left no picture");
  return { width, height, rgba: state.picture.rgba.slice(), depth: state.picture.depth.slice() };
}

/** The transform from sensor to view, column-major: around the point `PIVOT_M` ahead, and nearer to it. */
function poseOf(yawDeg: number, nearer: number): number[] {
  const [c, s] = [Math.cos((yawDeg * Math.PI) / 180), Math.sin((yawDeg * Math.PI) / 180)];
  return [c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0, s * PIVOT_M, 0, PIVOT_M / nearer - c * PIVOT_M, 1];
}

/** The view's position and axes in the sensor's frame. */
function cameraOf([a, b, c, , d, e, f, , g, h, i, , x, y, z]: readonly number[]): Parameters<typeof within>[1] {
  return {
    rotation: [a, b, c, d, e, f, g, h, i],
    position: [-(a * x + b * y + c * z), -(d * x + e * y + f * z), -(g * x + h * y + i * z)],
  };
}

function psnrOf(tests: readonly Rgba[], references: readonly Rgba[], seen: Float32Array): number {
  let [sum, count] = [0, 0];
  tests.forEach(({ rgba }, t) => {
    for (let i = 0; i < rgba.length; i++) {
      if (i % 4 === 3 || !seen[i >> 2]) continue;
      sum += (rgba[i] - (references[t]?.rgba[i] ?? 0)) ** 2;
      count++;
    }
  });
  return Number((10 * Math.log10((255 * 255 * count) / sum)).toFixed(2));
}
