import type { DepthFrame } from "../../sources/index.ts";
import type { ParameterValue } from "../../stages/parameters.ts";
import type { Role } from "../../stages/stage.ts";
import type { Engine } from "./engine.ts";
import { type Field, fieldOf, pupilOf, sharpBetween } from "./lens.ts";
import type { ViewSettings } from "./settings.ts";
import { type Blur, blurOf } from "./view/blur.ts";
import type { Focus } from "./view/focus.ts";
import { floorOf, frustumOf, type Segments } from "./view/guides.ts";
import type { Rig } from "./view/rig.ts";
import type { Scale } from "./view/scale.ts";
import { BACKGROUND, type Look } from "./view/surface.ts";
import { surveyOf } from "./view/survey.ts";

/** What the veil takes away behind the plane of focus, at most. */
const VEIL = 0.55;

/** Turns what the user has chosen, and what the scene is like, into what the stages and the surface are told. */
export class Director {
  #survey: ReturnType<typeof surveyOf> | undefined;
  /** The depth camera's own field of view. */
  own: Field = { across: 0.6, down: 0.45 };
  #hasColor = true;
  #frustum: Segments | undefined;
  #floor: Segments | undefined;
  readonly #look = {
    view: "picture" as Look["view"],
    pointPx: 1,
    guides: [] as Segments[],
    veil: { distanceM: 1, strength: 0 },
    blur: undefined as Blur | undefined,
  };
  readonly #filtersWere = new Map<string, boolean>();

  constructor(
    readonly engine: Engine,
    readonly settings: ViewSettings,
    readonly rig: Rig,
    readonly focus: Focus,
  ) {}

  /** Tells every stage those of `values` that it lets a viewer set (`fromView` in its schema). */
  tell(values: Readonly<Record<string, ParameterValue>>): void {
    for (const stage of this.engine.pipeline.stages) {
      stage.set(Object.fromEntries(Object.entries(values).filter(([name]) => stage.schema[name]?.fromView)));
    }
  }

  /** What a stage of a role was told. */
  #told(role: Role, parameter: string): number {
    const stage = this.engine.pipeline.stages.find((candidate) => candidate.role === role);
    return Number(stage?.parameters[parameter]);
  }

  /** Leaves out the stages of a role, or takes them in. */
  #enable(role: Role, enabled: boolean): void {
    const { pipeline } = this.engine;
    for (const stage of pipeline.stages) if (stage.role === role) pipeline.configure(stage.name, { enabled });
  }

  /** The next frame is of another scene. */
  newScene(): void {
    this.#survey = undefined;
  }

  /** Looks at a frame before it is processed. Says whether it is the first of its scene, or differs in having colour or none. */
  observe(frame: DepthFrame): "first" | "recoloured" | "alike" {
    const recoloured = this.#hasColor !== (frame.color !== undefined);
    this.#hasColor = frame.color !== undefined;
    if (recoloured) this.apply();
    if (this.#survey && !this.#survey.blank) return recoloured ? "recoloured" : "alike";
    const survey = surveyOf(frame);
    this.#survey = survey;
    this.#frustum = frustumOf(frame.intrinsics, survey.middleM);
    this.#floor = floorOf(survey.floorM, survey.middleM);
    const { width, height, fx, fy } = frame.intrinsics;
    this.own = { across: width / 2 / fx, down: height / 2 / fy };
    this.rig.frame(survey.middleM);
    this.tell({ nearM: survey.nearM, farM: Math.max(survey.farM, survey.nearM * 1.2) });
    this.apply();
    this.focus.set(survey.focusM);
    return "first";
  }

  /** Gives the stages what the settings say. */
  apply(): void {
    const { view, color, blades } = this.settings;
    const painted = color === "depth" || color === "normal";
    const { stages } = this.engine.pipeline;
    const drawn = stages.some(({ name, role }) => role === "points" && this.engine.pipeline.isEnabled(name));
    this.#enable("picture", view === "picture" && drawn);
    this.#enable("colour", painted || !this.#hasColor);
    this.tell({ by: painted ? color : "clay", background: BACKGROUND, blades });
    this.rig.setField(this.field);
  }

  /** Points have no lens, but they can be coloured by what one would do. */
  get throughLens(): boolean {
    return this.settings.view === "picture" || this.settings.color === "blur";
  }

  /** What the picture shows, at least: what the depth camera sees, or the lens. */
  get field(): Field {
    return this.settings.field === "lens" && this.throughLens ? fieldOf(this.settings) : this.own;
  }

  /** Between which distances all is sharp, m. */
  get sharp(): readonly [nearM: number, farM: number] {
    return sharpBetween(pupilOf(this.settings), this.focus.distanceM, this.field);
  }

  /** Says what the colours mean. */
  showScale(scale: Scale): void {
    const { blur } = this.look();
    if (blur) scale.showBlur(blur, this.settings, this.#told("picture", "height"));
    else if (this.settings.color === "depth")
      scale.showDepth(this.#told("colour", "nearM"), this.#told("colour", "farM"));
    else scale.hide();
  }

  /** Gives the picture the camera and the lens as they are now. */
  aim(): void {
    const { rig, focus } = this;
    const { focalLengthMm, fNumber } = this.settings;
    const lens = { focusM: focus.distanceM, focalLengthMm, fNumber };
    this.tell({ pose: rig.pose(), verticalFovDeg: rig.camera.fov, ...lens });
  }

  /** Leaves the filters out, for a look at what the sensor gave, and takes in again those that were on. */
  compare(on: boolean): void {
    const { pipeline } = this.engine;
    for (const { name, role } of pipeline.stages) {
      if (role !== "filter") continue;
      if (on) this.#filtersWere.set(name, pipeline.isEnabled(name));
      pipeline.configure(name, { enabled: !on && (this.#filtersWere.get(name) ?? pipeline.isEnabled(name)) });
    }
    if (!on) this.#filtersWere.clear();
  }

  /** How to look now. Always the same object, so that asking costs next to nothing. */
  look(): Look {
    const { view, color, pointPx, frustum, floor, veil } = this.settings;
    const look = this.#look;
    look.view = view;
    look.pointPx = pointPx;
    look.guides.length = 0;
    // From the sensor's own place its outline is the picture's edge.
    if (frustum && this.rig.moved && this.#frustum) look.guides.push(this.#frustum);
    if (floor && this.#floor) look.guides.push(this.#floor);
    look.veil.distanceM = this.focus.distanceM;
    look.veil.strength = veil && view === "picture" && color !== "blur" ? this.focus.attention * VEIL : 0;
    look.blur = color === "blur" ? blurOf(pupilOf(this.settings), this.focus.distanceM, this.rig.down) : undefined;
    return look;
  }
}
