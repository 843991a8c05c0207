import { OptionError } from "../../core/check.ts";
import { scaleOf } from "./scale.ts";

type Child = Node | string;
type Properties<E> = { readonly [K in keyof E]?: E[K] } | Record<never, never>;

/** Makes an element with properties and children. Text is inserted as text, never as markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  properties: Properties<HTMLElementTagNameMap[K]> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  if (typeof document === "undefined") throw new OptionError("what is shown needs a page, and this runs in none");
  const made = document.createElement(tag);
  if (className) made.className = className;
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

/** The page's element with this id. Throws where the page has no such element. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** Sets a node's text only where it differs, because setting it causes layout. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** A control on the panel. `set` shows a value without calling `onInput`. */
export interface Control<T> {
  readonly element: HTMLElement;
  set(value: T): void;
}

export interface RangeOptions {
  readonly label: string;
  /** The text before the number: "f/". */
  readonly prefix?: string;
  readonly unit?: string;
  /** The tooltip that explains the control. */
  readonly hint?: string;
  readonly min: number;
  readonly max: number;
  readonly step?: number | undefined;
  /** Equal steps of the slider are equal ratios, for distances and apertures. `min` must be above 0. */
  readonly logarithmic?: boolean;
  /** The least and the greatest step of an arrow key; a hundredth of the number where that lies between. */
  readonly arrow?: readonly [least: number, most: number];
  /** The values at which the slider stops, ascending; the field also accepts values between them. */
  readonly stops?: readonly number[];
  readonly value: number;
  /** `typed` says that the value was entered at once, not by dragging. */
  readonly onInput: (value: number, typed: boolean) => void;
}

/** The control of a number. */
export interface RangeControl extends Control<number> {
  /** Highlights a part of the slider instead of the part before the thumb. */
  mark(from: number, to: number): void;
}

/** The positions of a slider without steps. */
const NOTCHES = 400;
/** A slider with more values than this cannot be aimed, so only the number is shown. */
const MAX_NOTCHES = 10_000;

/** Makes a control for a number: a slider and a field. */
export function range(options: RangeOptions): RangeControl {
  const { label, prefix = "", unit = "", hint = "", min, max, step, logarithmic = false, stops, onInput } = options;
  const { arrow = [0, Infinity] } = options;
  const whole = step !== undefined && step % 1 === 0;
  const bounds = { min: `${min}`, max: `${max}`, step: whole ? `${step}` : "any" };
  const field = element("input", "number", { type: "number", ...bounds });
  const notches = stops ? stops.length - 1 : whole && !logarithmic ? (max - min) / step : NOTCHES;
  const slider = element("input", "slider", { type: "range", min: "0", max: `${notches}`, step: "1", tabIndex: -1 });
  slider.setAttribute("aria-hidden", "true");
  const scale = scaleOf(min, max, logarithmic);
  const toNotch = (x: number) => (stops ? placeAmong(stops, x) : scale.at(x) * notches);
  const fromNotch = (notch: number) => {
    if (stops) return stops[notch] ?? min;
    const x = scale.value(notch / notches);
    return whole ? min + Math.round((x - min) / step) * step : Number(x.toPrecision(3));
  };
  const share = (value: number) => Math.min(1, Math.max(0, toNotch(value) / notches));
  let shown = Number.NaN;
  const show = (value: number) => {
    // Moving one slider updates all controls, so unchanged ones must cost nothing.
    if (value !== shown) {
      slider.value = `${toNotch(value)}`;
      slider.style.setProperty("--filled", `${share(value)}`);
      shown = value;
    }
    // The field that the user is typing in is left alone.
    if (document.activeElement !== field) field.value = whole ? `${value}` : `${Number(value.toPrecision(3))}`;
  };
  slider.addEventListener("input", () => {
    const value = fromNotch(Number(slider.value));
    shown = Number.NaN;
    show(value);
    field.value = `${value}`;
    onInput(value, false);
  });
  // A browser's own arrow keys step by 1 where a field accepts any number.
  field.addEventListener("keydown", (event) => {
    const times = ARROWS[event.key];
    if (times === undefined || whole) return;
    event.preventDefault();
    const now = Number.isFinite(field.valueAsNumber) ? field.valueAsNumber : options.value;
    const by = arrowStep(logarithmic || stops ? Math.max(now, min > 0 ? min : max / 1000) : max - min, arrow);
    const next = Math.min(max, Math.max(min, Number((now + times * by).toPrecision(6))));
    show(next);
    field.value = `${next}`;
    onInput(next, false);
  });
  field.addEventListener("change", () => {
    const value = field.valueAsNumber;
    // While the field has the focus, `show` leaves alone what was typed.
    field.blur();
    const isWithin = Number.isFinite(value) && value >= min && value <= max;
    show(isWithin ? value : shown);
    if (isWithin) onInput(value, true);
  });
  const part = (name: string, text: string) => element("span", name, {}, text);
  const line = element("span", "line", {}, part("name", label), part("prefix", prefix), field, part("unit", unit));
  const made = element("label", "control range", { title: hint }, line);
  if (notches <= MAX_NOTCHES) made.append(slider);
  show(options.value);
  return {
    element: made,
    set: show,
    mark(from, to) {
      slider.classList.add("marked");
      slider.style.setProperty("--from", `${share(from)}`);
      slider.style.setProperty("--to", `${share(to)}`);
    },
  };
}

const ARROWS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

/** A hundredth of a number, rounded to 1, 2 or 5 times a power of ten, within bounds. */
function arrowStep(of: number, [least, most]: readonly [number, number] = [0, Infinity]): number {
  const order = 10 ** Math.floor(Math.log10(Math.max(of, 1e-6) / 100) + 1e-9);
  const digits = of / 100 / order;
  const round = digits >= 5 ? 5 : digits >= 2 ? 2 : 1;
  return Math.min(most, Math.max(least, Number((round * order).toPrecision(1))));
}

/** The fractional index of a value among ascending stops: 1.5 is half way from the second to the third. */
function placeAmong(stops: readonly number[], value: number): number {
  const next = stops.findIndex((stop) => stop >= value);
  if (next <= 0) return next === 0 ? 0 : stops.length - 1;
  const [low = 0, high = 1] = [stops[next - 1], stops[next]];
  return next - (high - value) / (high - low);
}

/** Makes a switch. */
export function toggle(
  label: string,
  value: boolean,
  onChange: (value: boolean) => void,
  hint = "",
): Control<boolean> & { readonly input: HTMLInputElement } {
  const input = element("input", "switch", { type: "checkbox", checked: value, role: "switch", ariaLabel: label });
  input.addEventListener("change", () => onChange(input.checked));
  const made = element("label", "control toggle", { title: hint }, element("span", "name", {}, label), input);
  return { element: made, input, set: (checked) => void Object.assign(input, { checked }) };
}

let groups = 0;

/** Makes a choice of one of a few, all visible. */
export function segmented<T extends string>(
  label: string,
  choices: Readonly<Record<T, string>>,
  value: T,
  onChange: (value: T) => void,
): Control<T> {
  const name = `choice-${groups++}`;
  const inputs = new Map<string, HTMLInputElement>();
  const row = element("div", "choices");
  const made = element("fieldset", "control segmented", {}, element("legend", "", {}, label), row);
  for (const choice of Object.keys(choices) as T[]) {
    const input = element("input", "", { type: "radio", name, checked: choice === value });
    input.addEventListener("change", () => onChange(choice));
    inputs.set(choice, input);
    row.append(element("label", "", {}, input, element("span", "", {}, choices[choice])));
  }
  return { element: made, set: (choice) => void Object.assign(inputs.get(choice) ?? {}, { checked: true }) };
}

/** Makes a choice of one of many, in a list that opens. */
export function select<T extends string>(
  label: string,
  choices: Readonly<Record<T, string>>,
  value: T,
  onChange: (value: T) => void,
): Control<T> {
  const list = element("select", "select", { ariaLabel: label });
  for (const choice of Object.keys(choices) as T[])
    list.append(element("option", "", { value: choice }, choices[choice]));
  list.value = value;
  list.addEventListener("change", () => onChange(list.value as T));
  const made = element("label", "control line", {}, element("span", "name", {}, label), list);
  return { element: made, set: (choice) => void Object.assign(list, { value: choice }) };
}

/** Makes a plain button. */
export function button(label: string, onClick: () => void, hint = ""): HTMLButtonElement {
  const made = element("button", "button", { type: "button", title: hint }, label);
  made.addEventListener("click", onClick);
  return made;
}
