/**
 * Says on the picture's canvas, as `aria-busy`, whether the picture is still to change by itself: while frames play, one is read,
 * filtered or drawn, the camera or the focus moves, or noise is estimated that the filters will go by. Without it the picture shows
 * what is set. Assistive technology reads the attribute, and so does whoever has to wait for the picture.
 */
export class Settling {
  #works = 0;
  #presenting = false;

  constructor(readonly canvas: Element) {}

  /** Whether the presenter has still something to do. */
  presents(busy: boolean): void {
    if (busy === this.#presenting) return;
    this.#presenting = busy;
    this.#tell();
  }

  /** The picture is not settled before `work` is over, however it ends. Returns `work`. */
  during<T>(work: Promise<T>): Promise<T> {
    this.#works++;
    this.#tell();
    const over = () => {
      this.#works--;
      this.#tell();
    };
    // Whoever else waits for the work hears of its end first, and may have something to be drawn.
    const later = () => setTimeout(over);
    work.then(later, later);
    return work;
  }

  #tell(): void {
    this.canvas.setAttribute("aria-busy", `${this.#presenting || this.#works > 0}`);
  }
}
