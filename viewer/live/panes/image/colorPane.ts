import { element } from "../../../dom/element.ts";
import type { Pointing } from "../pane.ts";
import { type BoxOptions, PaneBox } from "../paneBox.ts";
import type { Snapshot } from "../probe/snapshot.ts";
import { ImageView } from "./imageView.ts";

/** The camera's colour image, as it lies on the depth. */
export class ColorPane {
  readonly box: PaneBox;
  readonly view: ImageView;
  readonly #none = element("p", "hint", { hidden: true }, "This frame has no colour");

  constructor(pointing: Pointing, options: Omit<BoxOptions, "title">) {
    this.view = new ImageView("Colour image", pointing);
    this.box = new PaneBox(
      { title: "Colour image", ...options },
      element("div", "images", {}, this.view.element, this.#none),
    );
  }

  show({ frame: { color, intrinsics } }: Snapshot): void {
    this.#none.hidden = color !== undefined;
    this.view.element.hidden = color === undefined;
    if (!color) return;
    this.view.size(intrinsics, intrinsics);
    const { buffer, byteOffset, length } = color.data;
    const { words } = this.view;
    // Words can be copied at once where they lie as words do; what is seen through is of no use here.
    if (byteOffset % 4 === 0) words.set(new Uint32Array(buffer, byteOffset, length / 4));
    else new Uint8Array(words.buffer).set(color.data);
    for (let i = 0; i < words.length; i++) words[i] |= OPAQUE;
    this.view.flush();
  }
}

const OPAQUE = 0xff000000;
