import type { Intrinsics } from "../../core/frame.ts";
import type { Rigid } from "../../core/pose.ts";
import { reciprocal } from "../core/exact.ts";
import { FRACTION_BITS, JUMP, LEAST_ALONG, LEAST_SHARE, MEAN_SHIFT, MOST, MOST_MOVED, NEAREST, ONE } from "./layout.ts";

const f32 = Math.fround;

/** Copies a motion to `out`, and converts its translation from metres to units of depth. */
export function inUnits(out: Float32Array, motion: Rigid, metresPerUnit: number): void {
  out.set(motion);
  const unitsPerMetre = f32(1 / metresPerUnit);
  for (let i = 3; i < 12; i += 4) out[i] = f32(f32(motion[i]) * unitsPerMetre);
}

/** A camera in f32, with the reciprocals of its focal lengths. */
export const lensOf = ({ fx, fy, cx, cy, width, height }: Intrinsics) => ({
  fx: f32(fx),
  fy: f32(fy),
  cx: f32(cx),
  cy: f32(cy),
  width,
  height,
  perFx: f32(1 / fx),
  perFy: f32(1 / fy),
});
type Lens = ReturnType<typeof lensOf>;

/**
 * Carries the words of a memory (layout.ts) into another view of the camera: each pixel of the new frame gets the word of the place where
 * its point was seen before. The twin of shaders/temporal/warp.wgsl, whose comments explain the method. `pose` is the motion from the new
 * frame's camera to the camera of the frame before (`inUnits`).
 */
export function warp(
  depth: Uint16Array,
  before: Int32Array,
  warped: Int32Array,
  lens: Lens,
  pose: Float32Array,
  scales: Float32Array,
): void {
  const { width, height } = lens;
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const z = depth[i] === 0 ? shown(before[i]) : depth[i];
      warped[i] = carry(x, y, z, before, lens, pose, scales);
    }
  }
}

/** The depth that a memory's pixel shows, if it is valid. */
export const shown = (seen: number) => (seen >>> (MEAN_SHIFT + FRACTION_BITS)) + (seen & 1);

/**
 * The memory of a pixel's point. Rounds to f32 at each step, as assembly/warp.ts and the kernel do, so that all agree bit for bit.
 */
function carry(
  x: number,
  y: number,
  z: number,
  before: Int32Array,
  lens: Lens,
  pose: Float32Array,
  scales: Float32Array,
): number {
  const { width, height } = lens;
  if (z === 0) return 0;
  const rayX = f32(f32(x - lens.cx) * lens.perFx);
  const rayY = f32(f32(y - lens.cy) * lens.perFy);
  const turnedBy = (r: number) => f32(f32(pose[r] * rayX) + f32(f32(pose[r + 1] * rayY) + pose[r + 2]));
  const along = turnedBy(8);
  const qz = f32(f32(along * z) + pose[11]);
  if (!(qz > NEAREST)) return 0;
  const inverse = reciprocal(qz);
  const placeX = f32(f32(f32(f32(f32(turnedBy(0) * z) + pose[3]) * inverse) * lens.fx) + lens.cx);
  const placeY = f32(f32(f32(f32(f32(turnedBy(4) * z) + pose[7]) * inverse) * lens.fy) + lens.cy);
  if (!(placeX > -1 && placeY > -1 && placeX < width && placeY < height)) return 0;
  const [cornerX, cornerY] = [Math.floor(placeX), Math.floor(placeY)];
  const [partX, partY] = [f32(placeX - cornerX), f32(placeY - cornerY)];
  const sigmas = f32(scales[z] * ONE);
  let share = 0;
  let sum = 0;
  let squares = 0;
  let counts = 0;
  for (let k = 0; k < 4; k++) {
    const thereX = cornerX + (k & 1);
    const thereY = cornerY + (k >> 1);
    if (thereX < 0 || thereY < 0 || thereX >= width || thereY >= height) continue;
    const seen = before[thereY * width + thereX];
    const mean = f32(f32(seen >>> MEAN_SHIFT) * f32(1 / ONE));
    const away = f32(mean - qz);
    if (seen === 0 || !(f32(Math.abs(away) * sigmas) < JUMP)) continue;
    const weight = f32((k & 1 ? partX : f32(1 - partX)) * (k >> 1 ? partY : f32(1 - partY)));
    share = f32(share + weight);
    const weighted = f32(weight * away);
    sum = f32(sum + weighted);
    squares = f32(squares + f32(weighted * away));
    counts = f32(counts + f32(weight * ((seen >>> 1) & MOST)));
  }
  if (!(share > LEAST_SHARE)) return 0;
  const perShare = reciprocal(share);
  const first = f32(sum * perShare);
  const variance = f32(f32(squares * perShare) - f32(first * first));
  const beyond = f32(first - f32(variance * inverse));
  const moved = f32(z + f32(beyond * reciprocal(Math.max(f32(LEAST_ALONG), along))));
  const mean = Math.floor(f32(f32(moved * ONE) + 0.5));
  if (!(mean > 0 && mean < 65535 * ONE)) return 0;
  const count = Math.min(MOST_MOVED, Math.max(1, Math.floor(f32(f32(counts * perShare) + 0.5))));
  const up = ((mean + ONE / 2) >>> FRACTION_BITS) - (mean >>> FRACTION_BITS);
  return (mean << MEAN_SHIFT) | (count << 1) | up;
}
