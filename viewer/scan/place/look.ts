import type { DepthFrame } from "../../../sources/core/frame.ts";

/** Width and height of the images by which places are recognised, px. */
export const [ACROSS, DOWN] = [160, 120];
/** Width and height of the code. */
const [CODE_ACROSS, CODE_DOWN] = [16, 12];
/** Neighbours whose depths differ by more than this share do not lie on one surface. */
const EDGE = 0.03;

/** A frame as a small image of depths with normals, in its camera's axes. */
export interface Look {
  /** Lens of the small image, px. */
  readonly lens: { readonly fx: number; readonly fy: number; readonly cx: number; readonly cy: number };
  /** Metres; 0 where nothing was measured. */
  readonly depths: Float32Array;
  /** Unit normals towards the camera; 0 where there is none. */
  readonly normals: Float32Array;
  /** The mean depths of 16 × 12 parts of the image, m; 0 where little was measured. */
  readonly code: Float32Array;
  /** How many pixels have a normal. */
  readonly count: number;
}

type Seen = Pick<DepthFrame, "depth" | "metresPerUnit" | "intrinsics">;

/** Makes a frame's small image: each pixel is the mean of those of its block that lie on the surface of the block's middle. */
export function lookOf(frame: Seen): Look {
  const { width, height, fx, fy, cx, cy } = frame.intrinsics;
  const [sx, sy] = [width / ACROSS, height / DOWN];
  const lens = { fx: fx / sx, fy: fy / sy, cx: (cx + 0.5) / sx - 0.5, cy: (cy + 0.5) / sy - 0.5 };
  const depths = new Float32Array(ACROSS * DOWN);
  const [sums, counts] = [new Float32Array(CODE_ACROSS * CODE_DOWN), new Float32Array(CODE_ACROSS * CODE_DOWN)];
  for (let y = 0, at = 0; y < DOWN; y++) {
    for (let x = 0; x < ACROSS; x++, at++) {
      const z = meanOf(frame, x * sx, y * sy, sx, sy);
      depths[at] = z;
      if (z === 0) continue;
      const part = Math.floor((y * CODE_DOWN) / DOWN) * CODE_ACROSS + Math.floor((x * CODE_ACROSS) / ACROSS);
      sums[part] += z;
      counts[part]++;
    }
  }
  const normals = new Float32Array(3 * depths.length);
  const count = fillNormals(depths, lens, normals);
  const least = ((ACROSS / CODE_ACROSS) * (DOWN / CODE_DOWN)) / 4;
  return { lens, depths, normals, code: sums.map((sum, i) => (counts[i] > least ? sum / counts[i] : 0)), count };
}

function meanOf({ depth: { data }, metresPerUnit, intrinsics }: Seen, x: number, y: number, sx: number, sy: number) {
  const { width } = intrinsics;
  const middle = data[Math.floor(y + sy / 2) * width + Math.floor(x + sx / 2)];
  let [sum, count] = [0, 0];
  if (middle === 0) return 0;
  for (let v = Math.floor(y); v < Math.floor(y + sy); v++) {
    for (let u = Math.floor(x); u < Math.floor(x + sx); u++) {
      const z = data[v * width + u];
      if (Math.abs(z - middle) > EDGE * middle) continue;
      sum += z;
      count++;
    }
  }
  return (count > 0 ? sum / count : middle) * metresPerUnit;
}

/** Returns how many normals there are. */
function fillNormals(depths: Float32Array, { fx, fy, cx, cy }: Look["lens"], normals: Float32Array): number {
  let count = 0;
  for (let y = 1; y + 1 < DOWN; y++) {
    for (let x = 1; x + 1 < ACROSS; x++) {
      const at = y * ACROSS + x;
      const z = depths[at];
      const [left, right, above, below] = [depths[at - 1], depths[at + 1], depths[at - ACROSS], depths[at + ACROSS]];
      const far = EDGE * z;
      if (z === 0 || Math.abs(left - z) > far || Math.abs(right - z) > far) continue;
      if (Math.abs(above - z) > far || Math.abs(below - z) > far) continue;
      // The normal of the surface z(x, y) whose points are (u z, v z, z) with u = (x - cx) / fx and v = (y - cy) / fy.
      const nx = (fx * (right - left)) / 2;
      const ny = (fy * (below - above)) / 2;
      const nz = -z - ((x - cx) / fx) * nx - ((y - cy) / fy) * ny;
      const length = Math.hypot(nx, ny, nz);
      normals[3 * at] = nx / length;
      normals[3 * at + 1] = ny / length;
      normals[3 * at + 2] = nz / length;
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
