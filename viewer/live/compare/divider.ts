import type { PerspectiveCamera } from "three/webgpu";
import { button, element, setText } from "../../dom/controls.ts";
import { openSheet } from "../../dom/sheet.ts";
import { lineOf, type SplitPlane, shareAt, type WindowPoint } from "../view/pick/splitLine.ts";

/** Distances of the handle's middle, px: the least from the page's and from the scene's top, and the one from the masthead's lower edge. */
const HANDLE_PX = 84;
const LEAST_PX = 24;
const UNDER_MASTHEAD_PX = 24;

/** A place at most this far outside of the window counts as inside: rounding moves places at the edge. */
const EDGE_PX = 8;
/**
 * Distances in px: from the line to a label beside the handle, from the handle's middle to the top of such a label, and from the
 * handle's middle to the top of a label below the handle.
 */
const BESIDE_PX = 26;
const ABOVE_PX = -18;
const BELOW_PX = 28;
/** Elements below the labels stay at least this far from the handle's middle, so that nothing moves when the labels get numbers. */
const UNDER_PX = 20;
/** Messages follow the labels down by at most this much. */
const LOWER_PX = 80;

/** Where keys move the line to, and by how much. */
const TO: Readonly<Record<string, number>> = { Home: 0, End: 1, Enter: 0.5 };
const [NEAR, FAR] = [0.02, 0.1];
const BY: Readonly<Record<string, number>> = {
  ...{ ArrowLeft: -NEAR, ArrowDown: -NEAR, PageDown: -FAR },
  ...{ ArrowRight: NEAR, ArrowUp: NEAR, PageUp: FAR },
};

const EXPLAINED = "What these numbers mean";
const SIDES = ["raw", "filtered"] as const;
type SideName = (typeof SIDES)[number];

/** The line between raw and filtered depth, with a handle to drag it and the numbers of both sides. */
export class Divider {
  readonly #line = element("div", "line");
  readonly #handle = element("div", "handle", { tabIndex: 0, role: "slider", ariaValueMin: "0", ariaValueMax: "100" });
  readonly #numbers = { raw: element("small"), filtered: element("small") };
  readonly #labels: Readonly<Record<SideName, HTMLButtonElement>>;
  /** The labels' widths and heights, measured when they change: reading them for each picture would lay out the page each time. */
  readonly #sizes: Record<SideName, readonly [width: number, height: number]> = { raw: [0, 0], filtered: [0, 0] };
  #explained = "";
  /** The camera, plane and height of the last drawing; a drag starts from these. */
  #drawn: { camera: PerspectiveCamera; plane: SplitPlane; down: number } | undefined;
  #size: readonly [width: number, height: number] = [1, 1];
  #at = 0.5;
  #handlePx = HANDLE_PX;
  /** The scene's top, from the masthead's. */
  #scenePx = 0;
  #underPx = UNDER_PX;
  /** By how much the line's end holds the handle below its usual height. */
  #lowerPx = 0;
  /** The lower end of the masthead's content, from the masthead's top. */
  #mastheadPx = 0;

  /**
   * Handle and labels are shown below `masthead`, however many lines that has. The style learns where all of them end: `--under-masthead`
   * and `--under-labels` count from the scene's top, `--masthead` and `--under-labels-on-page` from the masthead's top. Where panes stand
   * beside the scene, the scene begins below the masthead.
   */
  constructor(
    readonly root: HTMLElement,
    readonly masthead: HTMLElement,
    readonly onMove: (at: number) => void,
  ) {
    this.#handle.ariaLabel = "Raw up to here, filtered from here on";
    const side = (name: SideName) => {
      const made = button(name, () => this.#explain(), EXPLAINED);
      made.className = name;
      made.replaceChildren(element("b", "", {}, name), this.#numbers[name]);
      return made;
    };
    this.#labels = { raw: side("raw"), filtered: side("filtered") };
    const measured = new ResizeObserver(() => {
      for (const name of SIDES) this.#sizes[name] = [this.#labels[name].offsetWidth, this.#labels[name].offsetHeight];
      // The next picture may be long in coming.
      if (this.#drawn) this.update(this.#drawn.camera, this.#drawn.plane, this.#at);
    });
    for (const name of SIDES) measured.observe(this.#labels[name]);
    const placed = new ResizeObserver(([{ contentRect }]) => {
      this.#mastheadPx = contentRect.bottom;
      this.#place();
    });
    placed.observe(masthead);
    const { raw, filtered } = this.#labels;
    root.append(this.#line, element("div", "labels", {}, raw, filtered), this.#handle);
    this.#handle.addEventListener("pointerdown", (event) => this.#drag(event));
    this.#handle.addEventListener("dblclick", () => onMove(0.5));
    this.#handle.addEventListener("keydown", (event) => this.#key(event));
  }

  /** The window's size, CSS pixels. */
  resize(width: number, height: number): void {
    this.#size = [width, height];
    this.#place();
  }

  #place(): void {
    const top = (this.root.parentElement ?? this.root).getBoundingClientRect().top;
    this.#scenePx = top - this.masthead.getBoundingClientRect().top;
    const onPage = Math.max(HANDLE_PX, this.#mastheadPx + UNDER_MASTHEAD_PX);
    this.#handlePx = Math.max(LEAST_PX, onPage - this.#scenePx);
    this.#tellUnder();
  }

  /** Tells the style where the labels end at the handle's usual height; a turned view, which moves them, moves nothing else. */
  #tellUnder(): void {
    const under = this.#handlePx + this.#underPx;
    const { style } = document.body;
    style.setProperty("--masthead", `${this.#mastheadPx}px`);
    style.setProperty("--under-masthead", `${this.#handlePx - UNDER_MASTHEAD_PX}px`);
    style.setProperty("--under-labels", `${under}px`);
    // Messages alone go on below labels that are lower than usual, as they are over a picture that is less high than a phone.
    style.setProperty("--labels-lower", `${this.#lowerPx}px`);
    style.setProperty("--under-labels-on-page", `${this.#scenePx + under}px`);
  }

  /** Shows the numbers of both sides, and keeps the explanation for a click; `undefined` removes them. */
  showNumbers(sides: { readonly raw: string; readonly filtered: string; readonly hint: string } | undefined): void {
    for (const name of SIDES) {
      setText(this.#numbers[name], sides?.[name] ?? "");
      this.#labels[name].disabled = !sides;
    }
    this.#explained = sides?.hint ?? "";
  }

  #explain(): void {
    const lines = this.#explained.split("\n").map((line) => element("p", "", {}, line));
    openSheet(EXPLAINED, element("div", "", {}, element("h2", "", {}, EXPLAINED), ...lines), "help words");
  }

  /** Call this once for each picture of the screen. Without a plane the divider is hidden. */
  update(camera: PerspectiveCamera, plane: SplitPlane | undefined, at: number): void {
    this.#at = at;
    const line = plane && lineOf(camera, plane, at);
    const place = line && this.#onLine(line);
    this.root.hidden = !plane || !line || !place;
    this.#drawn = undefined;
    if (!plane || !line || !place) return;
    this.#drawn = { camera, plane, down: place.down };
    const [width, height] = this.#size;
    const [top, [x1, y1]] = line.map(([x, y]) => [x * width, y * height] as const) as [WindowPoint, WindowPoint];
    // Nothing of the line shows through the masthead's buttons.
    const hidden = Math.min(1, Math.max(0, (this.#handlePx - UNDER_MASTHEAD_PX - top[1]) / Math.max(1, y1 - top[1])));
    const [x0, y0] = [top[0] + hidden * (x1 - top[0]), top[1] + hidden * (y1 - top[1])];
    const { style } = this.#line;
    const angle = Math.atan2(y1 - y0, x1 - x0) - Math.PI / 2;
    style.height = `${Math.hypot(x1 - x0, y1 - y0).toFixed(1)}px`;
    style.transform = `translate(${x0.toFixed(1)}px, ${y0.toFixed(1)}px) rotate(${angle.toFixed(4)}rad)`;
    this.#handle.style.transform = spellMove(place.x, place.y);
    const ends = SIDES.map((name) => {
      const [x, y] = this.#labelAt(name, place);
      this.#labels[name].style.transform = spellMove(x, y);
      return y - place.y + this.#sizes[name][1];
    });
    const under = Math.round(Math.max(UNDER_PX, ...ends));
    const lower = Math.round(Math.min(LOWER_PX, Math.max(0, place.y - this.#handlePx)));
    if (under !== this.#underPx || lower !== this.#lowerPx) {
      [this.#underPx, this.#lowerPx] = [under, lower];
      this.#tellUnder();
    }
    const percent = `${Math.round(at * 100)}`;
    if (this.#handle.getAttribute("aria-valuenow") === percent) return;
    this.#handle.setAttribute("aria-valuenow", percent);
    this.#handle.setAttribute("aria-valuetext", `${percent} % raw`);
  }

  /** The handle's place on the line: at the handle's usual height if the line comes near to it, else at the line's nearest end. */
  #onLine([top, bottom]: [WindowPoint, WindowPoint]): { x: number; y: number; down: number } | undefined {
    const [width, height] = this.#size;
    const [y0, y1] = [top[1] * height, bottom[1] * height];
    const down = Math.abs(y1 - y0) < 1 ? 0.5 : Math.min(1.2, Math.max(-0.2, (this.#handlePx - y0) / (y1 - y0)));
    const x = (top[0] + down * (bottom[0] - top[0])) * width;
    const y = y0 + down * (y1 - y0);
    // At the image's own edge the handle stays visible, so that it can be dragged back.
    return x >= -EDGE_PX && x <= width + EDGE_PX && y >= 0 && y <= height
      ? { x: Math.min(width, Math.max(0, x)), y, down }
      : undefined;
  }

  /** A label's place beside the handle; if the window has no room there, below the handle and inside of the window. */
  #labelAt(name: SideName, { x, y }: { x: number; y: number }): [x: number, y: number] {
    const [labelWidth] = this.#sizes[name];
    const beside = name === "raw" ? x - BESIDE_PX - labelWidth : x + BESIDE_PX;
    const last = this.#size[0] - EDGE_PX - labelWidth;
    const inside = Math.max(EDGE_PX, Math.min(beside, last));
    return [inside, y + (inside === beside ? ABOVE_PX : BELOW_PX)];
  }

  #drag(event: PointerEvent): void {
    if (event.button !== 0 || !event.isPrimary) return;
    const handle = this.#handle;
    handle.setPointerCapture(event.pointerId);
    const box = this.root.getBoundingClientRect();
    const [width, height] = this.#size;
    const follow = ({ clientX, clientY }: PointerEvent) => {
      if (!this.#drawn) return;
      const { camera, plane, down } = this.#drawn;
      this.onMove(shareAt(camera, plane, down, [(clientX - box.left) / width, (clientY - box.top) / height]));
    };
    const end = () => handle.removeEventListener("pointermove", follow);
    handle.addEventListener("pointermove", follow);
    for (const name of ["pointerup", "pointercancel"]) handle.addEventListener(name, end, { once: true });
  }

  #key(event: KeyboardEvent): void {
    const at = TO[event.key] ?? this.#at + (BY[event.key] ?? Number.NaN);
    if (Number.isNaN(at) || event.ctrlKey || event.metaKey || event.altKey) return;
    // Otherwise the page's own keys would step through the recording.
    event.preventDefault();
    event.stopPropagation();
    this.onMove(Math.min(1, Math.max(0, at)));
  }
}

const spellMove = (x: number, y: number): string => `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
