/** The frame that marks the place of a click to focus. The style sheet animates and hides it. */
export class Reticle {
  constructor(readonly element: HTMLElement) {
    element.addEventListener("animationend", () => {
      element.hidden = true;
    });
  }

  /** Shows the frame at a place from (0, 0) top left to (1, 1). */
  show(x: number, y: number): void {
    const { element } = this;
    element.style.left = `${x * 100}%`;
    element.style.top = `${y * 100}%`;
    element.classList.remove("miss");
    element.hidden = true;
    // Reading a size restarts the animation.
    void element.offsetWidth;
    element.hidden = false;
  }

  /** Shows that there was no surface to focus on. */
  miss(): void {
    this.element.classList.add("miss");
  }
}
