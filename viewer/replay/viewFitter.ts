import { type DepthFrame, type FrameShape, sameShape, shapeOf } from "../../sources/frame.ts";
import type { Stage } from "../../stages/stage.ts";
import type { ReplayRequest } from "./request.ts";
import { fittingFovDeg, orbitPose, quantileM } from "./view.ts";

type Asked = Pick<ReplayRequest, "chosen" | "orbit" | "viewSize">;

/** Where a scene's middle is said to be while no frame has had a valid pixel, metres. */
const NOWHERE_M = 1;

/** Shades of distance are laid over the middle 98 % of the depths: a few strays do not stretch them. */
const [NEAREST, FARTHEST] = [0.01, 0.99];

/**
 * Points the camera of the stage that draws when the first frame comes: at all the sensor sees, or from an orbit, in focus at
 * the scene's middle depth; and lays the shades of distance that stages give to points over the scene's depths. The scene is
 * that of the first frame with a valid pixel. What the user has set stays. A later frame of another size only has the field of
 * view fitted again.
 */
export class ViewFitter {
  readonly #stage: Stage | undefined;
  readonly #shading: readonly Stage[];
  readonly #asked: Asked;
  #first: FrameShape | null = null;
  #latest: FrameShape | null = null;
  #placed = false;

  constructor(asked: Asked) {
    this.#asked = asked;
    const { stages } = asked.chosen;
    this.#stage = stages.find(({ role }) => role === "picture");
    this.#shading = stages.filter(({ schema }) => schema.nearM?.fromView && schema.farM?.fromView);
    if (asked.viewSize) this.#stage?.set({ ...asked.viewSize });
  }

  /** Of the first frame; `null` before it. */
  get shape(): FrameShape | null {
    return this.#first;
  }

  see(frame: DepthFrame): void {
    const shape = shapeOf(frame);
    this.#first ??= shape;
    if (!this.#latest || !sameShape(this.#latest, shape)) this.#fitLens(shape);
    this.#latest = shape;
    if (!this.#placed) this.#fitPlace(frame);
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
    const middle = at(0.5);
    this.#placed = middle !== undefined;
    const middleM = middle ?? NOWHERE_M;
    if (orbit) this.#stage?.set({ pose: orbitPose(orbit, middleM) });
    this.#setFree(this.#stage, { focusM: orbit?.distanceM ?? middleM });
    const range = { nearM: at(NEAREST) ?? NOWHERE_M, farM: at(FARTHEST) ?? NOWHERE_M };
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
