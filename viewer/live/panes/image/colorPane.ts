import { element } from "../../../dom/controls.ts";
import { definePane, type Pane } from "../pane.ts";
import type { Pointing } from "../pixelPicture.ts";
import type { Snapshot } from "../probe/snapshot.ts";
import { ImageView } from "./imageView.ts";

export const colorPane = definePane({
  name: "color",
  label: "Colour image",
  summary: "The recording’s colours, registered to depth",
  place: "beside",
  order: 20,
  key: "c",
  fields: {},
  needs: () => "source",
  create: ({ pointing }) => new ColorImage(pointing),
});

/** The camera's colour image, registered to the depth image. */
class ColorImage implements Pane {
  readonly content: readonly HTMLElement[];
  readonly pictures: readonly ImageView[];
  readonly #image: ImageView;
  readonly #none = element("p", "hint", { hidden: true }, "This frame has no colour");

  constructor(pointing: Pointing) {
    this.#image = new ImageView("Colour image", pointing);
    this.pictures = [this.#image];
    this.content = [element("div", "images", {}, this.#image.element, this.#none)];
  }

  show({ frame: { color, intrinsics } }: Snapshot): void {
    this.#none.hidden = color !== undefined;
    this.#image.element.hidden = color === undefined;
    if (!color) return;
    this.#image.size(intrinsics, intrinsics);
    const { buffer, byteOffset, length } = color.data;
    const { words } = this.#image;
    // A view of 32-bit words can begin at multiples of four bytes only; from elsewhere the bytes are copied.
    if (byteOffset % 4 === 0) words.set(new Uint32Array(buffer, byteOffset, length / 4));
    else new Uint8Array(words.buffer).set(color.data);
    for (let i = 0; i < words.length; i++) words[i] |= OPAQUE;
    this.#image.flush();
  }
}

const OPAQUE = 0xff000000;
