import { type DepthFrame, type FrameShape, sameShape, shapeOf } from "../../sources/frame.ts";
import type { Stage } from "../../stages/stage.ts";
import type { ReplayRequest } from "./replay.ts";
import { fittingFovDeg, middleDepthM, orbitPose } from "./view.ts";

type Asked = Pick<ReplayRequest, "chosen" | "orbit" | "viewSize">;

/** Where a scene's middle is said to be when its first frame has no valid pixel, metres. */
const NOWHERE_M = 1;

/**
 * Points the camera of dofSplat when the first frame comes: at all the sensor sees, or from an orbit, in focus at the scene's
 * middle depth. What the user has set stays. A later frame of another size only has the field of view fitted again.
 */
export class ViewFitter {
  readonly #stage: Stage | undefined;
  readonly #asked: Asked;
  #first: FrameShape | null = null;
  #latest: FrameShape | null = null;

  constructor(asked: Asked) {
    this.#asked = asked;
    this.#stage = asked.chosen.stages.find((stage) => stage.name === "dofSplat");
    if (asked.viewSize) this.#stage?.set({ ...asked.viewSize });
  }

  /** Of the first frame; `null` before it. */
  get shape(): FrameShape | null {
    return this.#first;
  }

  see(frame: DepthFrame): void {
    const shape = shapeOf(frame);
    if (this.#latest && sameShape(this.#latest, shape)) return;
    this.#latest = shape;
    this.#fitLens(shape);
    if (this.#first) return;
    this.#first = shape;
    this.#fitPlace(frame);
  }

  #fitLens(shape: FrameShape): void {
    if (!this.#stage || this.#asked.chosen.given.has("dofSplat.verticalFovDeg")) return;
    const { width, height } = this.#stage.parameters;
    this.#stage.set({ verticalFovDeg: fittingFovDeg(shape, { width: Number(width), height: Number(height) }) });
  }

  #fitPlace({ depth, metresPerUnit }: DepthFrame): void {
    if (!this.#stage) return;
    const { orbit, chosen } = this.#asked;
    const middleM = middleDepthM(depth, metresPerUnit) ?? NOWHERE_M;
    if (orbit) this.#stage.set({ pose: orbitPose(orbit, middleM) });
    if (!chosen.given.has("dofSplat.focusM")) this.#stage.set({ focusM: orbit?.distanceM ?? middleM });
  }
}
