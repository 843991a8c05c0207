import type { ProcessedFrame } from "../../../pipeline/index.ts";
import { type DepthFrame, isBlank } from "../../../sources/index.ts";
import { type ParameterValue, setWithin } from "../../../stages/core/parameters.ts";
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
import { CameraPath } from "../view/surface/cameraPath.ts";
import { ColourRange } from "../view/surface/colourRange.ts";
import { FoundFloor } from "../view/surface/foundFloor.ts";
import { GROUND } from "../view/surface/ground.ts";
import { floorOf, frustumOf, type Segments } from "../view/surface/guides.ts";
import type { Look } from "../view/surface/surface.ts";
import type { Engine } from "./engine.ts";

/** The veil hides at most this share of what lies behind the plane of focus. */
const VEIL = 0.55;
/** The share of the sensor’s image that lens blur shows: its edges often have no depth, and would be blurred with the dark around them. */
const WITHIN_EDGES = 0.97;

/** Sets the stages and the surface from what the user has chosen and from what the scene is like. */
export class StageController {
  #survey: ReturnType<typeof surveyOf> | undefined;
  /** Whether matched depth is being read back. */
  #isReading = false;
  readonly #range = new ColourRange();
  #plane: SplitPlane | undefined;
  /** Whether the filters are off because the user compares with raw depth. */
  comparing = false;
  /** How many files are being made of depth as it was measured. */
  #measuring = 0;
  /** The depth camera's own field of view. */
  own: Field = { across: 0.6, down: 0.45 };
  #hasColor = true;
  #frustum: Segments | undefined;
  #floor: Segments | undefined;
  readonly foundFloor = new FoundFloor();
  /** Where the depth camera was. */
  readonly path = new CameraPath();
  readonly #look = {
    view: "picture" as Look["view"],
    pointSize: 1,
    guides: [] as Segments[],
    veil: { distanceM: 1, strength: 0 },
    blur: undefined as Blur | undefined,
  };
  readonly #filtersWere = new Map<string, boolean>();
  /** The settings that `apply` reads. After a change of one, call `apply` and have the picture drawn again. */
  readonly settings;

  constructor(
    readonly engine: Engine,
    store: ViewStore,
    readonly rig: Rig,
    readonly focus: Focus,
  ) {
    const lens = ["lens", "sensor", "focalLengthMm", "fNumber", "blades", "field"] as const;
    const guides = ["frustum", "path", "floor", "veil"] as const;
    const picture = ["view", "color", "split", "splitAt", "fillPx", "holdRange", "pointSize", "governor"] as const;
    this.settings = store.part(...picture, ...lens, ...guides);
  }

  /** Sets these parameters on every stage that takes them from the view (`fromView` in its schema). */
  setOnStages(values: Readonly<Record<string, ParameterValue>>): void {
    for (const stage of this.engine.pipeline.stages) {
      setWithin(stage, Object.fromEntries(Object.entries(values).filter(([name]) => stage.schema[name]?.fromView)));
    }
  }

  /** The present value of a parameter, on the stage of this role. */
  #stageValue(role: Role, parameter: string): number {
    const stage = this.engine.pipeline.stages.find((candidate) => candidate.role === role);
    return Number(stage?.parameters[parameter]);
  }

  /** Switches the stages of a role on or off. */
  #enable(role: Role, enabled: boolean): void {
    const { pipeline } = this.engine;
    for (const stage of pipeline.stages) if (stage.role === role) pipeline.configure(stage.name, { enabled });
  }

  /** Call this before the first frame of another scene. */
  newScene(): void {
    this.#survey = undefined;
  }

  /**
   * Looks at a frame before the stages process it. Returns "first" for the first frame of a scene, and "recoloured" if frames begin or
   * cease to have colour.
   */
  observe(frame: DepthFrame): "first" | "recoloured" | "alike" {
    const recoloured = this.#hasColor !== (frame.color !== undefined);
    this.#hasColor = frame.color !== undefined;
    if (recoloured) this.apply();
    // Frames that have nothing but a pair of images are blank until they are matched.
    if (this.#survey && (!this.#survey.blank || frame.pair)) {
      if (!this.settings.now.holdRange && this.#range.see(frame)) this.#setRange();
      return recoloured ? "recoloured" : "alike";
    }
    this.#begin(frame);
    return "first";
  }

  /** Frames a scene that has nothing but pairs of images by the first depth that is matched. Resolves to whether it did. */
  async sawMatch({ source, shape, readRaw }: ProcessedFrame): Promise<boolean> {
    const before = this.#survey;
    if (!source.pair || !before?.blank || this.#isReading) return false;
    this.#isReading = true;
    const depth = await readRaw().catch(() => undefined);
    this.#isReading = false;
    // Another scene may have begun, and the pair may not be matched yet.
    if (!depth || isBlank(depth) || this.#survey !== before) return false;
    this.#begin({ ...source, depth, metresPerUnit: shape.metresPerUnit });
    return true;
  }

  #begin(frame: DepthFrame): void {
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
  }

  #setRange(): void {
    const { nearM, farM } = this.#range;
    this.setOnStages({ nearM, farM });
  }

  /** Sets the stages as the settings say. */
  apply(): void {
    const { view, color, blades, splitAt } = this.settings.now;
    const { paint } = colourNamed(color);
    const { pipeline } = this.engine;
    this.#enable("picture", view === "picture");
    const fillPx = view === "picture" && this.#mode.isLook && !this.comparing ? this.settings.now.fillPx : 0;
    this.#enable("view", this.#measuring === 0 && (this.#splits || fillPx > 0));
    this.#enable("colour", !this.#hasColor || (this.#measuring === 0 && paint !== undefined));
    this.setOnStages({ by: paint ?? "clay", background: GROUND, blades, fillPx, at: this.#splits ? splitAt : 0 });
    const { across, down } = this.field;
    const share = this.#pupilM > 0 && this.field === this.own ? WITHIN_EDGES : 1;
    this.rig.setField({ across: share * across, down: share * down });
    pipeline.governor.on = this.settings.now.governor;
  }

  /**
   * Does `work` on filtered depth alone, in the camera's own colours if it has some. Raw points beside it and painted light serve for
   * looking at the scene, so their stages are off meanwhile; `work` learns whether some had to be switched off.
   */
  async asMeasured<T>(work: (off: boolean) => Promise<T>): Promise<T> {
    const running = () => this.engine.pipeline.stages.filter(({ name }) => this.engine.pipeline.isEnabled(name)).length;
    const before = running();
    this.#measuring++;
    this.apply();
    try {
      return await work(running() < before);
    } finally {
      this.#measuring--;
      this.apply();
    }
  }

  get #mode(): ColourMode {
    return colourNamed(this.settings.now.color);
  }

  /** Whether the lens has an effect: points have no lens, but the colours can show what a lens would do. */
  get throughLens(): boolean {
    return this.settings.now.view === "picture" || this.#mode.byLens === true;
  }

  /** The field of view that the picture shows at least: the depth camera's or the lens's. */
  get field(): Field {
    return this.settings.now.field === "lens" && this.throughLens ? fieldOf(this.settings.now) : this.own;
  }

  /** The nearest and the farthest sharp distance, m. */
  get sharp(): readonly [nearM: number, farM: number] {
    return sharpBetween(this.#pupilM, this.focus.distanceM, this.field);
  }

  get #pupilM(): number {
    return this.settings.now.lens === "lens" ? pupilOf(this.settings.now) : 0;
  }

  /** The plane of the divider between raw and filtered depth; `undefined` while these do not stand side by side. */
  get splitPlane(): SplitPlane | undefined {
    return this.#splits && !this.comparing ? this.#plane : undefined;
  }

  get #splits(): boolean {
    return this.settings.now.split && !this.#mode.compares;
  }

  /** Shows raw beside filtered depth, or filtered depth alone. Does nothing while the colours compare raw with filtered depth. */
  toggleSplit(): void {
    if (!this.#mode.compares) this.settings.update({ split: !this.settings.now.split });
  }

  /** Switches to the view through the lens, because the user has used the lens. */
  takeLens(): void {
    this.settings.update({ lens: "lens" });
  }

  /** Shows on the scale what the colours mean. */
  showScale(scale: ColourScale): void {
    const { blur } = this.look();
    if (blur) scale.showBlur(blur, this.settings.now, this.#stageValue("picture", "height"));
    else if (this.#mode.show) this.#mode.show(scale, (parameter) => this.#stageValue("colour", parameter));
    else scale.hide();
  }

  /** Gives dofSplat the present camera and lens. */
  aim(): void {
    const { rig, focus } = this;
    const { focalLengthMm, fNumber, lens: optics } = this.settings.now;
    // An f-number of 0 means a pinhole.
    const lens = { focusM: focus.distanceM, focalLengthMm, fNumber: optics === "lens" ? fNumber : 0 };
    this.setOnStages({ pose: rig.pose(), verticalFovDeg: rig.camera.fov, maxReachPx: this.#reachPx, ...lens });
  }

  /** How far splats must reach so that surfaces seen from near have no gaps, px. */
  get #reachPx(): number {
    const now = this.#stageValue("picture", "maxReachPx");
    if (!this.#plane) return now;
    const { intrinsics, distanceM } = this.#plane;
    const focalPx = this.#stageValue("picture", "height") / 2 / this.rig.down;
    return splatReachPx((distanceM / intrinsics.fx / this.rig.reachM) * focalPx, now);
  }

  /** Switches all filters off to show raw depth, and then those on again that were on before. */
  compare(on: boolean): void {
    // Raw depth may be held by a button and by a key at the same time.
    if (on === this.comparing) return;
    const { pipeline } = this.engine;
    this.comparing = on;
    for (const { name, role } of pipeline.stages) {
      if (role !== "filter") continue;
      if (on) this.#filtersWere.set(name, pipeline.isEnabled(name));
      pipeline.configure(name, { enabled: !on && (this.#filtersWere.get(name) ?? pipeline.isEnabled(name)) });
    }
    if (!on) this.#filtersWere.clear();
    this.apply();
  }

  /** Whether the picture shows where the depth camera was. */
  get showsPath(): boolean {
    return this.settings.now.path && this.rig.moved && this.path.mark !== undefined;
  }

  /** How to draw now. Returns the same object each time, so that a call allocates nothing. */
  look(): Look {
    const { view, pointSize, frustum, floor, veil, lens } = this.settings.now;
    const { byLens } = this.#mode;
    const look = this.#look;
    look.view = view;
    look.pointSize = pointSize;
    look.guides.length = 0;
    // From the sensor's own place the outline would coincide with the picture's edge.
    if (frustum && this.rig.moved && this.#frustum) look.guides.push(this.#frustum);
    const { mark, way } = this.path;
    if (this.showsPath && mark) look.guides.push(way, mark);
    for (const lines of this.foundFloor.guides) look.guides.push(lines);
    if (floor && this.#floor) look.guides.push(this.#floor);
    look.veil.distanceM = this.focus.distanceM;
    const veiled = veil && lens === "lens" && view === "picture" && !byLens;
    look.veil.strength = veiled ? this.focus.attention * VEIL : 0;
    look.blur = byLens ? blurOf(this.#pupilM, this.focus.distanceM, this.rig.down) : undefined;
    return look;
  }
}
