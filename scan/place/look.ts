import type { DepthFrame } from "../../core/frame.ts";

/** Width and height of the images by which places are recognised, px. */
const ACROSS = 160;
const DOWN = 120;
/** Width and height of the code. */
const CODE_ACROSS = 16;
const CODE_DOWN = 12;
/** A normal is computed from the pixels at this distance to each side, px. */
const REACH = 1;
/** Neighbours whose depths differ by more than this share do not lie on one surface. */
const EDGE = 0.03;

/** The vector of a turn: its axis, as long as its angle. */
export type Turn = readonly [number, number, number];

/** A frame as a small image of depths with normals, in its camera's axes. */
export interface Look {
  readonly across: number;
  readonly down: number;
  /** Lens of the small image, px. */
  readonly lens: { readonly fx: number; readonly fy: number; readonly cx: number; readonly cy: number };
  /** Metres; 0 where nothing was measured. */
  readonly depths: Float32Array;
  /** Unit normals towards the camera; 0 for pixels without a normal. */
  readonly normals: Float32Array;
  /** How many pixels have a normal. */
  readonly count: number;
  /** Brightness from 0 to 255, where the frame has colours. */
  readonly light?: Uint8Array | undefined;
  /**
   * How the camera turned from the first row's time to the last one's: a vector in its axes, radians. The motions and places of a look are
   * those of its middle row's time.
   */
  readonly turn?: Turn | undefined;
}

/** A look of 160 × 120 pixels by which its place can be recognised. */
export interface CodedLook extends Look {
  /** The mean depths of 16 × 12 parts of the image, m; 0 where little was measured. */
  readonly code: Float32Array;
  /** How the camera turned when it took the frame, in its axes, radians per ms, if that is known. */
  readonly rate?: Turn | undefined;
}

/** A look without its normals, which take more memory than all the rest. */
export type PackedLook = Omit<CodedLook, "normals">;

type Seen = Pick<DepthFrame, "depth" | "metresPerUnit" | "intrinsics" | "color">;

/** Makes a frame's small image: each pixel is the mean of those of its block that lie on the surface of the block's middle. */
export function lookOf(frame: Seen): CodedLook {
  const { width, height } = frame.intrinsics;
  const [sx, sy] = [width / ACROSS, height / DOWN];
  const look = lookBy(frame.intrinsics, ACROSS, DOWN, REACH, (_, x, y) => meanOf(frame, x * sx, y * sy, sx, sy));
  const [sums, counts] = [new Float32Array(CODE_ACROSS * CODE_DOWN), new Float32Array(CODE_ACROSS * CODE_DOWN)];
  for (let y = 0, at = 0; y < DOWN; y++) {
    for (let x = 0; x < ACROSS; x++, at++) {
      if (look.depths[at] === 0) continue;
      const part = Math.floor((y * CODE_DOWN) / DOWN) * CODE_ACROSS + Math.floor((x * CODE_ACROSS) / ACROSS);
      sums[part] += look.depths[at];
      counts[part]++;
    }
  }
  const least = ((ACROSS / CODE_ACROSS) * (DOWN / CODE_DOWN)) / 4;
  return {
    ...look,
    light: lightOf(frame, sx, sy),
    code: sums.map((sum, i) => (counts[i] > least ? sum / counts[i] : 0)),
  };
}

/** Makes a small image of the depths that `depthAt` gives for its pixels, m; a normal is that of the pixels `reach` to each side. */
export function lookBy(
  { width, height, fx, fy, cx, cy }: DepthFrame["intrinsics"],
  across: number,
  down: number,
  reach: number,
  depthAt: (lens: Look["lens"], x: number, y: number) => number,
): Look {
  const [sx, sy] = [width / across, height / down];
  const lens = { fx: fx / sx, fy: fy / sy, cx: (cx + 0.5) / sx - 0.5, cy: (cy + 0.5) / sy - 0.5 };
  const depths = new Float32Array(across * down);
  for (let y = 0, at = 0; y < down; y++) for (let x = 0; x < across; x++, at++) depths[at] = depthAt(lens, x, y);
  const normals = new Float32Array(3 * depths.length);
  return { across, down, lens, depths, normals, count: fillNormals(depths, across, reach, lens, normals) };
}

export const packed = ({ normals: _, ...rest }: CodedLook): PackedLook => rest;

/** The look as `lookOf` made it. */
export function unpacked(look: PackedLook): CodedLook {
  const normals = new Float32Array(3 * look.depths.length);
  fillNormals(look.depths, look.across, REACH, look.lens, normals);
  return { ...look, normals };
}

/** The brightness of the small image: means of overlapping blocks, so that it changes smoothly from pixel to pixel. */
function lightOf({ color, intrinsics: { width, height } }: Seen, sx: number, sy: number): Uint8Array | undefined {
  if (!color) return undefined;
  const { data } = color;
  const light = new Uint8Array(ACROSS * DOWN);
  for (let y = 0, at = 0; y < DOWN; y++) {
    const [top, end] = [Math.max(0, Math.floor((y - 0.5) * sy)), Math.min(height, Math.ceil((y + 1.5) * sy))];
    for (let x = 0; x < ACROSS; x++, at++) {
      const [left, right] = [Math.max(0, Math.floor((x - 0.5) * sx)), Math.min(width, Math.ceil((x + 1.5) * sx))];
      let sum = 0;
      for (let v = top; v < end; v++) {
        for (let k = 4 * (v * width + left); k < 4 * (v * width + right); k += 4)
          sum += data[k] + 2 * data[k + 1] + data[k + 2];
      }
      light[at] = Math.round(sum / (4 * (end - top) * (right - left)));
    }
  }
  return light;
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
function fillNormals(
  depths: Float32Array,
  across: number,
  reach: number,
  { fx, fy, cx, cy }: Look["lens"],
  normals: Float32Array,
): number {
  let count = 0;
  const rows = reach * across;
  for (let y = reach; y + reach < depths.length / across; y++) {
    for (let x = reach; x + reach < across; x++) {
      const at = y * across + x;
      const z = depths[at];
      const [left, right, above, below] = [
        depths[at - reach],
        depths[at + reach],
        depths[at - rows],
        depths[at + rows],
      ];
      const far = EDGE * z;
      if (z === 0 || Math.abs(left - z) > far || Math.abs(right - z) > far) continue;
      if (Math.abs(above - z) > far || Math.abs(below - z) > far) continue;
      // The normal of the surface z(x, y) whose points are (u z, v z, z) with u = (x - cx) / fx and v = (y - cy) / fy.
      const nx = (fx * (right - left)) / (2 * reach);
      const ny = (fy * (below - above)) / (2 * reach);
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
