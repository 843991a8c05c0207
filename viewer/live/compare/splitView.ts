import type { PerspectiveCamera } from "three/webgpu";
import type { ProcessedFrame } from "../../../pipeline/index.ts";
import { byId } from "../../dom/element.ts";
import type { Director } from "../show/director.ts";
import type { Origin, Shown } from "../show/shown.ts";
import { Divider } from "./divider.ts";
import { SideNumbers, spellSides } from "./sideNumbers.ts";

/** No frame has come for so long, ms: the last one is asked for again where nothing is known of it. */
const CALM_MS = 200;

/** Raw beside filtered: the divider, and what is measured on its sides. */
export class SplitView {
  readonly #divider: Divider;
  readonly #numbers: SideNumbers;
  /** When a frame came, or was asked for. */
  #takenMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly director: Director,
    shown: Shown,
    /** The picture is out of date. */
    readonly onChange: () => void,
  ) {
    this.#divider = new Divider(byId("divider"), (splitAt) => director.settings.update({ splitAt }));
    this.#numbers = new SideNumbers(
      shown,
      () => director.splitPlane !== undefined && !document.hidden,
      (sides) => this.#divider.showNumbers(sides && spellSides(sides)),
    );
  }

  resize(width: number, height: number): void {
    this.#divider.resize(width, height);
  }

  /** To be called with every frame when it is handed out. */
  take(frame: ProcessedFrame, origin: Origin): void {
    this.#takenMs = performance.now();
    void this.#numbers.take(frame, origin);
  }

  /** To be called once a picture. */
  update(camera: PerspectiveCamera): void {
    const nowMs = performance.now();
    if (this.#numbers.isBehind && nowMs - this.#takenMs > CALM_MS) {
      this.#takenMs = nowMs;
      this.onChange();
    }
    this.#divider.update(camera, this.director.splitPlane, this.director.settings.now.splitAt);
  }
}
