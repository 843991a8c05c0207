import { SLOP_PX } from "../camera/gestures.ts";

type At = (x: number, y: number) => void;

/** Tells clicks on the canvas, however long the press, from drags. Places go from (0, 0) top left to (1, 1). */
export function listenToClicks(canvas: HTMLElement, onClick: At, onDouble: At = () => {}): void {
  let down: { x: number; y: number } | undefined;
  const at = (event: MouseEvent, then: At) => {
    const box = canvas.getBoundingClientRect();
    then((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  };
  canvas.addEventListener("pointerdown", (event) => {
    down = event.isPrimary && event.button === 0 ? { x: event.clientX, y: event.clientY } : undefined;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!down || !event.isPrimary) return;
    const far = Math.hypot(event.clientX - down.x, event.clientY - down.y);
    down = undefined;
    if (far <= SLOP_PX) at(event, onClick);
  });
  canvas.addEventListener("dblclick", (event) => at(event, onDouble));
}
