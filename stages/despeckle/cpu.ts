import { type FrameShape, image } from "../../core/frame.ts";
import { type FrameContext, PingPong } from "../core/resources.ts";
import type { Twin } from "../core/stage.ts";
import { CORNER, DEPTH, KEPT_BITS, MIDDLE, REMOVED, REMOVED_BITS, WAITS } from "./layout.ts";

export interface DespeckleParameters {
  readonly stepPercent: number;
  readonly stepMm: number;
  readonly stepPerM2Mm: number;
  readonly islandPx: number;
  readonly action: "drop" | "snap";
}

/** The parameters in depth units, rounded to f32 as in the kernel. */
export interface Steps {
  readonly least: number;
  readonly share: number;
  readonly noise: number;
}

export function stepsOf(parameters: DespeckleParameters, metresPerUnit: number): Steps {
  const { stepPercent, stepMm, stepPerM2Mm } = parameters;
  return {
    least: Math.fround(stepMm / 1000 / metresPerUnit),
    share: Math.fround(stepPercent / 100),
    noise: Math.fround((stepPerM2Mm / 1000) * metresPerUnit),
  };
}

/** `alike` adds 1 for each pixel within a step, and NEAR more for each within half a step. */
const NEAR = 32;
/** No test reaches farther than this many pixels; a border of invalid pixels of this width surrounds the image. */
const BORDER = 4;

/** The twin of shaders/despeckle.wgsl, whose comments explain the method; one pixel at a time. */
export function despeckleTwin({ intrinsics, metresPerUnit }: FrameShape, parameters: DespeckleParameters): Twin {
  const { width, height } = intrinsics;
  const pitch = width + 2 * BORDER;
  const bordered = new Uint16Array(pitch * (height + 2 * BORDER));
  const output = image(new Uint16Array(width * height), [height, width]);
  const memory = new PingPong([new Uint16Array(width * height), new Uint16Array(width * height)]);
  // Offsets to the second pixel of each of the four pairs; the first lies as far in the opposite direction.
  const pairs = [2, 2 * pitch, 2 * pitch + 2, 2 * pitch - 2] as const;
  const otherRows = [-2 * pitch, 2 * pitch, -pitch, pitch] as const;

  return {
    run(frame, context: FrameContext) {
      const turn = memory.take(context);
      const [after, before] = [memory.pair[turn], memory.pair[turn === 0 ? 1 : 0]];
      const { islandPx, action } = parameters;
      const steps = stepsOf(parameters, metresPerUnit);
      const { data } = frame.depth;
      for (let y = 0; y < height; y++) {
        bordered.set(data.subarray(y * width, (y + 1) * width), (y + BORDER) * pitch + BORDER);
      }
      for (let y = 0, pixel = 0; y < height; y++) {
        for (let x = 0, at = (y + BORDER) * pitch + BORDER; x < width; x++, at++, pixel++) {
          const z = bordered[at];
          if (z === 0) {
            output.data[pixel] = after[pixel] = 0;
            continue;
          }
          const was = memory.continues ? before[pixel] : 0;
          const wasGone = (was & REMOVED) !== 0;
          const plain = stepAt(z, steps);
          const step = held(plain, z, was, wasGone);
          let surface = 0;
          for (let i = 0; i < 4; i++) surface = pair(surface, z, step, bordered, at, pairs[i]);
          let count = alike(z, step, bordered, at);
          if (surface !== 0 || isIsland(count, islandPx)) {
            for (let i = 0; i < 4; i++) count += alike(z, step, bordered, at + otherRows[i]);
          }
          const moved = action === "snap" ? surface : 0;
          const hangs = surface !== 0 && count < CORNER * NEAR;
          const answer = hangs ? moved : isIsland(count, islandPx) ? 0 : z;
          const gone = answer !== z;
          const waits = gone !== wasGone && (was & WAITS) === 0 && isAt(was, z, plain - (plain >> REMOVED_BITS));
          output.data[pixel] = waits ? (wasGone && action !== "snap" ? 0 : z) : answer;
          after[pixel] = (z & DEPTH) | (gone !== waits ? REMOVED : 0) | (waits ? WAITS : 0);
        }
      }
      frame.depth = output;
    },
  };
}

function stepAt(z: number, { least, share, noise }: Steps): number {
  const square = Math.fround(noise * Math.fround(z * z));
  return Math.trunc(Math.min(Math.max(least, Math.fround(share * z), square), 65535));
}

/** The step with which a pixel of depth z is judged after it was judged before: noise alone should not change the answer. */
function held(step: number, z: number, was: number, wasGone: boolean): number {
  if (wasGone) return step - (step >> REMOVED_BITS);
  const part = step >> KEPT_BITS;
  return isAt(was, z, part) ? Math.min(65535, step + part) : step;
}

/** Whether a pixel of depth z was as deep before, give or take `reach`. */
function isAt(was: number, z: number, reach: number): boolean {
  return (was & DEPTH) !== 0 && Math.abs((was & DEPTH) + MIDDLE - z) <= reach;
}

function isBetween(z: number, step: number, a: number, b: number): boolean {
  const low = Math.min(a, b);
  const high = Math.max(a, b);
  return low !== 0 && z - low > step && high - z > step && high - low > 3 * step;
}

/**
 * A pixel of depth z hangs between two surfaces where one opposite pair of its neighbours is clearly nearer and clearly farther than z.
 * `best` is the surface that is nearest to z in depth among the pairs looked at before; this function looks at one more pair, the pixels
 * `to` before and behind `at`, and returns the nearest surface of all (the smaller depth of two that are equally near), or 0 if z hangs
 * between no pair so far.
 */
function pair(best: number, z: number, step: number, depth: Uint16Array, at: number, to: number): number {
  const a = depth[at - to];
  const b = depth[at + to];
  if (!isBetween(z, step, a, b)) return best;
  const a2 = depth[at - 2 * to];
  const b2 = depth[at + 2 * to];
  const onA = a2 === 0 ? 0 : Math.abs(a2 - a);
  const onB = b2 === 0 ? 0 : Math.abs(b2 - b);
  const beside = (a2 === 0 ? onB : onA) + (b2 === 0 ? onA : onB);
  if ((a2 | b2) === 0 || Math.abs(a - b) <= 2 * beside) return best;
  const low = Math.min(a, b);
  const high = Math.max(a, b);
  const surface = high - z < z - low ? high : low;
  const isBetter =
    best === 0 ||
    Math.abs(surface - z) < Math.abs(best - z) ||
    (Math.abs(surface - z) === Math.abs(best - z) && surface < best);
  return isBetter ? surface : best;
}

/** How many of the five pixels around `at` in its row differ from z by at most `step`, and NEAR for each that differs by half of it. */
function alike(z: number, step: number, depth: Uint16Array, at: number): number {
  let count = 0;
  for (let x = -2; x <= 2; x++) count += isAlike(z, step, depth[at + x]);
  return count;
}

function isAlike(z: number, step: number, v: number): number {
  const off = Math.abs(v - z);
  return v !== 0 && off <= step ? (2 * off <= step ? 1 + NEAR : 1) : 0;
}

const isIsland = (count: number, islandPx: number) => (count & (NEAR - 1)) < islandPx;
