/** The frame that shows where was clicked to focus. It animates by itself (the style sheet) and goes. */
export class Reticle {
  constructor(readonly element: HTMLElement) {
    element.addEventListener("animationend", () => {
      element.hidden = true;
    });
  }

  /** At a place from (0, 0) top left to (1, 1). */
  show(x: number, y: number): void {
    const { element } = this;
    element.style.left = `${x * 100}%`;
    element.style.top = `${y * 100}%`;
    element.classList.remove("miss");
    element.hidden = true;
    // Reading a size makes the animation begin anew.
    void element.offsetWidth;
    element.hidden = false;
  }

  /** Nothing was there to focus on. */
  miss(): void {
    this.element.classList.add("miss");
  }
}
