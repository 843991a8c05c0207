import { element } from "../../../dom/controls.ts";
import { SLOP_PX } from "../../view/camera/gestures.ts";
import type { AreaKind } from "../pixelPicture.ts";

/** A place in an element, CSS px. */
interface Place {
  readonly offsetX: number;
  readonly offsetY: number;
}

/** The most corners of an outline. */
const CORNERS = 64;

/** A line of places with those left out that lie within `offPx` of it (Ramer 1972; Douglas and Peucker 1973). */
function simplified(places: readonly Place[], offPx: number): readonly Place[] {
  const [from, to] = [places[0], places[places.length - 1]];
  const [dx, dy] = [to.offsetX - from.offsetX, to.offsetY - from.offsetY];
  const long = Math.hypot(dx, dy);
  const offs = places.map(({ offsetX, offsetY }) => {
    const [x, y] = [offsetX - from.offsetX, offsetY - from.offsetY];
    return long < 1 ? Math.hypot(x, y) : Math.abs(x * dy - y * dx) / long;
  });
  const most = Math.max(...offs);
  if (places.length < 3 || most <= offPx) return [from, to];
  const k = offs.indexOf(most);
  return [...simplified(places.slice(0, k + 1), offPx).slice(0, -1), ...simplified(places.slice(k), offPx)];
}

/** The corners of an outline that was drawn by hand. */
export function cornersOf(places: readonly Place[]): readonly Place[] {
  for (let offPx = 1; ; offPx *= 1.5) {
    const corners = simplified(places, offPx);
    if (corners.length <= CORNERS) return corners;
  }
}

/**
 * Has people drag a rectangle or a free outline over a picture while `wanted` says so; `onArea` gets two opposite corners, or the
 * outline's. A press without a drag stays a click: `onTap` gets it where the picture's own gestures must not hear of the pointer, such as
 * those that turn the camera.
 */
export function listenToAreas(
  picture: HTMLElement,
  wanted: () => AreaKind | undefined,
  onArea: (corners: readonly Place[]) => void,
  onTap?: (at: Place) => void,
): void {
  const band = element("div", "band", { hidden: true });
  const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS(line.namespaceURI as "http://www.w3.org/2000/svg", "path");
  line.setAttribute("class", "lasso");
  line.append(path);
  picture.after(band, line);
  let from: Place | undefined;
  let outline: Place[] | undefined;
  let dragged = false;
  const placeOf = ({ clientX, clientY }: MouseEvent): Place => {
    const { left, top, width, height } = picture.getBoundingClientRect();
    const within = (value: number, most: number) => Math.min(most - 0.01, Math.max(0, value));
    return { offsetX: within(clientX - left, width), offsetY: within(clientY - top, height) };
  };
  const own = (event: Event) => {
    if (onTap) event.stopImmediatePropagation();
  };
  const stop = () => {
    from = outline = undefined;
    band.hidden = true;
    path.setAttribute("d", "");
  };
  const isFar = (a: Place, b: Place) => Math.hypot(a.offsetX - b.offsetX, a.offsetY - b.offsetY) > SLOP_PX;
  const on = (
    type: "pointerdown" | "pointermove" | "pointerup" | "pointercancel",
    does: (event: PointerEvent) => void,
  ) => picture.addEventListener(type, does, { capture: true });
  on("pointerdown", (event) => {
    dragged = false;
    const kind = wanted();
    if (!kind || !event.isPrimary || event.button !== 0) return;
    own(event);
    from = placeOf(event);
    outline = kind === "outline" ? [from] : undefined;
    picture.setPointerCapture(event.pointerId);
  });
  on("pointermove", (event) => {
    if (!from) return;
    own(event);
    const to = placeOf(event);
    if (outline) {
      outline.push(to);
      const { offsetLeft, offsetTop } = picture;
      path.setAttribute(
        "d",
        `M${outline.map((at) => `${at.offsetX + offsetLeft} ${at.offsetY + offsetTop}`).join("L")}Z`,
      );
      return;
    }
    band.hidden = !isFar(from, to);
    const [x, y] = [Math.min(from.offsetX, to.offsetX), Math.min(from.offsetY, to.offsetY)];
    Object.assign(band.style, {
      left: `${picture.offsetLeft + x}px`,
      top: `${picture.offsetTop + y}px`,
      width: `${Math.abs(to.offsetX - from.offsetX)}px`,
      height: `${Math.abs(to.offsetY - from.offsetY)}px`,
    });
  });
  on("pointerup", (event) => {
    if (!from) return;
    own(event);
    const [began, to, drawn] = [from, placeOf(event), outline];
    stop();
    dragged = drawn ? drawn.some((at) => isFar(began, at)) : isFar(began, to);
    if (dragged) onArea(drawn ? cornersOf(drawn) : [began, to]);
    else onTap?.(to);
  });
  on("pointercancel", stop);
  // The click that ends a drag takes no pixel.
  picture.addEventListener("click", (event) => dragged && event.stopImmediatePropagation(), { capture: true });
}
