import type { PerspectiveCamera } from "three/webgpu";
import type { ProcessedFrame } from "../../../pipeline/index.ts";
import { byId } from "../../dom/controls.ts";
import type { Origin, Shown } from "../show/shown.ts";
import type { StageController } from "../show/stageController.ts";
import { Divider } from "./divider.ts";
import { SideNumbers, spellSides } from "./sideNumbers.ts";

/** If no frame comes for this long, ms, the last frame is handed out again where its numbers are missing. */
const CALM_MS = 200;

/** The view of raw beside filtered depth: the divider, and the numbers of its sides. */
export class SplitView {
  readonly #divider: Divider;
  readonly #numbers: SideNumbers;
  /** When the last frame came, or was asked for. */
  #takenMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly stageController: StageController,
    shown: Shown,
    /** Has the last frame handed out again. */
    readonly onChange: () => void,
  ) {
    this.#divider = new Divider(byId("divider"), byId("masthead"), (splitAt) =>
      stageController.settings.update({ splitAt }),
    );
    this.#numbers = new SideNumbers(
      shown,
      () => stageController.splitPlane !== undefined && !document.hidden,
      (sides) => this.#divider.showNumbers(sides && spellSides(sides)),
    );
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
    this.#divider.update(camera, this.stageController.splitPlane, this.stageController.settings.now.splitAt);
  }
}
