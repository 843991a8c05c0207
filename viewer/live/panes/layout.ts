import { button, element } from "../../dom/controls.ts";
import type { ValuesOf } from "../state/field.ts";
import type { Settings } from "../state/store.ts";
import type { arrangementFields, PaneName, PictureName } from "./registry.ts";

export type LayoutSettings = Pick<ValuesOf<typeof arrangementFields>, "paneLayout" | "paneLarge" | "paneShare">;

/** A pane as the layout sees it. */
export interface PlacedPane {
  readonly name: PaneName;
  readonly label: string;
  readonly element: HTMLElement;
  readonly isOpen: () => boolean;
}

/** The least and the largest share of the panes' room that the large pane takes. */
const LEAST = 0.3;
const MOST = 0.8;
/** The large pane's share of the height where panes stand below it, and the width that is left for panes beside it, px. */
const ABOVE = 0.6;
const BESIDE = 380;
/** From this width on, in px, panes stand beside the large picture; below it they stand under the picture. */
const WIDE = 820;
/** Under this width, in px, one pane is shown at a time, chosen by a tab. */
const NARROW = 480;
/** From this width on, in px, panes below the picture stand two in a row. */
const TWO = 680;

/** Arranges the open panes: one picture large, all others beside, over or below it. The style sheet does the rest. */
export class Layout {
  readonly #grip = element("div", "divider", { tabIndex: 0, role: "separator", ariaLabel: "Size of the large pane" });
  readonly #tabs = element("nav", "tabs", { ariaLabel: "Open panes" });
  readonly #tabOf = new Map<PaneName, HTMLButtonElement>();
  /** The pane that is shown where there is room for one. */
  #front: PaneName | undefined;
  #wereOpen: readonly PaneName[] = [];
  /** The picture's width divided by its height. */
  #aspect = 4 / 3;

  constructor(
    readonly root: HTMLElement,
    readonly scene: HTMLElement,
    readonly panes: readonly PlacedPane[],
    readonly settings: Settings<LayoutSettings>,
  ) {
    for (const { name, label } of panes) {
      const show = () => {
        this.#front = name;
        this.apply();
      };
      // A phone has no room for more than a word of each.
      const tab = button(label.split(" ")[0], show, label);
      this.#tabOf.set(name, tab);
      this.#tabs.append(tab);
    }
    root.append(this.#tabs, ...panes.map((pane) => pane.element), this.#grip);
    this.#listen();
    this.#measure();
    new ResizeObserver(() => this.#measure()).observe(root);
  }

  /** Call this with the size of the frames that are shown. */
  fit({ width, height }: { readonly width: number; readonly height: number }): void {
    if (width / height !== this.#aspect) {
      this.#aspect = width / height;
      this.apply();
    }
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
    const { paneLayout } = this.settings.now;
    const share = this.#share;
    const { large, root, panes } = this;
    for (const { element, isOpen } of panes) element.hidden = !isOpen();
    const open = panes.filter(({ isOpen }) => isOpen());
    this.#chooseFront(open.map(({ name }) => name));
    let row = 0;
    for (const { name, element } of [{ name: "scene" as const, element: this.scene }, ...open]) {
      element.classList.toggle("large", name === large);
      element.classList.toggle("front", name === this.#front || name === "scene");
      if (name !== large) element.style.setProperty("--row", `${++row}`);
    }
    root.classList.toggle("several", this.several);
    // A phone has no room for panes over the picture.
    const layout = root.dataset.room === "phone" ? "beside" : paneLayout;
    root.dataset.layout = open.length > 0 ? layout : "alone";
    const [others, columns] = [Math.max(1, open.length), root.clientWidth >= TWO && open.length > 1 ? 2 : 1];
    for (const [name, value] of Object.entries({ others, columns, share, aspect: this.#aspect }))
      root.style.setProperty(`--${name}`, `${value}`);
    this.#tabs.hidden = open.length < 2;
    this.#grip.hidden = root.dataset.layout !== "beside";
    const [ariaValueMin, ariaValueMax, ariaValueNow] = [LEAST, MOST, share].map((one) => `${Math.round(one * 100)}`);
    Object.assign(this.#grip, { ariaValueMin, ariaValueMax, ariaValueNow });
  }

  /** The large pane's share of the room: the chosen one, else as much as its picture fills. */
  get #share(): number {
    const { paneShare } = this.settings.now;
    if (paneShare > 0) return paneShare;
    if (!this.#isWide) return ABOVE;
    const { clientWidth, clientHeight } = this.root;
    const filled = ((clientHeight - this.#headPx) * this.#aspect) / clientWidth;
    return Math.max(LEAST, Math.min(filled, 1 - BESIDE / clientWidth));
  }

  get #headPx(): number {
    return Number.parseFloat(getComputedStyle(this.root).paddingTop) || 0;
  }

  /** A pane that was just opened comes to the front. */
  #chooseFront(open: readonly PaneName[]): void {
    const opened = open.find((name) => !this.#wereOpen.includes(name));
    const kept = this.#front !== undefined && open.includes(this.#front) ? this.#front : open[0];
    this.#front = opened ?? kept;
    this.#wereOpen = open;
    for (const [name, tab] of this.#tabOf) {
      tab.hidden = !open.includes(name);
      tab.ariaPressed = `${name === this.#front}`;
    }
  }

  /** Tells the style sheet how much room there is. */
  #measure(): void {
    const { clientWidth } = this.root;
    const room = clientWidth >= WIDE ? "wide" : clientWidth >= NARROW ? "narrow" : "phone";
    this.root.dataset.room = room;
    this.#grip.setAttribute("aria-orientation", room === "wide" ? "vertical" : "horizontal");
    this.apply();
  }

  get #isWide(): boolean {
    return this.root.dataset.room === "wide";
  }

  #listen(): void {
    const grip = this.#grip;
    const set = (share: number) => {
      this.settings.update({ paneShare: Number(Math.min(MOST, Math.max(LEAST, share)).toFixed(3)) });
    };
    grip.addEventListener("pointerdown", (event) => {
      grip.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    grip.addEventListener("pointermove", (event) => {
      if (!grip.hasPointerCapture(event.pointerId)) return;
      const { left, top, width, height } = this.root.getBoundingClientRect();
      const head = this.#headPx;
      set(this.#isWide ? (event.clientX - left) / width : (event.clientY - top - head) / (height - head));
    });
    grip.addEventListener("keydown", (event) => {
      const keys = this.#isWide ? { ArrowLeft: -1, ArrowRight: 1 } : { ArrowUp: -1, ArrowDown: 1 };
      const way = (keys as Readonly<Record<string, number>>)[event.key];
      if (!way) return;
      set(this.#share + way * 0.02);
      event.preventDefault();
      event.stopPropagation();
    });
  }
}
