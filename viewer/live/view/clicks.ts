/** A press longer or farther than this is a drag, which turns the camera. */
const [MAX_MS, MAX_PX] = [500, 5];

/** Tells clicks on the canvas from drags; places go from (0, 0) top left to (1, 1). */
export function listenToClicks(canvas: HTMLElement, onClick: (x: number, y: number) => void): void {
  let down: { x: number; y: number; ms: number } | undefined;
  canvas.addEventListener("pointerdown", (event) => {
    down =
      event.isPrimary && event.button === 0 ? { x: event.clientX, y: event.clientY, ms: event.timeStamp } : undefined;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!down || !event.isPrimary) return;
    const far = Math.hypot(event.clientX - down.x, event.clientY - down.y);
    const short = event.timeStamp - down.ms < MAX_MS;
    down = undefined;
    if (far > MAX_PX || !short) return;
    const box = canvas.getBoundingClientRect();
    onClick((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  });
}
