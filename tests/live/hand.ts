/** A fake element for pointer events, 400 × 200, with a corner at (10, 20); `send` sends it events as a browser would. */
export class Pad extends EventTarget {
  readonly clientHeight = 200;
  setPointerCapture(): void {}
  getBoundingClientRect() {
    return { left: 10, top: 20, width: 400, height: 200 };
  }

  send(type: string, more: Readonly<Record<string, unknown>>): Event {
    const event = new Event(type, { cancelable: true });
    const plain = { pointerId: 1, pointerType: "mouse", button: 0, shiftKey: false, ctrlKey: false, metaKey: false };
    // Defined, not assigned: on an Event some of these names are read-only.
    for (const [name, value] of Object.entries({ ...plain, ...more })) Object.defineProperty(event, name, { value });
    this.dispatchEvent(event);
    return event;
  }

  /** Presses at the first place, moves over the others, and releases. */
  drag(places: readonly (readonly [x: number, y: number])[], more: Readonly<Record<string, unknown>> = {}): void {
    for (const [i, [clientX, clientY]] of places.entries())
      this.send(i === 0 ? "pointerdown" : "pointermove", { clientX, clientY, ...more });
    this.send("pointerup", more);
  }

  wheel(deltaY: number, x: number, y: number, more: Readonly<Record<string, unknown>> = {}): Event {
    return this.send("wheel", { deltaY, deltaMode: 0, clientX: 10 + x * 400, clientY: 20 + y * 200, ...more });
  }

  get element(): HTMLElement {
    return this as unknown as HTMLElement;
  }
}
