import type { DepthFrame } from "../../../sources/index.ts";
import type { Messages } from "../state/messages.ts";

const SHOWN_MS = 10_000;

/** Tells the user, once for each recording, that its colour images have ended, or that there are none for the colours of the camera. */
export class ColourNotice {
  #had = false;
  readonly #told = new Set<string>();

  constructor(readonly messages: Messages) {}

  begin(): void {
    this.#had = false;
    this.#told.clear();
    this.messages.clear("colour");
  }

  /** Takes a frame that is shown, and whether the scene has the colours of the camera. */
  see({ color, index }: Pick<DepthFrame, "color" | "index">, asCamera: boolean): void {
    this.#had ||= color !== undefined;
    if (color) return;
    if (this.#had) this.#tell("ended", `Frame ${index} has no colour image; such frames are shown as grey clay.`);
    else if (asCamera) this.#tell("none", "This recording has no colour images; it is shown as grey clay.");
  }

  #tell(what: "ended" | "none", text: string): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.messages.show("notice", "colour", text, SHOWN_MS);
  }
}
