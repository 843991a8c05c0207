import type { DepthFrame } from "../../../sources/index.ts";
import type { Messages } from "../state/messages.ts";

const SHOWN_MS = 10_000;

/** Tells the user, once for each recording, that its colour images have ended and surfaces are drawn as clay from there on. */
export class ColourNotice {
  #had = false;
  #wasShown = false;

  constructor(readonly messages: Messages) {}

  begin(): void {
    this.#had = this.#wasShown = false;
    this.messages.clear("colour");
  }

  see({ color, index }: Pick<DepthFrame, "color" | "index">): void {
    this.#had ||= color !== undefined;
    if (!this.#had || color || this.#wasShown) return;
    this.#wasShown = true;
    const text = `Frame ${index + 1} has no colour image: where there is none, surfaces are shown as clay.`;
    this.messages.show("notice", "colour", text, SHOWN_MS);
  }
}
