import { image } from "../../core/array.ts";
import { framesOf } from "../../core/streams.ts";
import { type Axis, turnAbout } from "../../scan/turntable/axis.ts";
import type { DepthFrame, Recording } from "../../sources/index.ts";

const LENS = { fx: 160, fy: 160, cx: 79.5, cy: 59.5, width: 160, height: 120 };

/** Balls that turn: place from the axis' foot (right, towards the camera, up) and radius, m; the plate's top is at the height of 2 cm. */
const BALLS = [
  [0.08, 0.02, 0.09, 0.05],
  [-0.07, 0.05, 0.06, 0.035],
  [-0.02, -0.07, 0.13, 0.04],
] as const;
/** The plate, and a pixel that always shows it: the table begins less than 15 rows below. */
export const PLATE = { radius: 0.15, height: 0.02, row: 78, column: 80 };
const DOWN = 0.5;
const [SINE, COSINE] = [Math.sin(DOWN), Math.cos(DOWN)];

/** The axis of the turntable, in the axes of a camera that looks down at it by half a radian from 70 cm. */
export const AXIS: Axis = { along: [0, -COSINE, -SINE], point: [0, 0.03, 0.7] };

/** What a scene of a turntable has. */
export interface Turntable {
  /** How far the thing is turned in each frame, radians. */
  readonly angles: readonly number[];
  /** The balls that are there: all if not given. */
  readonly balls?: typeof BALLS | readonly [];
  readonly hasTable?: boolean;
  /** How much nearer everything is with each frame, m. */
  readonly nearerM?: number;
  /** How far the thing goes to and fro, m. */
  readonly thingM?: number;
}

/** A recording of a turntable before a wall, with noise of some 2 mm. */
export function turntable({ angles, balls = BALLS, hasTable = true, nearerM = 0, thingM = 0 }: Turntable): Recording {
  const frames = new Map<number, DepthFrame>();
  const read = async (index: number): Promise<DepthFrame> => {
    const frame = frames.get(index) ?? rendered(index);
    frames.set(index, frame);
    return frame;
  };
  const rendered = (index: number): DepthFrame => {
    const { width, height, fx, fy, cx, cy } = LENS;
    const turn = turnAbout(AXIS, angles[index]);
    const up = ([x, y, h]: ArrayLike<number> & Iterable<number>) => [
      AXIS.point[0] + x,
      AXIS.point[1] + y * SINE - h * COSINE,
      AXIS.point[2] - y * COSINE - h * SINE,
    ];
    const placed = balls.map(([x, y, h, radius]) => {
      const p = up([x + thingM * Math.sin(index), y, h]);
      return [0, 4, 8]
        .map((r) => turn[r] * p[0] + turn[r + 1] * p[1] + turn[r + 2] * p[2] + turn[r + 3])
        .concat(radius);
    });
    let state = 1 + index;
    const random = () => {
      state = (state * 48271) % 0x7fffffff;
      return state / 0x7fffffff - 0.5;
    };
    const depth = new Uint16Array(width * height);
    // The planes across the axis: of the table, and of the plate.
    const feet = [up([0, 0, 0]), up([0, 0, PLATE.height])];
    const sums = feet.map(([, y, z]) => AXIS.along[1] * y + AXIS.along[2] * z);
    for (let i = 0; i < depth.length; i++) {
      const [u, v] = [((i % width) - cx) / fx, (Math.floor(i / width) - cy) / fy];
      // A wall that leans, behind all.
      let z = 1.6 + 0.2 * u;
      const down = AXIS.along[1] * v + AXIS.along[2];
      const [table, plate] = [sums[0] / down, sums[1] / down];
      if (hasTable && table > 0) z = Math.min(z, table);
      const [, y1, z1] = feet[1];
      if (plate > 0 && Math.hypot(u * plate, v * plate - y1, plate - z1) < PLATE.radius) z = Math.min(z, plate);
      for (const [x, y, far, radius] of placed) {
        const b = u * x + v * y + far;
        const a = u * u + v * v + 1;
        const root = b * b - a * (x ** 2 + y * y + far * far - radius ** 2);
        if (root > 0) z = Math.min(z, (b - Math.sqrt(root)) / a);
      }
      depth[i] = Math.round(10_000 * (z - nearerM * index + 0.004 * z * z * (random() + random() + random())));
    }
    const color = new Uint8Array(4 * depth.length).fill(128);
    const shape = [height, width];
    return {
      depth: image(depth, shape),
      color: image(color, [...shape, 4]),
      metresPerUnit: 0.0001,
      intrinsics: LENS,
      index,
      timestamp: 33 * index,
    };
  };
  const { length } = angles;
  const frames$ = framesOf({ length, read });
  return { name: "plate", format: "synthetic", fps: 30, length, warnings: [], frames$, read, async close() {} };
}

/** Angles of a thing that somebody turns by hand: now faster, now slower. */
export const byHand = (frames: number, whole: number): number[] =>
  Array.from({ length: frames }, (_, i) => (whole * (i + 2 * Math.sin(i / 4))) / (frames - 1));
