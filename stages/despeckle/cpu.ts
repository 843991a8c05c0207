import { type FrameShape, image } from "../../sources/core/frame.ts";
import { type Moment, Turns } from "../core/moment.ts";
import type { Twin } from "../core/stage.ts";
import { CORNER, KEPT_BITS, REMOVED, REMOVED_BITS } from "./layout.ts";

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

/** No test reaches farther than this many pixels; a border of invalid pixels of this width surrounds the image. */
const BORDER = 4;

/** The twin of shaders/despeckle.wgsl, whose comments explain the method; one pixel at a time. */
export function despeckleTwin({ intrinsics, metresPerUnit }: FrameShape, parameters: DespeckleParameters): Twin {
  const { width, height } = intrinsics;
  const pitch = width + 2 * BORDER;
  const bordered = new Uint16Array(pitch * (height + 2 * BORDER));
  const output = image(new Uint16Array(width * height), [height, width]);
  const memory = new Turns([new Uint16Array(width * height), new Uint16Array(width * height)]);
  // Offsets to the second pixel of each of the four pairs; the first lies as far in the opposite direction.
  const pairs = [2, 2 * pitch, 2 * pitch + 2, 2 * pitch - 2] as const;
  // Sorted by distance, since most pixels find enough similar ones among the nearest.
  const window = [-2, -1, 0, 1, 2]
    .flatMap((y) => [-2, -1, 0, 1, 2].map((x) => ({ at: y * pitch + x, far: x * x + y * y })))
    .sort((one, other) => one.far - other.far)
    .map(({ at }) => at);

  return {
    run(frame, moment: Moment) {
      const turn = memory.take(moment);
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
          const step = held(stepAt(z, steps), z, memory.continues ? before[pixel] : 0);
          const surface = surfaceBeside(bordered, at, z, step, pairs);
          if (surface !== 0 && !hasAlike(CORNER, bordered, at, z, step / 2, window)) {
            output.data[pixel] = action === "snap" ? surface : 0;
          } else {
            output.data[pixel] = hasAlike(islandPx, bordered, at, z, step, window) ? z : 0;
          }
          after[pixel] = output.data[pixel] === z ? Math.min(z, REMOVED - 1) : REMOVED;
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
function held(step: number, z: number, was: number): number {
  if (was === REMOVED) return step - (step >> REMOVED_BITS);
  const part = step >> KEPT_BITS;
  const stayed = was !== 0 && Math.abs(was - z) <= part;
  return stayed ? Math.min(65535, step + part) : step;
}

function surfaceBeside(
  depth: Uint16Array,
  at: number,
  z: number,
  step: number,
  pairs: readonly [number, number, number, number],
): number {
  let best = 0;
  for (let i = 0; i < 4; i++) {
    const to = pairs[i];
    const a = depth[at - to];
    const b = depth[at + to];
    const low = a < b ? a : b;
    const high = a < b ? b : a;
    if (z - low <= step || high - z <= step || low === 0) continue;
    const gap = high - low;
    const a2 = depth[at - 2 * to];
    const b2 = depth[at + 2 * to];
    if (gap <= 3 * step || (a2 | b2) === 0 || gap <= 2 * besideOf(a, b, a2, b2)) continue;
    const surface = high - z < z - low ? high : low;
    const isBetter =
      best === 0 ||
      Math.abs(surface - z) < Math.abs(best - z) ||
      (Math.abs(surface - z) === Math.abs(best - z) && surface < best);
    if (isBetter) best = surface;
  }
  return best;
}

/** How much depth changes beside the pair. Where one side is invalid, the other side counts twice. */
function besideOf(a: number, b: number, a2: number, b2: number): number {
  const onA = a2 === 0 ? 0 : Math.abs(a2 - a);
  const onB = b2 === 0 ? 0 : Math.abs(b2 - b);
  return (a2 === 0 ? onB : onA) + (b2 === 0 ? onA : onB);
}

/** Whether at least `count` pixels of the window have a depth within `reach` of z. */
function hasAlike(
  count: number,
  depth: Uint16Array,
  at: number,
  z: number,
  reach: number,
  window: readonly number[],
): boolean {
  let alike = 0;
  for (let i = 0; i < window.length; i++) {
    const v = depth[at + window[i]];
    const off = v < z ? z - v : v - z;
    if (v !== 0 && off <= reach && ++alike === count) return true;
  }
  return false;
}
