import type { Intrinsics } from "../../core/frame.ts";
import { constantOf } from "../../shaders/shader.ts";
import alignShader from "../../shaders/track/align.wgsl";
import { EVERY, FEWEST_JUDGED, FEWEST_TAKING, ITERATIONS, JUDGED, LEVELS, NARROW, SMALL, WIDE } from "./constants.ts";
import { SURFACE } from "./layout.ts";

const { fround } = Math;

/** The lens and the size of one level. All numbers are an f32; `ix` and `iy` are the inverses of the focal lengths. */
export interface LevelLens {
  readonly ix: number;
  readonly iy: number;
  readonly width: number;
  readonly height: number;
  readonly fx: number;
  readonly fy: number;
  readonly cx: number;
  readonly cy: number;
}

/** One level of a frame's depth in metres; 0 is invalid. */
export interface Level extends LevelLens {
  readonly z: Float32Array;
}

/** The lenses of the levels, the finest (half the size) first. A level of a small frame has no pixel. */
export function lensesOf(intrinsics: Intrinsics): LevelLens[] {
  let { width, height, fx, fy, cx, cy } = intrinsics;
  return Array.from({ length: LEVELS }, () => {
    [width, height, fx, fy] = [Math.floor(width / 2), Math.floor(height / 2), fx / 2, fy / 2];
    [cx, cy] = [(cx - 0.5) / 2, (cy - 0.5) / 2];
    const f32 = { fx: fround(fx), fy: fround(fy), cx: fround(cx), cy: fround(cy) };
    return { ...f32, ix: fround(1 / f32.fx), iy: fround(1 / f32.fy), width, height };
  });
}

/** The number of pixels of a row or column that take part. */
export const takingAlong = (size: number, every: number): number =>
  Math.ceil(Math.max(0, size - Math.floor(every / 2)) / every);

/** The number of pixels of a level that take part. */
export const takingPart = ({ width, height }: LevelLens, every: number): number =>
  takingAlong(width, every) * takingAlong(height, every);

/** The sampling of each level: every n-th pixel takes part. */
export const samplingOf = (lenses: readonly LevelLens[]): number[] =>
  lenses.map((lens, level) => {
    let every: number = EVERY[level];
    while (every > 1 && takingPart(lens, every) < FEWEST_TAKING) every--;
    return every;
  });

/** An iteration: its level, and the largest difference in depth from a partner, as a share of the depth. */
interface Iteration {
  readonly level: number;
  readonly gate: number;
}

/** The iterations in order. Levels with fewer pixels than the equations need are left out, except the finest. */
export function iterationsOf(lenses: readonly LevelLens[]): Iteration[] {
  const every = samplingOf(lenses);
  const used = lenses.flatMap((lens, i) => (i === 0 || takingPart(lens, every[i]) >= FEWEST_TAKING / 2 ? [i] : []));
  const coarsest = Math.max(...used);
  return used.reverse().flatMap((level) =>
    Array.from({ length: ITERATIONS[level] }, (_, i) => ({
      level,
      gate: level === coarsest ? Math.max(NARROW, WIDE / 2 ** i) : NARROW,
    })),
  );
}

/** The invocations of a workgroup of the kernels, and the most workgroups. */
const LANES = /* @__PURE__ */ constantOf(alignShader, "LANES");
const MOST_GROUPS = 126;
/** The number of workgroups that process the pixels of a level that take part. */
export const groupsOf = (pixels: number): number => Math.min(MOST_GROUPS, Math.max(1, Math.ceil(pixels / LANES)));

/** How much coarser sums are in large frames, so that those of a workgroup fit into 32 bits: a power of two, 1 up to 640 × 480. */
export function unitOf(lenses: readonly LevelLens[]): number {
  const every = samplingOf(lenses);
  const most = Math.max(
    LANES,
    ...lenses.map((lens, i) => {
      const pixels = takingPart(lens, every[i]);
      return LANES * Math.ceil(pixels / groupsOf(pixels) / LANES);
    }),
  );
  return 2 ** -Math.ceil(Math.log2(most / LANES));
}

/** The level at which standing and moving are told apart: one with enough pixels to tell slow motion from noise, if any. */
export const judgedOf = (lenses: readonly LevelLens[]): number =>
  takingPart(lenses[JUDGED], 1) < 2 * FEWEST_TAKING ? 0 : JUDGED;

/** The number of pixels that have to be counted before a camera that stood counts as moving. */
export const fewestOf = ([{ width, height }]: readonly LevelLens[]): number =>
  width * height < SMALL ? Number.POSITIVE_INFINITY : FEWEST_JUDGED;

/** Writes all levels of a frame whose depth is in units of `metresPerUnit`. */
export function shrink(depth: Uint16Array, across: number, metresPerUnit: number, levels: readonly Level[]): void {
  let [source, width, scale]: [Uint16Array | Float32Array, number, number] = [depth, across, fround(metresPerUnit)];
  for (const level of levels) {
    halve(source, width, scale, level);
    [source, width, scale] = [level.z, level.width, 1];
  }
}

const MOST = fround(1 + SURFACE);

/** Half the size: each pixel is the mean of those of its 2 × 2 that lie on the surface of the nearest. Everything is an f32. */
function halve(source: Uint16Array | Float32Array, across: number, scale: number, { width, height, z }: Level): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0, i = 2 * y * across; x < width; x++, i += 2) {
      const a = source[i];
      const b = source[i + 1];
      const c = source[i + across];
      const d = source[i + across + 1];
      const most = fround(Math.min(a || Infinity, b || Infinity, c || Infinity, d || Infinity) * MOST);
      let sum = 0;
      let count = 0;
      if (a !== 0 && a <= most) {
        sum = a;
        count++;
      }
      if (b !== 0 && b <= most) {
        sum = fround(sum + b);
        count++;
      }
      if (c !== 0 && c <= most) {
        sum = fround(sum + c);
        count++;
      }
      if (d !== 0 && d <= most) {
        sum = fround(sum + d);
        count++;
      }
      z[y * width + x] = count > 0 ? fround(sum * fround(1 / count)) * scale : 0;
    }
  }
}
