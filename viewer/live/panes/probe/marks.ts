import { project, unproject } from "../../../../core/calibration/lens.ts";
import type { Intrinsics } from "../../../../core/frame.ts";
import { setText } from "../../../dom/controls.ts";
import type { Pixel, Point } from "./projection.ts";

/** A place in a pane, CSS pixels from its top left. */
export interface Spot {
  readonly x: number;
  readonly y: number;
}

/** A corner of an outline: the source's pixel, and the point of the scene. */
export interface Vertex {
  readonly pixel: Pixel;
  readonly point: Point;
}

/** A pixel, and the point that it sees at a depth. */
export function vertexAt(camera: Intrinsics, pixel: Pixel, zM: number): Vertex {
  const ray: [number, number] = [0, 0];
  unproject(camera, pixel.u, pixel.v, ray);
  return { pixel, point: [ray[0] * zM, ray[1] * zM, zM] };
}

/** A point, and the place in the image that sees it. */
export function vertexOf(camera: Intrinsics, point: Point): Vertex {
  const [x, y, z] = point;
  const place: [number, number] = [0, 0];
  project(camera, x / z, y / z, place);
  return { pixel: { u: place[0], v: place[1] }, point };
}

/** An outline of something that is measured. */
export interface Shape {
  /** The closed lines. */
  readonly outlines: readonly (readonly Vertex[])[];
  /** Stands over the middle of the first outline. */
  readonly label: string;
}

/** About half the width of a letter, the height of a line, and the base line of a label at the picture's top. */
const [HALF_LETTER_PX, LINE_PX, FIRST_PX] = [3.4, 14, 12];

/** Where a label stands, and half its width. */
type Label = Spot & { readonly half: number };

/** The height at which a label stands free: above labels that stand in its place, or below them where there is no room. */
export function freeY(wanted: Label, taken: readonly Label[]): number {
  const isFree = (y: number) =>
    taken.every((one) => Math.abs(one.x - wanted.x) >= one.half + wanted.half || Math.abs(one.y - y) >= LINE_PX);
  const least = Math.max(FIRST_PX, wanted.y);
  let y = least;
  while (y >= FIRST_PX && !isFree(y)) y -= LINE_PX;
  if (y < FIRST_PX) for (y = least; !isFree(y); ) y += LINE_PX;
  return y;
}

/** Marks over a picture: the ruler, the pixel that is plotted, the pixel that is pointed at in another picture, and outlines. */
export class Marks {
  readonly element = svg("svg", "marks");
  readonly #line = svg("line", "ruler");
  readonly #ends = [svg("circle", "ruler"), svg("circle", "ruler")] as const;
  readonly #label = svg("text", "ruler");
  readonly #plotted = svg("path", "plotted");
  readonly #cursor = svg("path", "cursor");
  readonly #shapes: (readonly [path: SVGPathElement, label: SVGTextElement])[] = [];

  constructor() {
    this.element.setAttribute("aria-hidden", "true");
    for (const end of this.#ends) set(end, "r", "3.5");
    set(this.#plotted, "d", "M-7-3V-7H-3M3-7H7V-3M7 3V7H3M-3 7H-7V3");
    set(this.#cursor, "d", "M-9 0H-3M3 0H9M0-9V-3M0 3V9");
    this.element.append(this.#line, ...this.#ends, this.#label, this.#plotted, this.#cursor);
    this.clear();
  }

  /** Removes all marks. */
  clear(): void {
    this.showRuler([], "");
    this.showPlotted(undefined);
    this.showCursor(undefined);
    this.showShapes([], () => undefined);
  }

  /** Shows outlines whose corners are all in sight. */
  showShapes(shapes: readonly Shape[], spotOf: (vertex: Vertex) => Spot | undefined): void {
    while (this.#shapes.length < shapes.length) {
      const made = [svg("path", "shape"), svg("text", "shape")] as const;
      this.#shapes.push(made);
      this.element.append(...made);
    }
    const taken: Label[] = [];
    const { clientWidth } = this.element;
    for (const [k, [path, label]] of this.#shapes.entries()) {
      const { outlines = [], label: text = "" } = shapes[k] ?? {};
      const lines = outlines.map((outline) => outline.flatMap((vertex) => spotOf(vertex) ?? []));
      const whole = lines.every((spots, n) => spots.length === outlines[n].length) && lines.length > 0;
      show(path, whole);
      show(label, whole && text !== "");
      if (!whole) continue;
      set(
        path,
        "d",
        lines.map((spots) => `M${spots.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}Z`).join(""),
      );
      const mean = (axis: keyof Spot) => lines[0].reduce((sum, spot) => sum + spot[axis], 0) / lines[0].length;
      const half = text.length * HALF_LETTER_PX;
      // A label stays within the picture.
      const x = Math.max(half, Math.min(mean("x"), clientWidth - half));
      const y = freeY({ x, y: Math.min(...lines[0].map((spot) => spot.y)) - 6, half }, taken);
      if (text !== "") taken.push({ x, y, half });
      place(label, "x", "y", { x, y });
      setText(label, text);
    }
  }

  /** Shows the ruler's ends, and the line and its label if both ends are in sight. */
  showRuler(spots: readonly (Spot | undefined)[], label: string): void {
    const [a, b] = spots;
    for (const [i, end] of this.#ends.entries()) {
      const spot = spots[i];
      show(end, spot !== undefined);
      if (spot) place(end, "cx", "cy", spot);
    }
    const both = a !== undefined && b !== undefined;
    show(this.#line, both);
    show(this.#label, both && label !== "");
    if (!both) return;
    place(this.#line, "x1", "y1", a);
    place(this.#line, "x2", "y2", b);
    place(this.#label, "x", "y", { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 - 9 });
    setText(this.#label, label);
  }

  showPlotted(spot: Spot | undefined): void {
    move(this.#plotted, spot);
  }

  showCursor(spot: Spot | undefined): void {
    move(this.#cursor, spot);
  }
}

function svg<K extends keyof SVGElementTagNameMap>(tag: K, className: string): SVGElementTagNameMap[K] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  made.setAttribute("class", className);
  return made;
}

/** Sets an attribute, unless it has the value already: setting it again would cost a layout. */
function set(element: SVGElement, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function show(element: SVGElement, shown: boolean): void {
  set(element, "visibility", shown ? "visible" : "hidden");
}

function place(element: SVGElement, x: string, y: string, spot: Spot): void {
  set(element, x, spot.x.toFixed(1));
  set(element, y, spot.y.toFixed(1));
}

function move(element: SVGElement, spot: Spot | undefined): void {
  show(element, spot !== undefined);
  if (spot) set(element, "transform", `translate(${spot.x.toFixed(1)} ${spot.y.toFixed(1)})`);
}
