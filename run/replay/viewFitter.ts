import { type DepthFrame, type FrameShape, sameShape, shapeOf } from "../../core/frame.ts";
import { fittingFovDeg, orbitPose, quantileM } from "../../core/view.ts";
import { setWithin } from "../../stages/core/parameters.ts";
import type { Stage } from "../../stages/core/stage.ts";
import type { RunRequest } from "../request.ts";

type ViewRequest = Pick<RunRequest, "chosen" | "orbit" | "viewSize">;

/** The distance in metres of a scene's middle as long as no frame has a valid pixel. */
const NOWHERE_M = 1;

/** Shades of distance span the middle 98 % of the depths, so that a few outliers do not stretch them. */
const NEAREST = 0.01;
const FARTHEST = 0.99;

/**
 * Points the drawing stage's camera when the first frame comes: at all that the sensor sees, or from an orbit, focused on the scene's
 * middle depth. It also spans the stages' shades of distance over the scene's depths. The first frame with a valid pixel determines the
 * scene. Parameters that the user has set stay. For a later frame of another size only the field of view is fitted again.
 */
export class ViewFitter {
  readonly #stage: Stage | undefined;
  readonly #shading: readonly Stage[];
  readonly #asked: ViewRequest;
  #first: FrameShape | null = null;
  #latest: FrameShape | null = null;
  #placed: boolean;

  constructor(asked: ViewRequest) {
    this.#asked = asked;
    const { stages } = asked.chosen;
    this.#stage = stages.find(({ role }) => role === "picture");
    this.#shading = stages.filter(({ schema }) => schema.nearM?.fromView && schema.farM?.fromView);
    this.#placed = !this.#stage && this.#shading.length === 0;
    if (asked.viewSize) this.#stage?.set({ ...asked.viewSize });
  }

  /** The shape of the first frame; `null` before it. */
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

  /** Sets those values that the user has not set, within each parameter's range. */
  #setFree(stage: Stage | undefined, values: Readonly<Record<string, number>>): void {
    const { given } = this.#asked.chosen;
    const isFree = ([name]: readonly [string, number]) => !given.has(`${stage?.name}.${name}`);
    if (stage) setWithin(stage, Object.fromEntries(Object.entries(values).filter(isFree)));
  }
}
