/** The picture's buffers are allocated again once the window has kept its size for so long, ms. */
const SETTLE_MS = 120;

/** Calls `apply` with the element's size in CSS pixels: once at the start, after each change that has settled, and at each `again`. */
export function fitTo(element: HTMLElement, apply: (width: number, height: number) => void): { again(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const again = () => apply(Math.max(1, element.clientWidth), Math.max(1, element.clientHeight));
  let [width, height] = [element.clientWidth, element.clientHeight];
  const observer = new ResizeObserver(() => {
    if (element.clientWidth === width && element.clientHeight === height) return;
    [width, height] = [element.clientWidth, element.clientHeight];
    clearTimeout(timer);
    timer = setTimeout(again, SETTLE_MS);
  });
  observer.observe(element);
  // The first call comes after the caller has initialised what `apply` uses.
  queueMicrotask(again);
  return { again };
}
