import { type DepthFrame, type FrameShape, sameShape } from "../../core/frame.ts";
import type { Scene } from "../scene.ts";

/** Depths are of one surface if they differ by at most this share. */
const ALIKE = 0.02;
/** A surface stands behind what moves if a pixel sees it in this share of the frames. */
const OFTEN = 0.25;

/** What a `Backdrop` has taken, as plain data for another thread. */
export interface Stood {
  first: FrameShape | undefined;
  frames: number;
  sum: Float64Array;
  count: Uint32Array;
  votes: Int32Array;
}

/** The depth that each pixel sees in most frames, by the majority vote of Boyer and Moore (1991): people walk before what stands. */
export class Backdrop {
  constructor(
    readonly taken: Stood = {
      first: undefined,
      frames: 0,
      sum: new Float64Array(0),
      count: new Uint32Array(0),
      votes: new Int32Array(0),
    },
  ) {}

  /** Takes the next frame. */
  add(frame: DepthFrame): void {
    const { data } = frame.depth;
    if (!this.taken.first) {
      const { metresPerUnit, intrinsics } = frame;
      this.taken.first = { metresPerUnit, intrinsics };
      this.taken.sum = new Float64Array(data.length);
      this.taken.count = new Uint32Array(data.length);
      this.taken.votes = new Int32Array(data.length);
    } else if (!sameShape(this.taken.first, frame)) return;
    const { sum, count, votes } = this.taken;
    this.taken.frames++;
    for (let i = 0; i < data.length; i++) {
      const value = data[i];
      if (value === 0) continue;
      const mean = sum[i] / count[i];
      if (Math.abs(value - mean) <= ALIKE * mean) {
        sum[i] += value;
        count[i]++;
        votes[i]++;
      } else if (votes[i] > 0) votes[i]--;
      else {
        sum[i] = value;
        count[i] = votes[i] = 1;
      }
    }
  }

  /** Completes the scene: where something moved, so that the scene's mean has no depth, it gets the depth of what stands there. */
  behind(scene: Scene): Scene {
    const least = OFTEN * this.taken.frames;
    const metresPerUnit = this.taken.first?.metresPerUnit ?? 0;
    const z = scene.z.map((mean, i) =>
      mean > 0 || this.taken.count[i] < least ? mean : (this.taken.sum[i] / this.taken.count[i]) * metresPerUnit,
    );
    return { ...scene, z };
  }
}
