import type { Intrinsics } from "../../core/frame.ts";
import type { Rigid } from "../../core/pose.ts";
import type { Bricks } from "./bricks.ts";
import { LEAN_UNITS } from "./layout.ts";

/** A frame, and how it lies to the bricks. */
export interface Sight {
  readonly bricks: Bricks;
  /** pixelPlanes.ts. */
  readonly planes: Float32Array;
  readonly intrinsics: Intrinsics;
  readonly toWorld: Rigid;
  readonly fromWorld: Rigid;
  /** How far from a pixel's depth bricks are made, and the edge of a brick, in metres. */
  readonly band: number;
  readonly brickM: number;
  /** The number of the frame. */
  readonly turn: number;
}

/** Each frame makes bricks at every `STEP`-th pixel across and down; after `STEP`² frames each pixel has had its turn. */
const STEP = 4;
/** Bricks are made as far from a slanted surface, along its normal, as this share of the band: faces need the voxels beside the surface. */
const SLANTED = 0.75;

type Take = (brick: number) => void;

/**
 * Makes the bricks through which rays pass near the surface, from `band` before it to `band` behind it, and those to both sides of a
 * slanted surface, and hands them to `take`, some of them more than once. Returns whether there was room for all of them.
 */
export function touch({ bricks, planes, intrinsics, toWorld, band, brickM, turn }: Sight, take: Take): boolean {
  const { width, height, fx, fy, cx, cy } = intrinsics;
  const words = new Uint32Array(planes.buffer, planes.byteOffset, planes.length);
  const [xx, xy, xz, xw, yx, yy, yz, yw, zx, zy, zz, zw] = toWorld;
  let isRoom = true;
  for (let y = (turn >> 2) % STEP; y < height; y += STEP) {
    for (let x = turn % STEP; x < width; x += STEP) {
      const at = 4 * (y * width + x);
      if (words[at + 3] === 0) continue;
      const depth = planes[at];
      const [u, v] = [(x - cx) / fx, (y - cy) / fy];
      const length = Math.sqrt(u * u + v * v + 1);
      // From the band's near end along the ray to its far end, an eighth of a brick at a time: longer steps would skip corners of bricks.
      const from = depth - band / length;
      const steps = Math.ceil((16 * band) / brickM);
      const step = (2 * band) / length / steps;
      let [lastX, lastY, lastZ] = [NaN, NaN, NaN];
      for (let i = 0; i <= steps; i++) {
        const z = from + i * step;
        const bx = Math.floor((xx * u * z + xy * v * z + xz * z + xw) / brickM);
        const by = Math.floor((yx * u * z + yy * v * z + yz * z + yw) / brickM);
        const bz = Math.floor((zx * u * z + zy * v * z + zz * z + zw) / brickM);
        if (bx === lastX && by === lastY && bz === lastZ) continue;
        [lastX, lastY, lastZ] = [bx, by, bz];
        const brick = bricks.make(bx, by, bz);
        if (brick < 0) isRoom = false;
        else take(brick);
      }
      const lean = (words[at + 3] & 0xffff) / LEAN_UNITS;
      if (lean > SLANTED * length || ((x ^ y) & STEP) === 0) continue;
      // At every second such pixel, two points beside a slanted surface, along its normal, as pixelPlanes.ts finds it.
      const beside = SLANTED * band * lean;
      const [nx, ny] = [(planes[at + 1] * fx * beside) / depth, (planes[at + 2] * fy * beside) / depth];
      const nz = beside + u * nx + v * ny;
      for (let side = -1; side <= 1; side += 2) {
        const [px, py, pz] = [u * depth + side * nx, v * depth + side * ny, depth - side * nz];
        const brick = bricks.make(
          Math.floor((xx * px + xy * py + xz * pz + xw) / brickM),
          Math.floor((yx * px + yy * py + yz * pz + yw) / brickM),
          Math.floor((zx * px + zy * py + zz * pz + zw) / brickM),
        );
        if (brick < 0) isRoom = false;
        else take(brick);
      }
    }
  }
  return isRoom;
}

/**
 * Hands on the bricks that lie wholly between the camera and the surface behind them: what they hold has moved away. Looks at an
 * eighth of the bricks, at others in the next frame.
 */
export function carve({ bricks, planes, intrinsics, fromWorld, band, brickM, turn }: Sight, take: Take): void {
  const { width, height, fx, fy, cx, cy } = intrinsics;
  const { coordinates, count } = bricks;
  const words = new Uint32Array(planes.buffer, planes.byteOffset, planes.length);
  const half = brickM / 2;
  const radius = half * Math.sqrt(3);
  const m = fromWorld;
  for (let brick = 0; brick < count; brick++) {
    const [i, j, k] = [coordinates[3 * brick], coordinates[3 * brick + 1], coordinates[3 * brick + 2]];
    // One brick of each 2 × 2 × 2, chosen by place: on the GPU the same bricks have other numbers.
    if (((i & 1) | ((j & 1) << 1) | ((k & 1) << 2)) !== (turn & 7)) continue;
    const [x, y, z] = [i * brickM + half, j * brickM + half, k * brickM + half];
    const depth = m[8] * x + m[9] * y + m[10] * z + m[11];
    if (depth < radius) continue;
    const column = Math.round(((m[0] * x + m[1] * y + m[2] * z + m[3]) / depth) * fx + cx);
    const line = Math.round(((m[4] * x + m[5] * y + m[6] * z + m[7]) / depth) * fy + cy);
    if (!(column >= 0 && line >= 0 && column < width && line < height)) continue;
    const at = 4 * (line * width + column);
    if (words[at + 3] > 0 && planes[at] > depth + radius + band) take(brick);
  }
}
