import type { DepthFrame } from "../../../sources/index.ts";
import type { ParameterValue } from "../../../stages/core/parameters.ts";
import type { Role } from "../../../stages/core/stage.ts";
import type { ViewStore } from "../state/settings.ts";
import type { Focus } from "../view/camera/focus.ts";
import { type Field, fieldOf, pupilOf, sharpBetween } from "../view/camera/lens.ts";
import type { Rig } from "../view/camera/rig.ts";
import { surveyOf } from "../view/camera/sceneSurvey.ts";
import { splatReachPx } from "../view/camera/splatReach.ts";
import type { ColourScale } from "../view/colourScale.ts";
import { type ColourMode, colourNamed } from "../view/colours.ts";
import type { SplitPlane } from "../view/pick/splitLine.ts";
import { type Blur, blurOf } from "../view/surface/blur.ts";
import { ColourRange } from "../view/surface/colourRange.ts";
import { floorOf, frustumOf, type Segments } from "../view/surface/guides.ts";
import { BACKGROUND, type Scheme } from "../view/surface/scheme.ts";
import type { Look } from "../view/surface/surface.ts";
import type { Engine } from "./engine.ts";

/** What the veil takes away behind the plane of focus, at most. */
const VEIL = 0.55;

/** Turns what the user has chosen, and what the scene is like, into what the stages and the surface are told. */
export class Director {
  #survey: ReturnType<typeof surveyOf> | undefined;
  readonly #range = new ColourRange();
  #plane: SplitPlane | undefined;
  /** Filters are off for as long as somebody looks. */
  comparing = false;
  /** The depth camera's own field of view. */
  own: Field = { across: 0.6, down: 0.45 };
  #hasColor = true;
  #frustum: Segments | undefined;
  #floor: Segments | undefined;
  readonly #look = {
    scheme: "dark" as Scheme,
    view: "picture" as Look["view"],
    pointSize: 1,
    guides: [] as Segments[],
    veil: { distanceM: 1, strength: 0 },
    blur: undefined as Blur | undefined,
  };
  readonly #filtersWere = new Map<string, boolean>();
  /** After a change of these `apply` is to be called, and the picture is out of date. */
  readonly settings;

  constructor(
    readonly engine: Engine,
    store: ViewStore,
    readonly rig: Rig,
    readonly focus: Focus,
    /** What the page looks like now. */
    readonly scheme: () => Scheme,
  ) {
    const lens = ["lens", "sensor", "focalLengthMm", "fNumber", "blades", "field"] as const;
    const guides = ["frustum", "floor", "veil"] as const;
    const picture = ["view", "color", "split", "splitAt", "holdRange", "pointSize", "governor"] as const;
    this.settings = store.part(...picture, ...lens, ...guides);
  }

  /** Tells every stage those of `values` that it lets a viewer set (`fromView` in its schema). */
  setOnStages(values: Readonly<Record<string, ParameterValue>>): void {
    for (const stage of this.engine.pipeline.stages) {
      stage.set(Object.fromEntries(Object.entries(values).filter(([name]) => stage.schema[name]?.fromView)));
    }
  }

  /** What a stage of a role was told. */
  #stageValue(role: Role, parameter: string): number {
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
    if (this.#survey && !this.#survey.blank) {
      if (!this.settings.now.holdRange && this.#range.see(frame)) this.#setRange();
      return recoloured ? "recoloured" : "alike";
    }
    const survey = surveyOf(frame);
    this.#survey = survey;
    this.#frustum = frustumOf(frame.intrinsics, survey.middleM);
    this.#floor = floorOf(survey.floorM, survey.middleM);
    const { width, height, fx, fy } = frame.intrinsics;
    this.own = { across: width / 2 / fx, down: height / 2 / fy };
    this.rig.frame(survey.middleM);
    this.#plane = { intrinsics: frame.intrinsics, distanceM: survey.middleM };
    this.#range.begin(survey);
    this.#setRange();
    this.apply();
    this.focus.set(survey.focusM);
    return "first";
  }

  #setRange(): void {
    const { nearM, farM } = this.#range;
    this.setOnStages({ nearM, farM });
  }

  /** Gives the stages what the settings say. */
  apply(): void {
    const { view, color, blades, split, splitAt } = this.settings.now;
    const { paint } = colourNamed(color);
    const { pipeline } = this.engine;
    this.#enable("picture", view === "picture");
    this.#enable("view", split);
    this.#enable("colour", paint !== undefined || !this.#hasColor);
    this.setOnStages({ by: paint ?? "clay", background: BACKGROUND[this.scheme()], blades, at: splitAt });
    this.rig.setField(this.field);
    pipeline.governor.on = this.settings.now.governor;
  }

  get #mode(): ColourMode {
    return colourNamed(this.settings.now.color);
  }

  /** Points have no lens, but they can be coloured by what one would do. */
  get throughLens(): boolean {
    return this.settings.now.view === "picture" || this.#mode.byLens === true;
  }

  /** What the picture shows, at least: what the depth camera sees, or the lens. */
  get field(): Field {
    return this.settings.now.field === "lens" && this.throughLens ? fieldOf(this.settings.now) : this.own;
  }

  /** Between which distances all is sharp, m. */
  get sharp(): readonly [nearM: number, farM: number] {
    return sharpBetween(this.#pupilM, this.focus.distanceM, this.field);
  }

  get #pupilM(): number {
    return this.settings.now.lens === "lens" ? pupilOf(this.settings.now) : 0;
  }

  /** Where raw depth ends and filtered depth begins, while they stand side by side. */
  get splitPlane(): SplitPlane | undefined {
    return this.settings.now.split && !this.comparing ? this.#plane : undefined;
  }

  /** Takes the lens: somebody asked for it by using it. */
  takeLens(): void {
    this.settings.update({ lens: "lens" });
  }

  /** Says what the colours mean. */
  showScale(scale: ColourScale): void {
    const { blur } = this.look();
    if (blur) scale.showBlur(blur, this.settings.now, this.#stageValue("picture", "height"));
    else if (this.#mode.show) this.#mode.show(scale, (parameter) => this.#stageValue("colour", parameter));
    else scale.hide();
  }

  /** Gives the picture the camera and the lens as they are now. */
  aim(): void {
    const { rig, focus } = this;
    const { focalLengthMm, fNumber, lens: optics } = this.settings.now;
    // 0 is a pinhole.
    const lens = { focusM: focus.distanceM, focalLengthMm, fNumber: optics === "lens" ? fNumber : 0 };
    this.setOnStages({ pose: rig.pose(), verticalFovDeg: rig.camera.fov, maxReachPx: this.#reachPx, ...lens });
  }

  /** How far splats have to reach, so that what is looked at from near is closed. */
  get #reachPx(): number {
    const now = this.#stageValue("picture", "maxReachPx");
    if (!this.#plane) return now;
    const { intrinsics, distanceM } = this.#plane;
    const focalPx = this.#stageValue("picture", "height") / 2 / this.rig.down;
    return splatReachPx((distanceM / intrinsics.fx / this.rig.reachM) * focalPx, now);
  }

  /** Leaves the filters out, for a look at what the sensor gave, and takes in again those that were on. */
  compare(on: boolean): void {
    const { pipeline } = this.engine;
    this.comparing = on;
    for (const { name, role } of pipeline.stages) {
      if (role !== "filter") continue;
      if (on) this.#filtersWere.set(name, pipeline.isEnabled(name));
      pipeline.configure(name, { enabled: !on && (this.#filtersWere.get(name) ?? pipeline.isEnabled(name)) });
    }
    if (!on) this.#filtersWere.clear();
  }

  /** How to look now. Always the same object, so that asking costs next to nothing. */
  look(): Look {
    const { view, pointSize, frustum, floor, veil, lens } = this.settings.now;
    const { byLens } = this.#mode;
    const look = this.#look;
    look.scheme = this.scheme();
    look.view = view;
    look.pointSize = pointSize;
    look.guides.length = 0;
    // From the sensor's own place its outline is the picture's edge.
    if (frustum && this.rig.moved && this.#frustum) look.guides.push(this.#frustum);
    if (floor && this.#floor) look.guides.push(this.#floor);
    look.veil.distanceM = this.focus.distanceM;
    const veiled = veil && lens === "lens" && view === "picture" && !byLens;
    look.veil.strength = veiled ? this.focus.attention * VEIL : 0;
    look.blur = byLens ? blurOf(this.#pupilM, this.focus.distanceM, this.rig.down) : undefined;
    return look;
  }
}
