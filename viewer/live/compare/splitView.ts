import type { PerspectiveCamera } from "three/webgpu";
import type { ProcessedFrame } from "../../../pipeline/index.ts";
import { byId } from "../../dom/controls.ts";
import { type Kind, type Numbers, offerOf } from "../panes/plot/numbers.ts";
import type { Origin, Shown } from "../show/shown.ts";
import type { StageController } from "../show/stageController.ts";
import { Divider } from "./divider.ts";
import { type MeasuredSides, SideNumbers, spellSides } from "./sideNumbers.ts";

/** If no frame comes for this long, ms, the last frame is handed out again where its numbers are missing. */
const CALM_MS = 200;

const VALID: Kind = { name: "valid, filtered", unit: "%" };
const noise = (over: string) =>
  ["raw", "filtered"].map((side): Kind => ({ name: `noise over ${over}, ${side}`, unit: "mm" }));
const NOISE = { time: noise("time"), space: noise("space") } as const;
const OFFERS = [
  offerOf(VALID, "The share of the sensor’s pixels that have a depth after the filters, about once a second"),
  ...(["time", "space"] as const).map((over) => ({
    name: `noise over ${over}`,
    kinds: NOISE[over],
    summary:
      over === "time"
        ? "How much a pixel’s depth varies from frame to frame, where nothing moves, about once a second"
        : "How much depth varies from pixel to pixel on smooth surfaces, while the camera moves, about once a second",
  })),
];

/** The view of raw beside filtered depth: the divider, and the numbers of its sides. */
export class SplitView {
  readonly #divider: Divider;
  readonly #numbers: SideNumbers;
  /** When the last frame came, or was asked for. */
  #takenMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly stageController: StageController,
    shown: Shown,
    readonly plots: Numbers,
    /** Has the last frame handed out again. */
    readonly onChange: () => void,
  ) {
    this.#divider = new Divider(byId("divider"), byId("masthead"), (splitAt) =>
      stageController.settings.update({ splitAt }),
    );
    this.#numbers = new SideNumbers(
      shown,
      () =>
        !document.hidden && (stageController.splitPlane !== undefined || OFFERS.some(({ name }) => plots.wants(name))),
      (sides) => this.#divider.showNumbers(sides && spellSides(sides)),
      (measured, { index }) => this.#plot(measured, index),
    );
    plots.offer("sides", OFFERS);
  }

  #plot({ comparison: { raw, filtered, over } }: MeasuredSides, index: number): void {
    const { frames } = this.plots;
    frames.put(index, VALID, 100 * filtered.validShare);
    for (const [k, { noiseMm }] of [raw, filtered].entries()) frames.put(index, NOISE[over][k], noiseMm);
  }

  resize(width: number, height: number): void {
    this.#divider.resize(width, height);
  }

  /** Call this with every frame when it is handed out. */
  take(frame: ProcessedFrame, origin: Origin): void {
    this.#takenMs = performance.now();
    void this.#numbers.take(frame, origin);
  }

  /** Call this once for each picture of the screen. */
  update(camera: PerspectiveCamera): void {
    const nowMs = performance.now();
    if (this.#numbers.isBehind && nowMs - this.#takenMs > CALM_MS) {
      this.#takenMs = nowMs;
      this.onChange();
    }
    const { splitPlane, settings } = this.stageController;
    // Before the first picture there is nothing to divide.
    this.#divider.update(camera, this.#takenMs > 0 ? splitPlane : undefined, settings.now.splitAt);
  }
}
