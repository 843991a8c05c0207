import { element } from "../../dom/element.ts";
import type { ViewSettings } from "../state/settings.ts";
import type { Settings } from "../state/store.ts";

/** The pictures; the plots lie below them. */
export type PictureName = ViewSettings["paneLarge"];

export type LayoutSettings = Pick<
  ViewSettings,
  "paneDepth" | "paneColor" | "panePixel" | "paneLatency" | "paneLayout" | "paneLarge" | "paneShare"
>;

export interface Boxes {
  readonly depth: HTMLElement;
  readonly color: HTMLElement;
  readonly pixel: HTMLElement;
  readonly latency: HTMLElement;
}

/** The large pane's share of the width, at the least and at the most. */
const [LEAST, MOST] = [0.3, 0.8];

/** Which panes there are and how they lie: one large, the others beside it or on it; the style sheet does the rest. */
export class Layout {
  readonly #divider = element("div", "divider", { tabIndex: 0 });

  constructor(
    readonly root: HTMLElement,
    readonly scene: HTMLElement,
    readonly boxes: Boxes,
    readonly settings: Settings<LayoutSettings>,
  ) {
    const { depth, color, pixel, latency } = boxes;
    this.#divider.setAttribute("role", "separator");
    this.#divider.setAttribute("aria-orientation", "vertical");
    this.#divider.ariaLabel = "Width of the large pane";
    root.append(depth, color, this.#divider, element("div", "dock", {}, pixel, latency));
    this.#listen();
    this.apply();
  }

  /** Whether there is more than the 3D picture. */
  get several(): boolean {
    const { paneDepth, paneColor, panePixel, paneLatency } = this.settings.now;
    return paneDepth || paneColor || panePixel || paneLatency;
  }

  /** The large one: what is chosen, if it is open. */
  get large(): PictureName {
    const { paneDepth, paneColor, paneLarge } = this.settings.now;
    const open = { scene: true, depth: paneDepth, color: paneColor };
    return open[paneLarge] ? paneLarge : "scene";
  }

  /** Lays the panes out as the settings have it. */
  apply(): void {
    const { paneDepth, paneColor, panePixel, paneLatency, paneLayout, paneShare } = this.settings.now;
    const { depth, color, pixel, latency } = this.boxes;
    depth.hidden = !paneDepth;
    color.hidden = !paneColor;
    pixel.hidden = !panePixel;
    latency.hidden = !paneLatency;
    const others = Number(paneDepth) + Number(paneColor);
    let row = 0;
    for (const [name, box] of [["scene", this.scene] as const, ["depth", depth] as const, ["color", color] as const]) {
      const isLarge = name === this.large;
      box.classList.toggle("large", isLarge);
      if (!isLarge && !box.hidden) box.style.setProperty("--row", `${++row}`);
    }
    const { root } = this;
    root.classList.toggle("several", this.several);
    root.classList.toggle("docked", panePixel || paneLatency);
    root.dataset.layout = others > 0 ? paneLayout : "alone";
    root.style.setProperty("--others", `${Math.max(1, others)}`);
    root.style.setProperty("--share", `${paneShare}`);
    this.#divider.hidden = others === 0 || paneLayout !== "beside";
    this.#divider.ariaValueMin = `${LEAST * 100}`;
    this.#divider.ariaValueMax = `${MOST * 100}`;
    this.#divider.ariaValueNow = `${Math.round(paneShare * 100)}`;
  }

  #listen(): void {
    const divider = this.#divider;
    const set = (share: number) => {
      this.settings.update({ paneShare: Number(Math.min(MOST, Math.max(LEAST, share)).toFixed(3)) });
    };
    divider.addEventListener("pointerdown", (event) => {
      divider.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    divider.addEventListener("pointermove", (event) => {
      if (!divider.hasPointerCapture(event.pointerId)) return;
      const { left, width } = this.root.getBoundingClientRect();
      set((event.clientX - left) / width);
    });
    divider.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!way) return;
      set(this.settings.now.paneShare + way * 0.02);
      event.preventDefault();
      event.stopPropagation();
    });
  }
}
