import type { DepthFrame } from "../../../sources/core/frame.ts";

/** Width and height of the images by which places are recognised, px. */
export const [ACROSS, DOWN] = [80, 60];
/** Width and height of the code. */
const [CODE_ACROSS, CODE_DOWN] = [16, 12];
/** Neighbours whose depths differ by more than this share do not lie on one surface. */
const EDGE = 0.04;

/** A frame as a small image of points with normals, in its camera's axes. */
export interface Look {
  /** Lens of the small image, px. */
  readonly lens: { readonly fx: number; readonly fy: number; readonly cx: number; readonly cy: number };
  /** x, y, z in metres of each pixel; z is 0 where nothing was measured. */
  readonly points: Float32Array;
  /** Unit normals towards the camera; 0 where there is none. */
  readonly normals: Float32Array;
  /** The mean depths of 16 × 12 parts of the image, m; 0 where little was measured. */
  readonly code: Float32Array;
  /** How many pixels have a normal. */
  readonly count: number;
}

/** Makes a frame's small image: each pixel is the nearest pixel of the frame. */
export function lookOf({
  depth,
  metresPerUnit,
  intrinsics,
}: Pick<DepthFrame, "depth" | "metresPerUnit" | "intrinsics">): Look {
  const { width, height, fx, fy, cx, cy } = intrinsics;
  const [sx, sy] = [width / ACROSS, height / DOWN];
  const lens = { fx: fx / sx, fy: fy / sy, cx: (cx + 0.5) / sx - 0.5, cy: (cy + 0.5) / sy - 0.5 };
  const points = new Float32Array(3 * ACROSS * DOWN);
  const [sums, counts] = [new Float32Array(CODE_ACROSS * CODE_DOWN), new Float32Array(CODE_ACROSS * CODE_DOWN)];
  for (let y = 0, at = 0; y < DOWN; y++) {
    const row = Math.floor((y + 0.5) * sy) * width;
    for (let x = 0; x < ACROSS; x++, at += 3) {
      const z = depth.data[row + Math.floor((x + 0.5) * sx)] * metresPerUnit;
      points[at] = ((x - lens.cx) / lens.fx) * z;
      points[at + 1] = ((y - lens.cy) / lens.fy) * z;
      points[at + 2] = z;
      if (z === 0) continue;
      const part = Math.floor((y * CODE_DOWN) / DOWN) * CODE_ACROSS + Math.floor((x * CODE_ACROSS) / ACROSS);
      sums[part] += z;
      counts[part]++;
    }
  }
  const normals = new Float32Array(points.length);
  const count = fillNormals(points, normals);
  const least = ((ACROSS / CODE_ACROSS) * (DOWN / CODE_DOWN)) / 4;
  return { lens, points, normals, code: sums.map((sum, i) => (counts[i] > least ? sum / counts[i] : 0)), count };
}

/** Returns how many normals there are. */
function fillNormals(p: Float32Array, normals: Float32Array): number {
  let count = 0;
  for (let y = 1; y + 1 < DOWN; y++) {
    for (let x = 1; x + 1 < ACROSS; x++) {
      const at = 3 * (y * ACROSS + x);
      const z = p[at + 2];
      const around = [at - 3, at + 3, at - 3 * ACROSS, at + 3 * ACROSS];
      if (z === 0 || around.some((i) => Math.abs(p[i + 2] - z) > EDGE * z)) continue;
      const [u, v] = [0, 2].map((k) => [0, 1, 2].map((axis) => p[around[k + 1] + axis] - p[around[k] + axis]));
      // Down × across: towards the camera.
      const normal = [v[1] * u[2] - v[2] * u[1], v[2] * u[0] - v[0] * u[2], v[0] * u[1] - v[1] * u[0]];
      const length = Math.hypot(...normal);
      if (length === 0) continue;
      for (let axis = 0; axis < 3; axis++) normals[at + axis] = normal[axis] / length;
      count++;
    }
  }
  return count;
}

/** How differently two codes look: the mean difference of depth as a share, over the parts that either has; 1 where they share nothing. */
export function unlike(a: Float32Array, b: Float32Array): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    if (a[i] === 0 && b[i] === 0) continue;
    sum += a[i] === 0 || b[i] === 0 ? 1 : Math.min(1, (2 * Math.abs(a[i] - b[i])) / (a[i] + b[i]));
    count++;
  }
  return count === 0 ? 1 : sum / count;
}
