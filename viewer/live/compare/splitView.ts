import type { PerspectiveCamera } from "three/webgpu";
import type { ProcessedFrame } from "../../../pipeline/index.ts";
import { byId } from "../../dom/element.ts";
import type { Director } from "../director.ts";
import type { Player } from "../source/player.ts";
import { Divider } from "../view/divider.ts";
import { Numbers, spellSides } from "./numbers.ts";

/** Raw beside filtered: the divider, and what is measured on its sides. */
export class SplitView {
  readonly #divider: Divider;
  readonly #numbers: Numbers;

  constructor(
    readonly director: Director,
    player: Player,
    /** The picture is out of date. */
    onChange: () => void,
  ) {
    const { settings } = director;
    this.#divider = new Divider(byId("divider"), (at) => {
      settings.splitAt = at;
      director.apply();
      onChange();
    });
    this.#numbers = new Numbers(
      () => director.splitPlane !== undefined && !document.hidden,
      () => player.playing,
      (comparison, mmPerUnit) => {
        const told = comparison && spellSides(comparison, mmPerUnit);
        this.#divider.tell(told?.raw ?? "", told?.filtered ?? "", told?.hint ?? "");
      },
    );
  }

  newScene(): void {
    this.#numbers.begin();
  }

  resize(width: number, height: number): void {
    this.#divider.resize(width, height);
  }

  /** To be called with every frame when it is handed out. */
  take(frame: ProcessedFrame): void {
    void this.#numbers.take(frame);
  }

  /** To be called once a picture. */
  update(camera: PerspectiveCamera): void {
    this.#divider.update(camera, this.director.splitPlane, this.director.settings.splitAt);
  }
}
