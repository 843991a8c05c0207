import { type DepthFrame, type FrameShape, sameShape, shapeOf } from "../../sources/frame.ts";
import type { Stage } from "../../stages/stage.ts";
import type { ReplayRequest } from "./replay.ts";
import { fittingFovDeg, orbitPose, quantileM } from "./view.ts";

type Asked = Pick<ReplayRequest, "chosen" | "orbit" | "viewSize">;

/** Where a scene's middle is said to be when its first frame has no valid pixel, metres. */
const NOWHERE_M = 1;

/** Shades of distance reach this much beyond what is seen, whose nearest and farthest would be too light and too dark. */
const MARGIN = 1.25;

/**
 * Points the camera of dofSplat when the first frame comes: at all the sensor sees, or from an orbit, in focus at the scene's
 * middle depth; and lays the shades of distance that compact and paint give where there is no image over the scene's depths.
 * What the user has set stays. A later frame of another size only has the field of view fitted again.
 */
export class ViewFitter {
  readonly #stage: Stage | undefined;
  readonly #shading: readonly Stage[];
  readonly #asked: Asked;
  #first: FrameShape | null = null;
  #latest: FrameShape | null = null;

  constructor(asked: Asked) {
    this.#asked = asked;
    this.#stage = asked.chosen.stages.find((stage) => stage.name === "dofSplat");
    this.#shading = asked.chosen.stages.filter((stage) => stage.name === "compact" || stage.name === "paint");
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
    const range = { nearM: (at(0.02) ?? NOWHERE_M) / MARGIN, farM: (at(0.98) ?? NOWHERE_M) * MARGIN };
    for (const stage of this.#shading) this.#setFree(stage, range);
  }

  /** Sets what the user has not, as near as the stage takes it. */
  #setFree(stage: Stage | undefined, values: Readonly<Record<string, number>>): void {
    for (const [name, value] of Object.entries(values)) {
      const parameter = stage?.schema[name];
      if (!stage || !parameter || this.#asked.chosen.given.has(`${stage.name}.${name}`)) continue;
      const { min = -Infinity, max = Infinity } = parameter;
      stage.set({ [name]: Math.min(Math.max(value, min), max) });
    }
  }
}
