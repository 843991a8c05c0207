import { type GreyImage, isLive, type Source } from "../../../../sources/index.ts";
import { element, setText } from "../../../dom/controls.ts";
import { ImageView } from "../image/imageView.ts";
import { definePane, type Pane, type PaneParts } from "../pane.ts";
import type { Snapshot } from "../probe/snapshot.ts";
import { ExtrasOf, type ReadExtras } from "./extrasOf.ts";

export const infraredPane = definePane({
  name: "infrared",
  label: "Infrared image",
  summary: "What the depth sensor sees: its own light, texture, glare",
  place: "beside",
  order: 22,
  key: "shift+i",
  fields: {},
  wantsInfrared: true,
  needs: () => "source",
  create: (parts) => new InfraredPane(parts),
});

/** The share of pixels that may be brighter than white: a lamp in the picture does not make all else black. */
const GLARE = 0.01;

/** The infrared image of the frame on the screen. */
class InfraredPane implements Pane {
  readonly content: readonly HTMLElement[];
  readonly pictures: readonly ImageView[];
  readonly #image: ImageView;
  readonly #none = element("p", "hint", { hidden: true });
  /** The share of a live source's link that its infrared images take. */
  readonly #cost = element("p", "hint", { hidden: true });
  readonly #extras: ExtrasOf;

  constructor({ pointing, shown }: Pick<PaneParts<Record<never, never>>, "pointing" | "shown">) {
    this.#image = new ImageView("Infrared image", pointing);
    this.pictures = [this.#image];
    this.content = [element("div", "images", {}, this.#image.element, this.#none), this.#cost];
    this.#extras = new ExtrasOf(shown, ["infrared"], (extras) => this.#show(extras));
  }

  show(snapshot: Snapshot): void {
    this.#extras.take(snapshot);
  }

  #show(extras: ReadExtras | undefined): void {
    const { snapshot, infrared, fault } = extras ?? {};
    this.#none.hidden = infrared !== undefined;
    this.#image.element.hidden = infrared === undefined;
    const source = snapshot?.origin.source;
    setText(this.#none, fault ?? whyNone(source));
    this.#cost.hidden = !(infrared && source && isLive(source));
    if (infrared && source) setText(this.#cost, costOf(infrared, source));
    if (!infrared || !snapshot) return;
    const { width, height } = infrared;
    const own = snapshot.frame.intrinsics;
    // An image of another size than depth has a view of its own: nothing says which of its pixels is which of depth's.
    const alike = width === own.width && height === own.height;
    this.#image.size({ ...own, width, height }, alike ? own : undefined);
    paint(infrared, this.#image.words);
    this.#image.flush();
  }
}

/** Why there is no image; a camera is opened again to give some. */
function whyNone(source: Source | undefined): string {
  if (!source || !isLive(source)) return "This frame has no infrared image";
  if (source.infrared) return "Waiting for the first infrared image: the camera is opened again for it";
  return "This stream has no infrared images: the camera gives none, or its server does not offer them (“depthloom serve --infrared” does)";
}

const costOf = ({ width, height, data }: GreyImage, { fps }: Source): string =>
  `${width} × ${height}, ${((data.byteLength * fps) / 1e6).toFixed(1)} MB/s more on the link at ${fps} per second while this pane is open`;

/**
 * Paints grey as it is. A brightness of 16 bits goes from black to nearly the brightest by its square root: a lamp's light falls with the
 * square of the distance.
 */
function paint({ data }: GreyImage, words: Uint32Array): void {
  const white = data instanceof Uint8Array ? 0 : whiteOf(data);
  for (let i = 0; i < words.length; i++) {
    const grey = white === 0 ? data[i] : Math.min(255, 255 * Math.sqrt(data[i] / white));
    words[i] = 0xff000000 | ((grey & 255) * 0x010101);
  }
}

function whiteOf(data: Uint16Array): number {
  const counts = new Uint32Array(65536);
  for (const value of data) counts[value]++;
  let white = 65535;
  for (let above = counts[white]; white > 1 && above < GLARE * data.length; above += counts[--white]);
  return white;
}
