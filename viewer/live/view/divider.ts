import type { PerspectiveCamera } from "three/webgpu";
import { element, setText } from "../../dom/element.ts";
import { lineOf, type Place, type SplitPlane, shareAt } from "./cut.ts";

/** The handle stands so far below the window's top, px: on a phone the masthead takes more room, but where the settings are below it. */
const handlePx = (width: number, height: number) => (width < 520 && height > 400 ? 150 : 84);

/** So far off the window it is still taken to be in it: what is at its edge may be off by a rounding. */
const EDGE_PX = 8;

/** The line between raw and filtered depth, with a handle to drag it by and what is measured on either side. */
export class Divider {
  readonly #line = element("div", "line");
  readonly #handle = element("div", "handle", { tabIndex: 0, role: "slider" });
  readonly #numbers = { raw: element("small"), filtered: element("small") };
  readonly #labels = element("div", "labels");
  /** As it was drawn last, for the hand that comes to it. */
  #drawn: { camera: PerspectiveCamera; plane: SplitPlane; down: number } | undefined;
  #size: readonly [width: number, height: number] = [1, 1];
  #at = 0.5;

  constructor(
    readonly root: HTMLElement,
    readonly onMove: (at: number) => void,
  ) {
    this.#handle.setAttribute("aria-label", "Raw up to here, filtered from here on");
    for (const [name, value] of [
      ["aria-valuemin", "0"],
      ["aria-valuemax", "100"],
    ] as const)
      this.#handle.setAttribute(name, value);
    const side = (name: "raw" | "filtered") => element("p", name, {}, element("b", "", {}, name), this.#numbers[name]);
    this.#labels.append(side("raw"), side("filtered"));
    root.append(this.#line, this.#labels, this.#handle);
    this.#handle.addEventListener("pointerdown", (event) => this.#drag(event));
    this.#handle.addEventListener("dblclick", () => onMove(0.5));
    this.#handle.addEventListener("keydown", (event) => this.#key(event));
  }

  /** The window's size, CSS pixels. */
  resize(width: number, height: number): void {
    this.#size = [width, height];
  }

  /** What is measured; nothing while nothing is. */
  tell(raw: string, filtered: string, hint: string): void {
    setText(this.#numbers.raw, raw);
    setText(this.#numbers.filtered, filtered);
    this.#handle.title = hint;
  }

  /** To be called once a picture. Without a plane there is nothing to divide. */
  update(camera: PerspectiveCamera, plane: SplitPlane | undefined, at: number): void {
    this.#at = at;
    const line = plane && lineOf(camera, plane, at);
    const place = line && this.#onLine(line);
    this.root.hidden = !plane || !line || !place;
    this.#drawn = undefined;
    if (!plane || !line || !place) return;
    this.#drawn = { camera, plane, down: place.down };
    const [width, height] = this.#size;
    const [[x0, y0], [x1, y1]] = line.map(([x, y]) => [x * width, y * height] as const) as [Place, Place];
    const { style } = this.#line;
    const angle = Math.atan2(y1 - y0, x1 - x0) - Math.PI / 2;
    style.height = `${Math.hypot(x1 - x0, y1 - y0).toFixed(1)}px`;
    style.transform = `translate(${x0.toFixed(1)}px, ${y0.toFixed(1)}px) rotate(${angle.toFixed(4)}rad)`;
    const to = `translate(${place.x.toFixed(1)}px, ${place.y.toFixed(1)}px)`;
    this.#handle.style.transform = this.#labels.style.transform = to;
    const percent = `${Math.round(at * 100)}`;
    if (this.#handle.getAttribute("aria-valuenow") === percent) return;
    this.#handle.setAttribute("aria-valuenow", percent);
    this.#handle.setAttribute("aria-valuetext", `${percent} % raw`);
  }

  /** Where on the line the handle stands: at its height if the line goes there, or nearly; else at the end that is nearest. */
  #onLine([top, bottom]: [Place, Place]): { x: number; y: number; down: number } | undefined {
    const [width, height] = this.#size;
    const [y0, y1] = [top[1] * height, bottom[1] * height];
    const down =
      Math.abs(y1 - y0) < 1 ? 0.5 : Math.min(1.2, Math.max(-0.2, (handlePx(width, height) - y0) / (y1 - y0)));
    const x = (top[0] + down * (bottom[0] - top[0])) * width;
    const y = y0 + down * (y1 - y0);
    // At the image's own edge it is still there, to be dragged back.
    return x >= -EDGE_PX && x <= width + EDGE_PX && y >= 0 && y <= height
      ? { x: Math.min(width, Math.max(0, x)), y, down }
      : undefined;
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
    const to = {
      ArrowLeft: this.#at - 0.02,
      ArrowDown: this.#at - 0.02,
      ArrowRight: this.#at + 0.02,
      ArrowUp: this.#at + 0.02,
    };
    const jumps = { PageDown: this.#at - 0.1, PageUp: this.#at + 0.1, Home: 0, End: 1, Enter: 0.5 };
    const at = ({ ...to, ...jumps } as Readonly<Record<string, number>>)[event.key];
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    // The page has other uses for these.
    event.preventDefault();
    event.stopPropagation();
    this.onMove(Math.min(1, Math.max(0, at)));
  }
}
