/** A press that stays within so many pixels is a click, and moves nothing. */
export const SLOP_PX = 4;
/** A notch of most wheels is 100 px: a tenth nearer. On a pad, two fingers that spread send less. */
const [PER_PX, PER_PX_PINCHED] = [0.00105, 0.01];
/** Lines and pages, for browsers that count a wheel in them. */
const PX = [1, 33, 400];
/** Of one event; some wheels run free. */
const MOST = 0.6;

/** Handles gestures on the picture. Places go from (0, 0) top left to (1, 1); distances are shares of the height. */
export interface GestureHandlers {
  /** A drag begins at a place: what is there is what it turns about, or takes along. */
  readonly take: (x: number, y: number) => void;
  readonly orbit: (across: number, down: number) => void;
  readonly pan: (across: number, down: number) => void;
  /** e to the −`amount` of the distance to what is at the place. */
  readonly wheel: (amount: number, x: number, y: number) => void;
  /** The same, to what was taken. */
  readonly pinch: (amount: number) => void;
}

/**
 * Turns what the mouse, the wheel, a pen or fingers do on an element into motions: the left button or one finger turns; the
 * middle or right one, shift, or two fingers move; the wheel and two fingers' spread go nearer.
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
    // With a second finger it is no click any more.
    moving = down.size === 2;
    const { x, y } = middle();
    handlers.take(...place(x, y));
  });
  element.addEventListener("pointermove", (event) => {
    const was = down.get(event.pointerId);
    if (!was) return;
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
    // The finger that stays turns.
    pans = false;
    handlers.take(...place(middle().x, middle().y));
  };
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
  // The middle button would scroll.
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
