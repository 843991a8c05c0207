import type { Intrinsics } from "../../sources/core/frame.ts";
import type { Rigid } from "../core/pose.ts";
import { JUMP, LEAST_ALONG, LEAST_SHARE, MEAN_SHIFT, MOST, MOST_MOVED, NEAREST, ONE } from "./layout.ts";

/** The stage's memory: one entry per pixel (see layout.ts), rows of `row` pixels. */
export interface Remembered {
  readonly seen: Int32Array;
  readonly trend: Int16Array;
}

const f32 = Math.fround;

/** Copies a motion to `out`, an array of f32 or f64, and converts its translation from metres to units of depth. */
export function inUnits(out: Float32Array | Rigid, motion: Rigid, metresPerUnit: number): void {
  out.set(motion);
  for (let i = 3; i < 12; i += 4) out[i] = motion[i] / metresPerUnit;
}

/**
 * Carries a memory into another view of the camera: each pixel of the new frame gets what was remembered where its point was seen before.
 * The twin of shaders/temporal/warp.wgsl, whose comments explain the method. Rounds to f32 at each step, as the kernel does. `pose` is the
 * motion from the new frame's camera to the camera of the frame before, with its translation in units of depth.
 */
export function warp(
  depth: Uint16Array,
  before: Remembered,
  warped: Remembered,
  { fx, fy, cx, cy, width, height }: Intrinsics,
  row: number,
  pose: Rigid,
  scales: Float32Array,
): void {
  const [r00, r01, r02, tx, r10, r11, r12, ty, r20, r21, r22, tz] = pose.map(f32);
  const [ifx, ify] = [f32(1 / fx), f32(1 / fy)];
  for (let y = 0; y < height; y++) {
    const v = f32(f32(y - f32(cy)) * ify);
    const dx0 = f32(f32(r01 * v) + r02);
    const dy0 = f32(f32(r11 * v) + r12);
    const dz0 = f32(f32(r21 * v) + r22);
    for (let x = 0, i = y * row; x < row; x++, i++) {
      warped.seen[i] = 0;
      warped.trend[i] = 0;
      const z = depth[i];
      if (x >= width || z === 0) continue;
      const u = f32(f32(x - f32(cx)) * ifx);
      const along = f32(f32(r20 * u) + dz0);
      const qz = f32(f32(along * z) + tz);
      if (!(qz > NEAREST)) continue;
      const inverse = f32(1 / qz);
      const qx = f32(f32(f32(f32(r00 * u) + dx0) * z) + tx);
      const qy = f32(f32(f32(f32(r10 * u) + dy0) * z) + ty);
      const px = f32(f32(f32(qx * inverse) * f32(fx)) + f32(cx));
      const py = f32(f32(f32(qy * inverse) * f32(fy)) + f32(cy));
      if (!(px > -1 && py > -1 && px < width && py < height)) continue;
      const left = Math.floor(px);
      const top = Math.floor(py);
      const fu = f32(px - left);
      const fv = f32(py - top);
      const sigmas = f32(scales[z] * ONE);
      let share = 0;
      let sum = 0;
      let counts = 0;
      let best = 0;
      let trend = 0;
      for (let k = 0; k < 4; k++) {
        const nx = left + (k & 1);
        const ny = top + (k >> 1);
        if (nx < 0 || ny < 0 || nx >= width || ny >= height) continue;
        const at = ny * row + nx;
        const seen = before.seen[at];
        if (seen === 0) continue;
        const mean = f32(f32(seen >>> MEAN_SHIFT) * f32(1 / ONE));
        if (!(f32(Math.abs(f32(mean - qz)) * sigmas) < JUMP)) continue;
        const weight = f32((k & 1 ? fu : f32(1 - fu)) * (k >> 1 ? fv : f32(1 - fv)));
        share = f32(share + weight);
        sum = f32(sum + f32(weight / mean));
        counts = f32(counts + f32(weight * ((seen >>> 1) & MOST)));
        if (weight > best) {
          best = weight;
          trend = before.trend[at];
        }
      }
      if (!(share > LEAST_SHARE)) continue;
      const off = f32(qz - f32(share / sum));
      const there = f32(z - f32(off / Math.max(f32(LEAST_ALONG), along)));
      const mean = Math.floor(f32(f32(there * ONE) + 0.5));
      if (!(mean > 0 && mean < 2 ** 25 - ONE)) continue;
      const count = Math.min(MOST_MOVED, Math.max(1, Math.floor(f32(f32(counts / share) + 0.5))));
      const up = ((mean + ONE / 2) >>> 9) - (mean >>> 9);
      warped.seen[i] = (mean << MEAN_SHIFT) | (count << 1) | up;
      warped.trend[i] = trend;
    }
  }
}
