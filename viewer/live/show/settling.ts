/**
 * Says on the picture's canvas, as `aria-busy`, whether the picture will still change by itself: while frames play, while one is read,
 * filtered or drawn, while the camera or the focus moves, and while noise is measured that the filters will use. Otherwise the picture
 * shows what is set. Assistive technology reads the attribute, and so does a test that waits for the picture.
 */
export class Settling {
  #works = 0;
  #presenting = false;

  constructor(readonly canvas: Element) {}

  /** Sets whether the presenter still has something to do. */
  presents(busy: boolean): void {
    if (busy === this.#presenting) return;
    this.#presenting = busy;
    this.#mark();
  }

  /** Counts the picture as changing until `work` is over, however it ends. Returns `work`. */
  during<T>(work: Promise<T>): Promise<T> {
    this.#works++;
    this.#mark();
    const over = () => {
      this.#works--;
      this.#mark();
    };
    // Later than all others who wait for the work, since they may want a new picture.
    const later = () => setTimeout(over);
    work.then(later, later);
    return work;
  }

  #mark(): void {
    this.canvas.setAttribute("aria-busy", `${this.#presenting || this.#works > 0}`);
  }
}
