import type { Intrinsics } from "../../../../core/frame.ts";
import { invert, rigid } from "../../../../core/pose.ts";
import { type CameraPose, POSE_STATE } from "../../../../stages/core/pose.ts";
import { frustumOf, type Segments } from "./guides.ts";

const COLOR: Segments["color"] = [0.35, 0.85, 0.75, 0.9];
/** The most segments, some 20 m at least; the older half of a path that is full goes. */
const MOST = 4096;
/** A place this far from the last one continues the path, m. */
const STEP_M = 0.005;
/** The size of the small pyramid that stands where the camera is, m. */
const MARK_M = 0.06;

/** The way of the depth camera so far, in the world's axes, and a mark where the camera is. */
export class CameraPath {
  /** The numbers are those of `Segments.growing`: the way stays where it is, and the sensor moves. */
  readonly #growing = { count: 0, version: 0, toSensor: rigid() };
  readonly #ends = new Float32Array(6 * MOST);
  readonly way: Segments = { ends: this.#ends, color: COLOR, growing: this.#growing };
  #mark: Segments | undefined;
  #lens: Intrinsics | undefined;
  /** The last place of the way; `undefined` before the first one, and after the camera was lost. */
  #last: readonly [number, number, number] | undefined;

  /** The pyramid where the camera is; `undefined` while the camera has not moved. */
  get mark(): Segments | undefined {
    return this.#growing.count > 0 ? this.#mark : undefined;
  }

  /** Forgets the way. */
  clear(): void {
    this.#growing.count = 0;
    this.#growing.version++;
    this.#last = undefined;
  }

  /** Takes the place of the next frame's camera. */
  take({ state, toWorld, partners }: CameraPose, lens: Intrinsics): void {
    // Tracking began anew, in another world.
    if (partners === 0 && state === POSE_STATE.still) this.clear();
    if (lens !== this.#lens) this.#mark = frustumOf(lens, MARK_M, COLOR);
    this.#lens = lens;
    invert(this.#growing.toSensor, toWorld);
    const place = [toWorld[3], toWorld[7], toWorld[11]] as const;
    if (state === POSE_STATE.lost) this.#last = undefined;
    else if (!this.#last) this.#last = place;
    else if (Math.hypot(...place.map((x, i) => x - (this.#last?.[i] ?? 0))) >= STEP_M) this.#add(this.#last, place);
  }

  #add(from: readonly number[], to: readonly [number, number, number]): void {
    if (this.#growing.count === MOST) {
      this.#ends.copyWithin(0, 3 * MOST);
      this.#growing.count = MOST / 2;
    }
    this.#ends.set([...from, ...to], 6 * this.#growing.count++);
    this.#growing.version++;
    this.#last = to;
  }
}
