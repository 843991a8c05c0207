import { type Control, isLive, type Source } from "../../../sources/index.ts";
import * as dom from "../../dom/controls.ts";

/** A control's value is sent to the camera at most once in this time, ms, while somebody drags a slider. */
const EVERY_MS = 100;

/** The controls of the camera itself, of a live source that lets them be changed: "exposure", "laser", "preset". */
export class CameraPanel {
  readonly #group = dom.element("div", "group");
  readonly #refused = dom.element("p", "note", { role: "alert" });
  readonly #fold = dom.element(
    "details",
    "fold",
    { open: true },
    dom.element("summary", "", {}, "Camera"),
    this.#group,
  );
  readonly element = dom.element("section", "", { hidden: true }, this.#fold, this.#refused);
  #set = new Map<string, (value: number) => void>();
  /** The controls and their values as they were shown last. */
  #shown = { form: "", list: "" };
  /** The values that are to be sent. */
  readonly #wanted = new Map<string, number>();
  #nextMs = 0;

  /** Shows what the camera says, and sends what the user has chosen; call it for each picture of the screen. */
  update(source: Source | null, nowMs: number): void {
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + EVERY_MS;
    const live = source && isLive(source) ? source : undefined;
    const { list = [], refused = "" } = live?.controls ?? {};
    this.element.hidden = list.length === 0;
    const form = JSON.stringify(list.map(({ value: _, ...rest }) => rest));
    const text = JSON.stringify([list, refused]);
    if (form !== this.#shown.form) this.#build(list);
    // A value that the user has just chosen stays until the camera has answered.
    else if (text !== this.#shown.list) for (const { name, value } of list) this.#set.get(name)?.(value);
    this.#shown = { form, list: text };
    dom.setText(this.#refused, refused && `The camera refused: ${refused}`);
    for (const [name, value] of this.#wanted) live?.set?.(name, value);
    this.#wanted.clear();
  }

  #build(list: readonly Control[]): void {
    this.#wanted.clear();
    this.#set = new Map();
    const parts = list.map((control) => {
      const made = this.#made(control);
      this.#set.set(control.name, made.set);
      return made.element;
    });
    this.#group.replaceChildren(...parts);
  }

  #made({ name, value, least, most, step = 1, names }: Control): dom.Control<number> {
    const send = (wanted: number) => void this.#wanted.set(name, wanted);
    const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const label = words.charAt(0).toUpperCase() + words.slice(1);
    // The maker's library, where it plays a recording as a camera, tells values and no range.
    if (most <= least) {
      const shown = dom.element("span", "number", {}, `${value}`);
      const line = dom.element("div", "control line", {}, dom.element("span", "name", {}, label), shown);
      return { element: line, set: (now) => dom.setText(shown, `${now}`) };
    }
    if (least === 0 && most === 1) {
      const made = dom.toggle(label, value === 1, (on) => send(on ? 1 : 0));
      return { element: made.element, set: (now) => made.set(now === 1) };
    }
    if (names) {
      const entries = names.map((text, i) => [`${least + i}`, text] as const);
      const made = dom.select(label, Object.fromEntries(entries), `${value}`, (one) => send(Number(one)));
      return { element: made.element, set: (now) => made.set(`${now}`) };
    }
    const logarithmic = least > 0 && most > 1000 * least;
    return dom.range({ label, min: least, max: most, step, logarithmic, value, onInput: send });
  }
}
