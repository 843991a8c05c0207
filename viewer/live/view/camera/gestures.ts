/** A press that moves by less than this is a click, px. */
export const SLOP_PX = 4;
/** Zoom per pixel of the wheel: one notch of most wheels is 100 px and goes nearer by a tenth. Two fingers on a touch pad send fewer. */
const PER_PX = 0.00105;
const PER_PX_PINCHED = 0.01;
/** Pixels per line and per page, for browsers that report the wheel in these. */
const PX = [1, 33, 400];
/** The largest zoom of one event; free-running wheels send huge steps. */
const MOST = 0.6;

/** Handles gestures on the picture. Places go from (0, 0) top left to (1, 1); distances are shares of the height. */
export interface GestureHandlers {
  /** A drag begins at this place: the drag turns the view about the point there, or moves that point. */
  readonly take: (x: number, y: number) => void;
  readonly orbit: (across: number, down: number) => void;
  readonly pan: (across: number, down: number) => void;
  /** Multiplies the distance to the point at the place by e to the −`amount`. */
  readonly wheel: (amount: number, x: number, y: number) => void;
  /** Changes the distance as `wheel` does, but to the point that the last `take` found. */
  readonly pinch: (amount: number) => void;
}

/**
 * Translates mouse, wheel, pen and fingers on an element into movements. The left button or one finger turns; the middle or right button,
 * shift, or two fingers move; the wheel or spreading two fingers zooms.
 */
export function listenToGestures(element: HTMLElement, handlers: GestureHandlers): void {
  const down = new Map<number, { x: number; y: number }>();
  let moving = false;
  let pans = false;
  const middle = () => {
    const [a = { x: 0, y: 0 }, b = a] = down.values();
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  const place = (x: number, y: number) => {
    const box = element.getBoundingClientRect();
    return [(x - box.left) / box.width, (y - box.top) / box.height] as const;
  };
  element.addEventListener("pointerdown", (event) => {
    if (down.size === 2 || (event.pointerType === "mouse" && down.size > 0)) return;
    element.setPointerCapture(event.pointerId);
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    pans = event.button > 0 || event.shiftKey || event.ctrlKey || event.metaKey || down.size === 2;
    // A press with two fingers is no click.
    moving = down.size === 2;
    const { x, y } = middle();
    handlers.take(...place(x, y));
  });
  element.addEventListener("pointermove", (event) => {
    const was = down.get(event.pointerId);
    if (!was) return;
    // The release was not heard, such as one over another program's window.
    if (event.buttons === 0) return end(event);
    if (!moving && Math.hypot(event.clientX - was.x, event.clientY - was.y) < SLOP_PX) return;
    moving = true;
    const before = middle();
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const after = middle();
    const height = Math.max(1, element.clientHeight);
    handlers[pans ? "pan" : "orbit"]((after.x - before.x) / height, (after.y - before.y) / height);
    if (before.apart > 0 && after.apart > 0) handlers.pinch(Math.log(after.apart / before.apart));
  });
  const end = (event: PointerEvent) => {
    if (!down.delete(event.pointerId) || down.size === 0) return;
    // The remaining finger turns.
    pans = false;
    handlers.take(...place(middle().x, middle().y));
  };
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
  // Otherwise the middle button would scroll.
  element.addEventListener("mousedown", (event) => event.button === 1 && event.preventDefault());
  element.addEventListener("contextmenu", (event) => event.preventDefault());
  element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const px = -event.deltaY * (PX[event.deltaMode] ?? 1) * (event.ctrlKey ? PER_PX_PINCHED : PER_PX);
      handlers.wheel(Math.max(-MOST, Math.min(MOST, px)), ...place(event.clientX, event.clientY));
    },
    { passive: false },
  );
}
