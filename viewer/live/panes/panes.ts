import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import type { Source } from "../../../sources/index.ts";
import type { SensorNoise } from "../../../stages/core/noise.ts";
import type { Key } from "../control/keys.ts";
import type { Origin, Shown } from "../show/shown.ts";
import type { ViewSettings, ViewStore } from "../state/settings.ts";
import { ColorPane } from "./image/colorPane.ts";
import { DepthPane } from "./image/depthPane.ts";
import { Layout, type PictureName } from "./layout.ts";
import { panesMenu } from "./menu.ts";
import { iconButton } from "./paneBox.ts";
import { Plots } from "./plot/plots.ts";
import { FrameTap, type Need } from "./probe/frameTap.ts";
import { Probe } from "./probe/probe.ts";
import { SceneView, type Sight } from "./probe/sceneView.ts";
import type { Snapshot } from "./probe/snapshot.ts";
import { paneFields } from "./settings.ts";

/** Where the panes are put. */
export interface Places {
  /** The 3D picture's pane, and what the others lie beside it in. */
  readonly scene: HTMLElement;
  readonly panes: HTMLElement;
  readonly canvas: HTMLElement;
  /** Below the panes. */
  readonly below: HTMLElement;
  readonly masthead: HTMLElement;
}

export interface PanesParts {
  readonly places: Places;
  readonly settings: ViewStore;
  readonly pipeline: Pick<Pipeline, "gpu" | "statistics" | "trace" | "stages">;
  readonly shown: Pick<Shown, "gauge" | "origin">;
  /** The sensor's noise, where it is known. */
  readonly noise: () => SensorNoise | undefined;
  /** Stops playing. */
  readonly pause: () => void;
  readonly sight: Sight;
  /** Has the last frame handed out again. */
  readonly redraw: () => void;
  /** The first pane beside the picture was opened, or the last one closed. */
  readonly onSeveral: (several: boolean) => void;
}

/** Nothing has come for so long: what is behind asks for the last frame again, ms. */
const CALM_MS = 300;

/** What is beside the 3D picture: depth and colour as images, plots, and what is under the pointer. Closed, they cost nothing. */
export class Panes {
  readonly #settings;
  readonly #tap: FrameTap;
  readonly #probe: Probe;
  readonly #scene: SceneView;
  readonly #depth: DepthPane;
  readonly #color: ColorPane;
  readonly #plots: Plots;
  readonly #layout: Layout;
  readonly #enlarge;
  #source: Source | null = null;
  /** What was open when last looked. */
  readonly #opened = { several: false, pixel: false, latency: false };
  /** The views have marks. */
  #marked = false;
  /** Of the last frame, and of the last time one was asked for. */
  #frameMs = 0;

  constructor(readonly parts: PanesParts) {
    const { places, pipeline, sight, shown, noise, pause } = parts;
    const settings = parts.settings.part(...(Object.keys(paneFields) as (keyof typeof paneFields)[]));
    this.#settings = settings;
    this.#tap = new FrameTap(
      shown,
      () => this.#need(),
      (snapshot) => this.#show(snapshot),
    );
    const snapshot = () => this.#tap.snapshot;
    this.#probe = new Probe({
      ...{ shown, snapshot, noise, pause },
      onPixel: (pixel) => this.#plot(pixel.u, pixel.v),
      onChange: () => this.#toolChanged(),
    });
    this.#scene = new SceneView(places.canvas, sight, this.#probe, snapshot);
    const open = (key: "paneDepth" | "paneColor") => ({ onClose: () => this.#set({ [key]: false }) });
    const large = (name: PictureName) => ({ onLarge: () => this.#enlargeOr(name) });
    this.#depth = new DepthPane(settings, this.#probe, { ...open("paneDepth"), ...large("depth") });
    this.#color = new ColorPane(this.#probe, { ...open("paneColor"), ...large("color") });
    this.#plots = new Plots(pipeline, shown, settings);
    const boxes = { depth: this.#depth.box.element, color: this.#color.box.element, ...this.#plots.boxes };
    this.#layout = new Layout(places.panes, places.scene, boxes, settings);
    this.#enlarge = iconButton("enlarge", "Enlarge 3D", () => this.#enlargeOr("scene"));
    places.scene.append(this.#scene.marks.element, this.#enlarge);
    places.below.append(this.#probe.element);
    places.masthead.append(panesMenu(settings, () => this.#ruler()));
    settings.changes$.subscribe(() => this.#changed());
    this.#refresh();
  }

  #refresh(): void {
    this.#plots.refresh();
    this.#depth.refresh();
    this.#arrange();
  }

  /** What keys do here. */
  get keys(): readonly Key[] {
    const toggle = (pane: "paneDepth" | "paneColor" | "paneLatency" | "paneReadout") => () =>
      this.#set({ [pane]: !this.#settings.now[pane] });
    return [
      { key: "g", says: "Depth image", does: toggle("paneDepth") },
      { key: "c", says: "Colour image", does: toggle("paneColor") },
      { key: "t", says: "Latency over time", does: toggle("paneLatency") },
      { key: "u", says: "What is under the pointer", does: toggle("paneReadout") },
      { key: "p", says: "Plot the pixel pointed at over time", does: () => this.#plotPixel() },
      {
        key: "m",
        says: "Measure with the ruler between two points of a frame; it goes with the frame, or by Esc",
        does: () => this.#ruler(),
      },
    ];
  }

  /** Takes up the ruler, or puts it down. */
  #ruler(): void {
    this.#probe.arm(this.#probe.tool === "ruler" ? undefined : "ruler");
  }

  /** Plots the pixel that is pointed at, or has one be clicked. */
  #plotPixel(): void {
    const { pixel } = this.#probe;
    if (pixel) this.#plot(pixel.u, pixel.v);
    else this.#probe.arm("pixel");
  }

  /** A click in the 3D picture, at a place from (0, 0) to (1, 1). True if it was meant for a tool. */
  click(x: number, y: number): boolean {
    if (!this.#probe.tool) return false;
    void this.#scene.clicked(x, y).then((pixel) => pixel && this.#probe.take(this.#scene, pixel));
    return true;
  }

  /** To be called synchronously with each frame that is shown, drawn again too. */
  frame(processed: ProcessedFrame, origin: Origin): void {
    this.#frameMs = performance.now();
    if (origin.source !== this.#source) this.#begin(origin.source);
    this.#tap.take(processed, origin);
    this.#plots.observe(processed, origin);
  }

  /** To be called once a picture. */
  tick(nowMs: number): void {
    const { redraw } = this.parts;
    const isOpen = this.#need() !== "nothing";
    if (this.#tap.isBehind && performance.now() - this.#frameMs > CALM_MS) {
      this.#frameMs = performance.now();
      redraw();
    }
    if (isOpen) void this.#scene.update(nowMs);
    // What was closed is marked once more: with nothing.
    if (isOpen || this.#marked) {
      this.#marked = isOpen;
      const plotted = this.#settings.now.panePixel ? this.#plots.pixel.pixel : undefined;
      for (const view of [this.#scene, this.#depth.raw, this.#depth.filtered, this.#color.view])
        this.#probe.mark(view, plotted);
    }
    this.#plots.tick(nowMs);
  }

  #need(): Need {
    const { paneDepth, panePixel, depthShown } = this.#settings.now;
    const { pixel, ruler } = this.#probe;
    if (!this.#isProbing) return "nothing";
    if (panePixel || pixel || ruler.ends.length > 0 || (paneDepth && depthShown !== "raw")) return "depth";
    return "source";
  }

  /** Whether it is said what is under the pointer: with any image, and where it is asked for. */
  get #isProbing(): boolean {
    const { paneDepth, paneColor, panePixel, paneReadout } = this.#settings.now;
    return paneDepth || paneColor || panePixel || paneReadout || this.#probe.isUsed;
  }

  #begin(source: Source): void {
    // The first one may be what a link was made for.
    if (this.#source) this.#set({ plotU: -1, plotV: -1 });
    this.#source = source;
    this.#depth.reset();
    this.#probe.reset();
    this.#refresh();
  }

  #show(snapshot: Snapshot | undefined): void {
    this.#probe.refresh();
    if (!snapshot) return;
    const { paneDepth, paneColor, panePixel } = this.#settings.now;
    if (paneDepth) this.#depth.show(snapshot);
    if (paneColor) this.#color.show(snapshot);
    if (panePixel && snapshot.filtered) this.#plots.plot(snapshot);
  }

  #plot(plotU: number, plotV: number): void {
    this.#set({ plotU, plotV, panePixel: true });
  }

  #enlargeOr(name: PictureName): void {
    this.#set({ paneLarge: this.#layout.large === name ? "scene" : name });
  }

  #set(changes: Partial<ViewSettings>): void {
    this.#settings.update(changes);
  }

  #changed(): void {
    this.#refresh();
    if (this.#tap.snapshot) this.#show(this.#tap.snapshot);
  }

  #toolChanged(): void {
    this.parts.places.panes.classList.toggle("measuring", this.#probe.tool !== undefined);
    this.#arrange();
  }

  /** What is opened begins with what there is. */
  #open(): void {
    const { panePixel, paneLatency } = this.#settings.now;
    const [pixel, latency] = [panePixel && !this.#opened.pixel, paneLatency && !this.#opened.latency];
    const { several } = this.#layout;
    if (several !== this.#opened.several) this.parts.onSeveral(several);
    Object.assign(this.#opened, { several, pixel: panePixel, latency: paneLatency });
    if (latency) this.#plots.fillLatency();
    if (pixel && !this.#plots.pixel.pixel) this.#probe.arm("pixel");
  }

  #arrange(): void {
    this.#layout.apply();
    this.#open();
    const { large } = this.#layout;
    this.#depth.box.large = large === "depth";
    this.#color.box.large = large === "color";
    this.#enlarge.ariaPressed = `${large === "scene"}`;
    this.#probe.element.hidden = !this.#isProbing;
  }
}
