import type { DepthFrame } from "../../sources/index.ts";
import type { ParameterValue } from "../../stages/parameters.ts";
import type { Role } from "../../stages/stage.ts";
import type { Engine } from "./engine.ts";
import { type Field, fieldOf, pupilOf, sharpBetween } from "./lens.ts";
import type { ViewSettings } from "./settings.ts";
import { type Blur, blurOf } from "./view/blur.ts";
import type { SplitPlane } from "./view/cut.ts";
import type { Focus } from "./view/focus.ts";
import { floorOf, frustumOf, type Segments } from "./view/guides.ts";
import { DepthRange } from "./view/range.ts";
import type { Rig } from "./view/rig.ts";
import type { Scale } from "./view/scale.ts";
import { BACKGROUND, type Look } from "./view/surface.ts";
import { surveyOf } from "./view/survey.ts";

/** What the veil takes away behind the plane of focus, at most. */
const VEIL = 0.55;

/** Turns what the user has chosen, and what the scene is like, into what the stages and the surface are told. */
export class Director {
  #survey: ReturnType<typeof surveyOf> | undefined;
  readonly #range = new DepthRange();
  #plane: SplitPlane | undefined;
  /** Filters are off for as long as somebody looks. */
  comparing = false;
  /** The depth camera's own field of view. */
  own: Field = { across: 0.6, down: 0.45 };
  #hasColor = true;
  #frustum: Segments | undefined;
  #floor: Segments | undefined;
  readonly #look = {
    view: "picture" as Look["view"],
    pointSize: 1,
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
    if (this.#survey && !this.#survey.blank) {
      if (!this.settings.holdRange && this.#range.see(frame)) this.#tellRange();
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
    this.#tellRange();
    this.apply();
    this.focus.set(survey.focusM);
    return "first";
  }

  #tellRange(): void {
    const { nearM, farM } = this.#range;
    this.tell({ nearM, farM });
  }

  /** Gives the stages what the settings say. */
  apply(): void {
    const { view, color, blades, split, splitAt } = this.settings;
    const painted = color !== "camera" && color !== "blur";
    const { pipeline } = this.engine;
    const drawn = pipeline.stages.some(({ name, role }) => role === "points" && pipeline.isEnabled(name));
    this.#enable("picture", view === "picture" && drawn);
    this.#enable("view", split);
    this.#enable("colour", painted || !this.#hasColor);
    this.tell({ by: painted ? color : "clay", background: BACKGROUND, blades, at: splitAt });
    this.rig.setField(this.field);
    pipeline.governor.on = this.settings.governor;
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
    return sharpBetween(this.#pupilM, this.focus.distanceM, this.field);
  }

  get #pupilM(): number {
    return this.settings.lens === "lens" ? pupilOf(this.settings) : 0;
  }

  /** Where raw depth ends and filtered depth begins, while they stand side by side. */
  get splitPlane(): SplitPlane | undefined {
    return this.settings.split && !this.comparing ? this.#plane : undefined;
  }

  /** What was out of sight comes in: somebody asked for the lens by using it. Says whether that changed anything. */
  takeLens(): boolean {
    const taken = this.settings.lens === "pinhole";
    this.settings.lens = "lens";
    return taken;
  }

  /** Says what the colours mean. */
  showScale(scale: Scale): void {
    const { blur } = this.look();
    if (blur) scale.showBlur(blur, this.settings, this.#told("picture", "height"));
    else if (this.settings.color === "depth")
      scale.showDepth(this.#told("colour", "nearM"), this.#told("colour", "farM"));
    else if (this.settings.color === "difference") scale.showDifference(this.#told("colour", "rangeMm"));
    else scale.hide();
  }

  /** Gives the picture the camera and the lens as they are now. */
  aim(): void {
    const { rig, focus } = this;
    const { focalLengthMm, fNumber, lens: optics } = this.settings;
    // 0 is a pinhole.
    const lens = { focusM: focus.distanceM, focalLengthMm, fNumber: optics === "lens" ? fNumber : 0 };
    this.tell({ pose: rig.pose(), verticalFovDeg: rig.camera.fov, ...lens });
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
    const { view, color, pointSize, frustum, floor, veil, lens } = this.settings;
    const look = this.#look;
    look.view = view;
    look.pointSize = pointSize;
    look.guides.length = 0;
    // From the sensor's own place its outline is the picture's edge.
    if (frustum && this.rig.moved && this.#frustum) look.guides.push(this.#frustum);
    if (floor && this.#floor) look.guides.push(this.#floor);
    look.veil.distanceM = this.focus.distanceM;
    const veiled = veil && lens === "lens" && view === "picture" && color !== "blur";
    look.veil.strength = veiled ? this.focus.attention * VEIL : 0;
    look.blur = color === "blur" ? blurOf(this.#pupilM, this.focus.distanceM, this.rig.down) : undefined;
    return look;
  }
}
