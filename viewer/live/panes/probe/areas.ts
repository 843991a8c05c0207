import { element } from "../../../dom/controls.ts";
import { SLOP_PX } from "../../view/camera/gestures.ts";

/** A place in an element, CSS px. */
interface Place {
  readonly offsetX: number;
  readonly offsetY: number;
}

/**
 * Has people drag a rectangle over a picture while `wanted` says so. A press without a drag stays a click: `onTap` gets it where the
 * picture's own gestures must not hear of the pointer, such as those that turn the camera.
 */
export function listenToAreas(
  picture: HTMLElement,
  wanted: () => boolean,
  onArea: (from: Place, to: Place) => void,
  onTap?: (at: Place) => void,
): void {
  const band = element("div", "band", { hidden: true });
  picture.after(band);
  let from: Place | undefined;
  let dragged = false;
  const placeOf = ({ clientX, clientY }: MouseEvent): Place => {
    const { left, top, width, height } = picture.getBoundingClientRect();
    const within = (value: number, most: number) => Math.min(most - 0.01, Math.max(0, value));
    return { offsetX: within(clientX - left, width), offsetY: within(clientY - top, height) };
  };
  const own = (event: Event) => {
    if (onTap) event.stopImmediatePropagation();
  };
  const isFar = (a: Place, b: Place) => Math.hypot(a.offsetX - b.offsetX, a.offsetY - b.offsetY) > SLOP_PX;
  const on = (
    type: "pointerdown" | "pointermove" | "pointerup" | "pointercancel",
    does: (event: PointerEvent) => void,
  ) => picture.addEventListener(type, does, { capture: true });
  on("pointerdown", (event) => {
    if (!wanted() || !event.isPrimary || event.button !== 0) return;
    own(event);
    from = placeOf(event);
    picture.setPointerCapture(event.pointerId);
  });
  on("pointermove", (event) => {
    if (!from) return;
    own(event);
    const to = placeOf(event);
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
    const [began, to] = [from, placeOf(event)];
    from = undefined;
    band.hidden = true;
    dragged = isFar(began, to);
    if (dragged) onArea(began, to);
    else onTap?.(to);
  });
  on("pointercancel", () => {
    from = undefined;
    band.hidden = true;
  });
  // The click that ends a drag takes no pixel.
  picture.addEventListener("click", (event) => dragged && event.stopImmediatePropagation(), { capture: true });
}
