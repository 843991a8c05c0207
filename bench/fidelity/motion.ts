import type { Intrinsics } from "../../core/frame.ts";
import { compose, invert, type Rigid, rigid } from "../../core/pose.ts";
import { type CameraPose, POSE_STATE } from "../../stages/core/pose.ts";
import { type PosePair, type TrajectoryError, trajectoryError } from "../poses/trajectory.ts";
import type { Depth } from "./image.ts";
import { median } from "./image.ts";

/** A filter's figures on a moving camera. */
export interface MotionFigures {
  /**
   * How far the camera's poses that the filter found are from the true poses; `null` where the filter finds none, or the truth is unknown.
   */
  readonly camera: TrajectoryError | null;
  /** The number of frames whose camera motion the filter did not find. */
  readonly lost: number;
  /** How much a surface changes from frame to frame along its pixel's ray, without the camera's motion: means of medians, mm. */
  readonly changeMm: number | null;
}

/** Frames that are skipped before change is measured, until a temporal mean has settled. */
const WARMUP = 6;
/** A pixel is compared with the frame before if the depths differ by less than 3 mm + 3 mm/m² · z². */
const NEAR_MM = 3;
const NEAR_PER_M2_MM = 3;
/** Neighbours lie on different surfaces if their depths differ by more than SAME times the tolerance above. */
const SAME = 6;

/** Accumulates the figures of a filter's output, frame by frame. */
export class MotionScore {
  readonly #pairs: PosePair[] = [];
  readonly #changes: number[] = [];
  #lost = 0;
  #found = 0;
  #frames = 0;
  #before: Depth | undefined;

  constructor(
    readonly lens: Intrinsics,
    /** The true poses, where they are known. */
    readonly truth: readonly Rigid[] | undefined,
    /** The poses by which change is judged: from each frame's camera to one place. */
    readonly poses: readonly Rigid[],
  ) {}

  add(out: Depth, camera: Pick<CameraPose, "state" | "toWorld"> | undefined): void {
    const index = this.#frames++;
    if (camera) {
      this.#found++;
      if (camera.state === POSE_STATE.lost) this.#lost++;
      else if (this.truth) this.#pairs.push({ index, found: camera.toWorld.slice(), truth: this.truth[index] });
    }
    const before = this.#before;
    this.#before = out;
    if (!before || index < WARMUP) return;
    const motion = compose(rigid(), invert(rigid(), this.poses[index - 1]), this.poses[index]);
    this.#changes.push(changeOf(before, out, motion, this.lens));
  }

  figures(): MotionFigures {
    const mean = (values: readonly number[]) =>
      values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
    return {
      camera: (this.#found > 0 && trajectoryError(this.#pairs)) || null,
      lost: this.#lost,
      changeMm: mean(this.#changes.filter(Number.isFinite)),
    };
  }
}

/**
 * The median change of a surface between two frames, mm. `m` takes points of the camera to the camera of the frame before. Where a point
 * falls there, that frame's depth is looked up: bilinear in inverse depth, among the neighbours on the point's surface.
 */
function changeOf(before: Depth, now: Depth, m: Rigid, { fx, fy, cx, cy, width, height }: Intrinsics): number {
  const changes: number[] = [];
  for (let y = 0; y < height; y++) {
    const v = (y - cy) / fy;
    for (let x = 0; x < width; x++) {
      const z = now.mm[y * width + x];
      if (!(z > 0)) continue;
      const u = (x - cx) / fx;
      const steep = m[8] * u + m[9] * v + m[10];
      const qz = steep * z + 1000 * m[11];
      if (!(qz > 50)) continue;
      const at = (((m[0] * u + m[1] * v + m[2]) * z + 1000 * m[3]) / qz) * fx + cx;
      const to = (((m[4] * u + m[5] * v + m[6]) * z + 1000 * m[7]) / qz) * fy + cy;
      const [left, top] = [Math.floor(at), Math.floor(to)];
      if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height) continue;
      const near = NEAR_MM + NEAR_PER_M2_MM * (z / 1000) ** 2;
      const limit = (SAME * near) / (qz * qz);
      let [sum, weights] = [0, 0];
      for (let k = 0; k < 4; k++) {
        const [i, j] = [left + (k & 1), top + (k >> 1)];
        const inverse = 1 / before.mm[j * width + i];
        if (!(Math.abs(inverse - 1 / qz) < limit)) continue;
        const weight = (1 - Math.abs(at - i)) * (1 - Math.abs(to - j));
        sum += weight * inverse;
        weights += weight;
      }
      if (weights > 0.2) changes.push(Math.abs(qz - weights / sum) / Math.max(0.3, steep));
    }
  }
  return median(changes);
}
