import type { Intrinsics } from "../../../core/frame.ts";
import { button, element } from "../../dom/controls.ts";
import type { ValuesOf } from "../state/field.ts";
import type { Settings } from "../state/store.ts";
import type { arrangementFields, PaneName, PictureName } from "./registry.ts";
import { GAP, roomFor, SINGLE } from "./roomFor.ts";

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
/** The head and the foot of a pane whose image is the large one, px. */
const FRAME = 70;

/** Arranges the open panes: one picture large, all others beside, over or below it (roomFor.ts). The style sheet does the rest. */
export class Layout {
  readonly #grip = element("div", "divider", { tabIndex: 0, role: "separator", ariaLabel: "Size of the large pane" });
  readonly #tabs = element("nav", "tabs", { ariaLabel: "Open panes" });
  readonly #beside = element("div", "beside");
  readonly #below = element("div", "below", {}, this.#tabs);
  readonly #tabOf = new Map<PaneName, HTMLButtonElement>();
  /** The pane that is shown where there is room for one. */
  #front: PaneName | undefined;
  #wereOpen: readonly PaneName[] = [];
  /** The picture's width divided by its height. */
  #aspect = 4 / 3;
  /** Where panes begin, px, whether any stands beside the picture, and the large pane's share of the width. */
  #topPx = 0;
  #isBeside = true;
  #share = 0;

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
    this.#beside.append(...panes.map((pane) => pane.element));
    root.append(this.#beside, this.#below, this.#grip);
    this.#listen();
    this.apply();
    new ResizeObserver(() => this.apply()).observe(root);
  }

  /** Call this with the camera of the frames that are shown. */
  fit({ width, height, fx, fy }: Pick<Intrinsics, "width" | "height" | "fx" | "fy">): void {
    const aspect = (width * fy) / (height * fx);
    if (aspect === this.#aspect) return;
    this.#aspect = aspect;
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
    const { large, root, panes } = this;
    const { paneLayout, paneShare: share } = this.settings.now;
    for (const { element, isOpen } of panes) element.hidden = !isOpen();
    const open = panes.filter(({ isOpen }) => isOpen());
    this.#chooseFront(open.map(({ name }) => name));
    root.classList.toggle("several", open.length > 0);
    const style = getComputedStyle(root);
    const { paddingTop, paddingBottom, paddingLeft, paddingRight } = style;
    const [top, bottom, left, right] = [paddingTop, paddingBottom, paddingLeft, paddingRight].map(Number.parseFloat);
    this.#topPx = top;
    // A message moves everything down, and rearranges nothing.
    const messagesPx = Number.parseFloat(style.getPropertyValue("--messages")) || 0;
    const [width, height] = [root.clientWidth - left - right, root.clientHeight - top - bottom + messagesPx];
    const isSingle = width < SINGLE;
    const layout = open.length === 0 ? "alone" : isSingle ? "beside" : paneLayout;
    Object.assign(root.dataset, { layout, room: isSingle ? "phone" : "wide" });
    this.#beside.hidden = isSingle;
    this.#tabs.hidden = !isSingle || open.length < 2;
    this.#grip.hidden = layout !== "beside";

    const others: HTMLElement[] = [];
    for (const { name, element } of [{ name: "scene" as const, element: this.scene }, ...open]) {
      element.classList.toggle("large", name === large);
      element.classList.toggle("front", name === this.#front || name === "scene");
      if (name !== large) others.push(element);
      else if (element.parentElement !== root) root.prepend(element);
    }
    // Panes that lie over the picture take no room from it, and of those behind tabs only one is seen.
    const seen =
      layout !== "beside" ? [] : isSingle ? others.filter(({ className }) => /\bfront\b/.test(className)) : others;
    const leastPx = seen.map((element) => Number.parseFloat(getComputedStyle(element).minHeight));
    const tabsPx = this.#tabs.hidden ? 0 : this.#tabs.offsetHeight + GAP;
    const extraPx = large === "scene" ? 0 : FRAME;
    const made = roomFor({ width, height: height - tabsPx, aspect: this.#aspect, extraPx, leastPx, share });
    const beside = isSingle ? 0 : others.length - made.below;
    fill(this.#beside, others.slice(0, beside), made.columns.beside);
    fill(this.#below, others.slice(beside), made.columns.below);
    this.#isBeside = beside > 0;
    this.#share = made.width / width;
    const values = { width: `${made.width}px`, height: `${made.height}px`, aspect: `${this.#aspect}` };
    for (const [name, value] of Object.entries(values)) root.style.setProperty(`--${name}`, value);
    // What lies over the picture's lower edge stays above the panes.
    const belowPx = height - messagesPx - made.height;
    const over = {
      lower: made.below > 0 ? `${belowPx}px` : "0px",
      // Without panes the picture stands in the middle.
      foot: open.length === 0 ? `${belowPx / 2}px` : "0px",
      large: open.length > 0 ? values.width : "100%",
    };
    for (const [name, value] of Object.entries(over)) root.parentElement?.style.setProperty(`--${name}`, value);
    const [ariaValueMin, ariaValueMax, ariaValueNow] = [LEAST, MOST, this.#share].map(
      (one) => `${Math.round(one * 100)}`,
    );
    const ariaOrientation = this.#isBeside ? "vertical" : "horizontal";
    Object.assign(this.#grip, { ariaValueMin, ariaValueMax, ariaValueNow, ariaOrientation });
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
      const { left, top, width } = this.root.getBoundingClientRect();
      const across = this.#isBeside ? event.clientX - left : (event.clientY - top - this.#topPx) * this.#aspect;
      set(across / width);
    });
    grip.addEventListener("keydown", (event) => {
      const keys = this.#isBeside ? { ArrowLeft: -1, ArrowRight: 1 } : { ArrowUp: -1, ArrowDown: 1 };
      const way = (keys as Readonly<Record<string, number>>)[event.key];
      if (!way) return;
      set(this.#share + way * 0.02);
      event.preventDefault();
      event.stopPropagation();
    });
  }
}

/** Puts panes into a strip, unless they are there. */
function fill(strip: HTMLElement, panes: readonly HTMLElement[], columns: number): void {
  strip.hidden = panes.length === 0;
  strip.style.setProperty("--columns", `${columns}`);
  const there = [...strip.children].filter((one) => panes.includes(one as HTMLElement));
  const focused = document.activeElement as HTMLElement | null;
  if (there.length < panes.length || there.some((one, k) => one !== panes[k])) strip.append(...panes);
  focused?.focus({ preventScroll: true });
  // The last one takes what is left of its row.
  for (const [k, { style }] of panes.entries())
    style.gridColumnEnd = k + 1 < panes.length ? "" : `span ${columns - (k % columns)}`;
}
