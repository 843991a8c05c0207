import type { Intrinsics } from "../../core/frame.ts";
import type { Rigid } from "../../core/pose.ts";
import { reciprocal } from "../core/exact.ts";
import { POSE_STATE, type PoseState } from "../core/pose.ts";
import {
  FARTHEST,
  FRACTION_BITS,
  JUMP,
  LEAST_ALONG,
  LEAST_SHARE,
  MARK_BITS,
  MEAN_SHIFT,
  MOST,
  MOST_MOVED,
  NEAREST,
  ONE,
  TILE,
} from "./layout.ts";

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

/** The resources that shaders/temporal/warp.wgsl binds. Without a memory, `state` is `lost`. `inUnits` writes `pose`. */
export interface Warp {
  depth: Uint16Array;
  before: Int32Array;
  readonly carried: Int32Array;
  scales: Float32Array;
  state: PoseState;
  readonly pose: Float32Array;
  readonly lens: Lens;
  readonly sums: Int32Array;
}

/** The depth that a memory's pixel shows, if it is valid. */
export const shown = (seen: number) => (seen >>> (MEAN_SHIFT + FRACTION_BITS)) + (seen & 1);

/** The twin of shaders/temporal/warp.wgsl, whose comments explain the method; equals it to the last bit. */
export function warp(own: Warp): void {
  const { lens, sums } = own;
  const across = Math.ceil(lens.width / TILE);
  sums.fill(0);
  for (let y = 0, at = 0; y < lens.height; y++) {
    for (let x = 0, tile = Math.floor(y / TILE) * across; x < lens.width; tile++) {
      let marks = 0;
      for (const end = Math.min(x + TILE, lens.width); x < end; x++, at++) marks += keep(x, y, at, own);
      sums[tile] += marks;
    }
  }
}

/** Writes what is known of a pixel, and returns its mark. */
function keep(x: number, y: number, at: number, own: Warp): number {
  const { depth, before, carried, scales, state } = own;
  const z = depth[at];
  let seen = state === POSE_STATE.lost ? 0 : before[at];
  if (state === POSE_STATE.moved) seen = carry(x, y, z === 0 ? shown(seen) : z, own);
  const mark = markOf(z, seen, scales);
  carried[at] = mark === 0 && z !== 0 ? 0 : seen;
  return mark;
}

/** The mark of a pixel (layout.ts); 0 if the pixel is invalid or has no past, or if it moved. */
function markOf(z: number, seen: number, scales: Float32Array): number {
  const difference = Math.max(-FARTHEST, Math.min(FARTHEST, (z << FRACTION_BITS) - (seen >>> MEAN_SHIFT)));
  const change = Math.trunc(f32(difference * scales[z]));
  return z === 0 || seen === 0 || Math.abs(change) >= JUMP ? 0 : (change << MARK_BITS) + 1;
}

/** The memory of a pixel's point. Rounds to f32 at each step, as assembly/warp.ts and the kernel do, so that all agree bit for bit. */
function carry(x: number, y: number, z: number, { before, scales, pose, lens }: Warp): number {
  const { width, height } = lens;
  if (z === 0) return 0;
  const rayX = f32(f32(x - lens.cx) * lens.perFx);
  const rayY = f32(f32(y - lens.cy) * lens.perFy);
  const along = turnedBy(8, rayX, rayY, pose);
  const qz = f32(f32(along * z) + pose[11]);
  if (!(qz > NEAREST)) return 0;
  const inverse = reciprocal(qz);
  const placeX = f32(f32(f32(f32(f32(turnedBy(0, rayX, rayY, pose) * z) + pose[3]) * inverse) * lens.fx) + lens.cx);
  const placeY = f32(f32(f32(f32(f32(turnedBy(4, rayX, rayY, pose) * z) + pose[7]) * inverse) * lens.fy) + lens.cy);
  if (!(placeX > -1 && placeY > -1 && placeX < width && placeY < height)) return 0;
  const cornerX = Math.floor(placeX);
  const cornerY = Math.floor(placeY);
  const partX = f32(placeX - cornerX);
  const partY = f32(placeY - cornerY);
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

/** One coordinate of a ray, turned by the row of a pose that begins at `r`. */
const turnedBy = (r: number, rayX: number, rayY: number, pose: Float32Array) =>
  f32(f32(pose[r] * rayX) + f32(f32(pose[r + 1] * rayY) + pose[r + 2]));
