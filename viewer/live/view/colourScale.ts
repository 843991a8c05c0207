import { differenceColor, distanceColor } from "../../../stages/paint/cpu.ts";
import { element, setText } from "../../dom/controls.ts";
import { circleMm, type PhotoLens, spellDistance } from "./camera/lens.ts";
import { type Blur, FULL, tintOf } from "./surface/blur.ts";

/** Explains the colours of the picture: a bar, and what its ends and its middle stand for. Hidden while things have their own colours. */
export class ColourScale {
  readonly #title = element("h2");
  readonly #bar = element("div", "bar");
  readonly #labels = [element("span"), element("span"), element("span")] as const;
  readonly #note = element("p");

  constructor(readonly root: HTMLElement) {
    root.append(this.#title, this.#bar, element("div", "labels", {}, ...this.#labels), this.#note);
  }

  hide(): void {
    this.root.hidden = true;
  }

  /** Shows the scale of the blur (circle of confusion), in a picture `heightPx` high. */
  showBlur(blur: Blur, lens: PhotoLens, heightPx: number): void {
    const radius = `${Number((FULL * heightPx).toPrecision(2))} px`;
    const mm = Number(circleMm(lens, 1 / blur.inverseFocus, 1 / blur.gain).toPrecision(2));
    const note = `Radius of the blur in the picture. At the ends a point becomes a disc of ${mm} mm on the camera’s sensor.`;
    this.#show("Blur (circle of confusion)", TINTS, [`${radius} nearer`, "sharp", `${radius} farther`], note);
  }

  /** Shows the scale of distance, which is logarithmic. */
  showDepth(nearM: number, farM: number): void {
    const labels = [nearM, Math.sqrt(nearM * farM), farM].map(spellDistance);
    this.#show("Distance", DISTANCES, labels, "");
  }

  /** Shows the scale of what the filters changed, up to `rangeMm`. */
  showDifference(rangeMm: number): void {
    const most = Number(rangeMm.toPrecision(3));
    const note = "Magenta: a filter filled the pixel in. Yellow: a filter took it away.";
    const labels = [`${most} mm nearer`, "the same", `${most} mm farther`];
    this.#show("Raw depth compared with filtered", DIFFERENCES, labels, note);
  }

  #show(title: string, gradient: string, labels: readonly string[], note: string): void {
    this.root.hidden = false;
    setText(this.#title, title);
    if (this.#bar.dataset.gradient !== title) {
      this.#bar.dataset.gradient = title;
      this.#bar.style.background = gradient;
    }
    for (const [i, label] of this.#labels.entries()) setText(label, labels[i] ?? "");
    setText(this.#note, note);
  }
}

/** Red, green and blue of a colour word. */
export const bytesOf = (word: number) => [word & 255, (word >>> 8) & 255, (word >>> 16) & 255];
const STOPS = Array.from({ length: 17 }, (_, i) => i / 16);
/** Colours as a gradient for style sheets; `rgb` gives the bytes at a place from 0 to 1. */
export const gradient = (rgb: (t: number) => readonly number[]): string =>
  `linear-gradient(90deg, ${STOPS.map((t) => `rgb(${rgb(t).map(Math.round).join(" ")})`).join(", ")})`;
const TINTS = gradient((t) => [0, 1, 2].map((channel) => 230 * tintOf(2 * t - 1, channel)));
/** The same part of the map as `paint` uses: near is red. */
const DISTANCES = gradient((t) => bytesOf(distanceColor(t)));
const DIFFERENCES = gradient((t) => bytesOf(differenceColor(2 * t - 1)));
