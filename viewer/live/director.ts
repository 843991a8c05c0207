import type { DepthFrame } from "../../sources/index.ts";
import type { Stage } from "../../stages/stage.ts";
import type { Engine } from "./engine.ts";
import type { ViewSettings } from "./settings.ts";
import type { Focus } from "./view/focus.ts";
import { floorOf, frustumOf, type Segments } from "./view/guides.ts";
import type { Rig } from "./view/rig.ts";
import { BACKGROUND, type Look } from "./view/surface.ts";
import { surveyOf } from "./view/survey.ts";

/** What the veil takes away behind the plane of focus, at most. */
const VEIL = 0.55;
const FILTERS = ["median", "bilateralGrid"];

/** Turns what the user has chosen, and what the scene is like, into what the stages and the surface are told. */
export class Director {
  #survey: ReturnType<typeof surveyOf> | undefined;
  #hasColor = true;
  #frustum: Segments | undefined;
  #floor: Segments | undefined;
  readonly #look = {
    view: "picture" as Look["view"],
    pointPx: 1,
    guides: [] as Segments[],
    veil: { distanceM: 1, strength: 0 },
  };
  readonly #filtersWere = new Map<string, boolean>();

  constructor(
    readonly engine: Engine,
    readonly settings: ViewSettings,
    readonly rig: Rig,
    readonly focus: Focus,
  ) {}

  stage(name: string): Stage {
    const found = this.engine.pipeline.stages.find((stage) => stage.name === name);
    if (!found) throw new Error(`no stage ${name}`);
    return found;
  }

  /** The next frame is of another scene. */
  newScene(): void {
    this.#survey = undefined;
  }

  /** Looks at a frame before it is processed. True if it was the first one of its scene. */
  observe(frame: DepthFrame): boolean {
    if (this.#hasColor !== (frame.color !== undefined)) {
      this.#hasColor = frame.color !== undefined;
      this.apply();
    }
    if (this.#survey) return false;
    const survey = surveyOf(frame);
    this.#survey = survey;
    this.#frustum = frustumOf(frame.intrinsics, survey.middleM);
    this.#floor = floorOf(survey.floorM, survey.middleM);
    this.rig.frame(frame.intrinsics, survey.middleM);
    this.focus.set(survey.focusM);
    this.stage("paint").set({ nearM: survey.nearM, farM: Math.max(survey.farM, survey.nearM * 1.2) });
    this.apply();
    return true;
  }

  /** Gives the stages what the settings say. */
  apply(): void {
    const { pipeline } = this.engine;
    const { view, color, fNumber } = this.settings;
    pipeline.configure("dofSplat", { enabled: view === "picture" });
    pipeline.configure("paint", { enabled: color !== "camera" || !this.#hasColor });
    if (color !== "camera") this.stage("paint").set({ by: color });
    else if (!this.#hasColor) this.stage("paint").set({ by: "clay" });
    this.stage("dofSplat").set({ fNumber, background: BACKGROUND });
  }

  /** Leaves the filters out, for a look at what the sensor gave, and takes in again those that were on. */
  compare(on: boolean): void {
    const { pipeline } = this.engine;
    for (const name of FILTERS) {
      if (on) this.#filtersWere.set(name, pipeline.isEnabled(name));
      pipeline.configure(name, { enabled: !on && (this.#filtersWere.get(name) ?? pipeline.isEnabled(name)) });
    }
    if (!on) this.#filtersWere.clear();
  }

  /** How to look now. Always the same object, so that asking costs nothing. */
  look(): Look {
    const { view, pointPx, frustum, floor, veil } = this.settings;
    const look = this.#look;
    look.view = view;
    look.pointPx = pointPx;
    look.guides.length = 0;
    // From the sensor's own place its outline is the picture's edge.
    if (frustum && this.rig.moved && this.#frustum) look.guides.push(this.#frustum);
    if (floor && this.#floor) look.guides.push(this.#floor);
    look.veil.distanceM = this.focus.distanceM;
    look.veil.strength = veil && view === "picture" ? this.focus.attention * VEIL : 0;
    return look;
  }
}
