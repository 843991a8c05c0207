import { type DepthFrame, type FrameShape, sameShape, shapeOf } from "../../sources/frame.ts";
import type { Stage } from "../../stages/stage.ts";
import type { ReplayRequest } from "./replay.ts";
import { fittingFovDeg, orbitPose, quantileM } from "./view.ts";

type Asked = Pick<ReplayRequest, "chosen" | "orbit" | "viewSize">;

/** Where a scene's middle is said to be when its first frame has no valid pixel, metres. */
const NOWHERE_M = 1;

/** The depth colours reach this much beyond what is seen: both their ends are dark. */
const MARGIN = 1.25;

/**
 * Points the camera of dofSplat when the first frame comes: at all the sensor sees, or from an orbit, in focus at the scene's
 * middle depth; and lays the depth colours of compact, which stand in where there is no image, over the scene's depths.
 * What the user has set stays. A later frame of another size only has the field of view fitted again.
 */
export class ViewFitter {
  readonly #stage: Stage | undefined;
  readonly #compact: Stage | undefined;
  readonly #asked: Asked;
  #first: FrameShape | null = null;
  #latest: FrameShape | null = null;

  constructor(asked: Asked) {
    this.#asked = asked;
    this.#stage = asked.chosen.stages.find((stage) => stage.name === "dofSplat");
    this.#compact = asked.chosen.stages.find((stage) => stage.name === "compact");
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
    if (!this.#stage) return;
    const { width, height } = this.#stage.parameters;
    const picture = { width: Number(width), height: Number(height) };
    this.#setFree(this.#stage, { verticalFovDeg: fittingFovDeg(shape, picture) });
  }

  #fitPlace({ depth, metresPerUnit }: DepthFrame): void {
    const { orbit } = this.#asked;
    const at = (share: number) => quantileM(depth, metresPerUnit, share);
    const middleM = at(0.5) ?? NOWHERE_M;
    if (orbit) this.#stage?.set({ pose: orbitPose(orbit, middleM) });
    this.#setFree(this.#stage, { focusM: orbit?.distanceM ?? middleM });
    this.#setFree(this.#compact, { nearM: (at(0.02) ?? NOWHERE_M) / MARGIN, farM: (at(0.98) ?? NOWHERE_M) * MARGIN });
  }

  /** Sets what the user has not. */
  #setFree(stage: Stage | undefined, values: Readonly<Record<string, number>>): void {
    const { given } = this.#asked.chosen;
    const free = Object.entries(values).filter(([name]) => !given.has(`${stage?.name}.${name}`));
    stage?.set(Object.fromEntries(free));
  }
}
