import { element } from "../../dom/controls.ts";
import type { ValuesOf } from "../state/field.ts";
import type { Settings } from "../state/store.ts";
import type { PanePlace } from "./pane.ts";
import type { arrangementFields, PaneName, PictureName } from "./registry.ts";

export type LayoutSettings = Pick<ValuesOf<typeof arrangementFields>, "paneLayout" | "paneLarge" | "paneShare">;

/** A pane as the layout sees it. */
export interface PlacedPane {
  readonly name: PaneName;
  readonly place: PanePlace;
  readonly element: HTMLElement;
  readonly isOpen: () => boolean;
}

/** The large pane's share of the width, at least and at most. */
const [LEAST, MOST] = [0.3, 0.8];

/** Arranges the open panes: one picture large, the others beside or over it, the plots below. The style sheet does the rest. */
export class Layout {
  readonly #divider = element("div", "divider", { tabIndex: 0 });

  constructor(
    readonly root: HTMLElement,
    readonly scene: HTMLElement,
    readonly panes: readonly PlacedPane[],
    readonly settings: Settings<LayoutSettings>,
  ) {
    this.#divider.setAttribute("role", "separator");
    this.#divider.setAttribute("aria-orientation", "vertical");
    this.#divider.ariaLabel = "Width of the large pane";
    const at = (place: PanePlace) => panes.filter((pane) => pane.place === place).map((pane) => pane.element);
    root.append(...at("beside"), this.#divider, element("div", "dock", {}, ...at("below")));
    this.#listen();
    this.apply();
  }

  /** Whether any pane beside the 3D picture is open. */
  get several(): boolean {
    return this.panes.some(({ isOpen }) => isOpen());
  }

  /** The large picture: the chosen one while it is open, else the 3D picture. */
  get large(): PictureName {
    const { paneLarge } = this.settings.now;
    return this.panes.some(({ name, isOpen }) => name === paneLarge && isOpen()) ? paneLarge : "scene";
  }

  /** Lays the panes out as the settings say. */
  apply(): void {
    const { paneLayout, paneShare } = this.settings.now;
    const { large, root, panes } = this;
    for (const { element, isOpen } of panes) element.hidden = !isOpen();
    const open = (place: PanePlace) => panes.filter((pane) => pane.place === place && pane.isOpen());
    const pictures = [{ name: "scene" as const, element: this.scene }, ...open("beside")];
    let row = 0;
    for (const { name, element } of pictures) {
      element.classList.toggle("large", name === large);
      if (name !== large) element.style.setProperty("--row", `${++row}`);
    }
    const others = pictures.length - 1;
    root.classList.toggle("several", this.several);
    root.classList.toggle("docked", open("below").length > 0);
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
