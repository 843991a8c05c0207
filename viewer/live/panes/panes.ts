import { Subject } from "rxjs";
import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import { isLive, type Source } from "../../../sources/index.ts";
import type { SensorNoise } from "../../../stages/core/noise.ts";
import type { Key } from "../control/keys.ts";
import type { Origin, Shown } from "../show/shown.ts";
import type { ViewStore } from "../state/settings.ts";
import type { FoundFloor } from "../view/surface/foundFloor.ts";
import { Layout } from "./layout.ts";
import { measureMenu, panesMenu, scanMenu } from "./menu.ts";
import type { FrameNeed, PaneParts } from "./pane.ts";
import { iconButton } from "./paneBox.ts";
import { type MadePane, PaneSet } from "./paneSet.ts";
import type { PixelPicture } from "./pixelPicture.ts";
import type { Numbers } from "./plot/numbers.ts";
import { FrameTap } from "./probe/frameTap.ts";
import { Probe } from "./probe/probe.ts";
import type { Pixel } from "./probe/projection.ts";
import { SceneView, type Sight } from "./probe/sceneView.ts";
import type { Snapshot } from "./probe/snapshot.ts";
import { arrangementFields, openField, PANES, type PictureName } from "./registry.ts";

/** The elements of the page that the panes are put into. */
export interface Places {
  /** The 3D picture's pane. */
  readonly scene: HTMLElement;
  /** Holds the 3D picture's pane and all others. */
  readonly panes: HTMLElement;
  readonly canvas: HTMLElement;
  /** Holds the readout, below the panes. */
  readonly below: HTMLElement;
  readonly masthead: HTMLElement;
}

export interface PanesParts {
  readonly places: Places;
  readonly settings: ViewStore;
  readonly pipeline: Pick<Pipeline, "gpu" | "statistics" | "trace" | "stages" | "isEnabled" | "signal">;
  readonly shown: Pick<Shown, "gauge" | "origin">;
  readonly numbers: Numbers;
  readonly foundFloor: FoundFloor;
  /** The sensor's noise, where it is known. */
  readonly noise: () => SensorNoise | undefined;
  readonly player: PaneParts<never>["player"];
  readonly sight: Sight;
  /** Has the last frame handed out again. */
  readonly redraw: () => void;
  /** Further choices of the menu. */
  readonly choices: readonly Node[];
  /** The first pane beside the picture was opened, or the last one closed. */
  readonly onSeveral: (several: boolean) => void;
}

/** After this many ms without a frame, panes that lack the last frame ask for it again. */
const CALM_MS = 300;

/**
 * The views beside the 3D picture: the panes of the list, the readout of the pixel that is pointed at, and the ruler. While all of them are
 * closed they cost nothing.
 */
export class Panes {
  /** The pixel that somebody points at; `undefined` when nobody does any more. */
  readonly pointed$ = new Subject<Pixel | undefined>();
  readonly #settings;
  readonly #set: PaneSet;
  readonly #tap: FrameTap;
  readonly #probe: Probe;
  readonly #scene: SceneView;
  readonly #layout: Layout;
  readonly #enlarge;
  readonly #pictures: readonly PixelPicture[];
  #source: Source | null = null;
  /** The newest frame. */
  #frame: Origin["frame"] | undefined;
  /** The live source that was asked for infrared images. */
  #seen: Source | null = null;
  /** Whether several panes were open at the last look. */
  #wereSeveral = false;
  /** Whether the pictures may have marks. */
  #marked = false;
  /** When the last frame came, or was asked for. */
  #frameMs = 0;

  constructor(readonly parts: PanesParts) {
    const { places, pipeline, sight, shown, noise, numbers, foundFloor, player, settings: store } = parts;
    const arrangement = Object.keys(arrangementFields) as (keyof typeof arrangementFields)[];
    this.#settings = store.part(...arrangement, ...PANES.map(({ name }) => openField(name)));
    this.#tap = new FrameTap(
      shown,
      () => this.#need,
      (snapshot) => this.#show(snapshot),
    );
    const snapshot = () => this.#tap.snapshot;
    this.#probe = new Probe({
      shown,
      snapshot,
      noise,
      pause: () => player.pause(),
      onPixel: (tool, pixels) => this.#choose(tool, pixels),
      onPoint: (pixel) => this.pointed$.next(pixel),
      onChange: () => this.#toolChanged(),
    });
    this.#scene = new SceneView(places.canvas, sight, this.#probe, snapshot);
    this.#set = new PaneSet(
      store,
      { pointing: this.#probe, snapshot, shown, pipeline, noise, numbers, foundFloor, player },
      (name) => this.#enlargeOr(name),
    );
    this.#pictures = [this.#scene, ...this.#set.pictures];
    const tools = this.#set.panes.flatMap(({ entry: { name, key }, pane }) =>
      (pane.pixelTools ?? []).map((tool, k) =>
        this.#probe.addTool(toolOf(name, k), tool, [tool.shortcut?.key ?? (k === 0 && key ? key : [])].flat()[0]),
      ),
    );
    const placed = this.#set.panes.map(({ entry: { name, label }, box: { element }, isOpen }) => ({
      name,
      label,
      element,
      isOpen,
    }));
    this.#layout = new Layout(places.panes, places.scene, placed, this.#settings);
    this.#enlarge = iconButton("enlarge", "Enlarge the 3D picture", () => this.#enlargeOr("scene"));
    places.scene.append(this.#scene.marks.element, this.#enlarge);
    places.below.append(this.#probe.element);
    const now = { origin: () => this.parts.shown.origin, ruler: () => this.#probe.rulerText };
    places.masthead.append(
      measureMenu(store, this.#set.panes, [this.#probe.ruleButton, ...tools], now),
      scanMenu(store, this.#set.panes),
      panesMenu(store, parts.choices),
    );
    this.#settings.changes$.subscribe(() => this.#arrange());
    this.#arrange();
  }

  /** The keys that open panes and take up tools. */
  get keys(): readonly Key[] {
    const paneKeys = this.#set.panes.flatMap((made): readonly Key[] => {
      const { name, label, key, keySays = label } = made.entry;
      const { pixelTools = [], shortcuts = [] } = made.pane;
      const toggle = () => this.#settings.update({ [openField(name)]: !made.isOpen() });
      // The pane's key is that of its first tool, unless the tool has a key of its own.
      const does = pixelTools[0] && !pixelTools[0].shortcut ? () => this.#takeUp(toolOf(name, 0)) : toggle;
      const ofTools = pixelTools.flatMap(({ shortcut }, k) =>
        shortcut ? [{ ...shortcut, does: () => this.#takeUp(toolOf(name, k)) }] : [],
      );
      return [...(key === undefined ? [] : [{ key, says: keySays, does }]), ...ofTools, ...shortcuts];
    });
    const readout = () => this.#settings.update({ paneReadout: !this.#settings.now.paneReadout });
    return [
      ...paneKeys,
      { key: "u", says: "Position and depth under the pointer", does: readout },
      { key: "m", says: "Measure between two points of a frame", does: () => this.#takeUp("ruler") },
    ];
  }

  /** Takes a tool up by its key, or puts it away; the arrow keys then point in the picture. */
  #takeUp(tool: string): void {
    this.#probe.toggle(tool);
    if (this.#probe.tool && !document.activeElement?.matches("canvas"))
      this.parts.places.canvas.focus({ preventScroll: true });
  }

  /** Opens a pane with what one of its tools chose. */
  #choose(tool: string, [first, ...others]: readonly Pixel[]): void {
    for (const { entry, pane } of this.#set.panes) {
      const chosen = pane.pixelTools?.find((_, k) => toolOf(entry.name, k) === tool);
      if (!chosen || !first) continue;
      chosen.choose(first, ...others);
      this.#settings.update({ [openField(entry.name)]: true });
    }
  }

  /** Takes a click in the 3D picture, at a place from (0, 0) to (1, 1). Returns whether somebody measures, so that no click focuses. */
  click(x: number, y: number): boolean {
    if (this.#probe.tool) this.#scene.take(x, y);
    const tells = this.#set.panes.some(({ entry, isOpen }) => entry.menu === "Measure" && isOpen());
    return tells || this.#probe.tool !== undefined;
  }

  /** The sensor's noise is another one, or known at last: readings get their ± from it. */
  noiseChanged(): void {
    this.#probe.refresh();
  }

  /** Takes the pixel that somebody points at in the page beside, or that none is pointed at any more. */
  pointBeside(pixel: Pixel | undefined): void {
    this.#probe.beside(pixel);
  }

  /** Call this synchronously with each frame that is shown, new or drawn again. */
  frame(processed: ProcessedFrame, origin: Origin): void {
    this.#frameMs = performance.now();
    if (origin.source !== this.#source) this.#newSource(origin.source);
    const { index, timestamp, jump, intrinsics } = origin.frame;
    this.#layout.fit(intrinsics);
    if (origin.frame !== this.#frame) this.parts.numbers.frames.begin(index, timestamp, jump);
    this.#frame = origin.frame;
    this.#tap.take(processed, origin);
    this.#set.observe(processed, origin);
  }

  /** Call this once for each picture of the screen. */
  tick(nowMs: number): void {
    const isUsed = this.#need !== "nothing";
    if (this.#tap.isBehind && performance.now() - this.#frameMs > CALM_MS) {
      this.#frameMs = performance.now();
      this.parts.redraw();
    }
    if (isUsed) void this.#scene.update(nowMs);
    // After the last pane is closed, one more round takes the marks away.
    if (isUsed || this.#marked) {
      this.#marked = isUsed;
      const { plotted, shapes } = this.#set;
      for (const picture of this.#pictures) this.#probe.mark(picture, plotted, shapes);
    }
    this.#set.draw(nowMs);
  }

  /** What the panes, the readout and the ruler need of each frame. */
  get #need(): FrameNeed {
    if (!this.#isProbing) return "nothing";
    const { pixel, ruler } = this.#probe;
    return pixel || ruler.ends.length > 0 ? "depth" : this.#set.need === "depth" ? "depth" : "source";
  }

  /** Whether the readout is there: while a pane shows frames, while the readout is open, and while a tool is used. */
  get #isProbing(): boolean {
    return this.#settings.now.paneReadout || this.#probe.isUsed || this.#set.need !== "nothing";
  }

  #newSource(source: Source): void {
    this.parts.numbers.clear();
    this.#set.newSource(this.parts.player.isMeant);
    this.#source = source;
    this.#probe.arm(this.#probe.tool === "ruler" ? undefined : this.#probe.tool);
    this.#probe.reset();
    this.#arrange();
  }

  #show(snapshot: Snapshot | undefined): void {
    this.#probe.refresh();
    if (snapshot) this.#set.show(snapshot);
  }

  #enlargeOr(name: PictureName): void {
    this.#settings.update({ paneLarge: this.#layout.large === name ? "scene" : name });
  }

  #toolChanged(): void {
    this.parts.places.panes.classList.toggle("measuring", this.#probe.tool !== undefined);
    this.#arrange();
  }

  #arrange(): void {
    this.#layout.apply();
    const { large, several } = this.#layout;
    if (several !== this.#wereSeveral) this.parts.onSeveral(several);
    this.#wereSeveral = several;
    for (const { entry, box } of this.#set.panes) box.large = large === entry.name;
    this.#enlarge.ariaPressed = `${large === "scene"}`;
    this.#probe.element.hidden = !this.#isProbing;
    const { opened, closed } = this.#set.tellOpened();
    this.#begin(opened);
    if (closed.some(({ entry }) => this.#probe.tool?.startsWith(toolOf(entry.name)))) this.#probe.arm(undefined);
    this.#askForInfrared();
  }

  #askForInfrared(): void {
    const wanted = this.#set.wantsInfrared ? this.#source : null;
    if (wanted === this.#seen) return;
    // The earlier source may be closed already; then this call does nothing.
    if (this.#seen && isLive(this.#seen)) this.#seen.wantInfrared?.(false);
    if (wanted && isLive(wanted)) wanted.wantInfrared?.(true);
    this.#seen = wanted;
  }

  /** Shows newly opened panes the present frame; a pane that needs a pixel asks the user for a click. */
  #begin(opened: readonly MadePane[]): void {
    const { snapshot } = this.#tap;
    if (snapshot) this.#set.show(snapshot, opened);
    const asking = opened.find(({ pane }) => pane.pixelTools?.[0]?.isAsking());
    if (asking && !this.#probe.tool) this.#probe.arm(toolOf(asking.entry.name, 0));
  }
}

/** The name of a pane's tool. */
const toolOf = (pane: string, k: number | "" = ""): string => `${pane}/${k}`;
