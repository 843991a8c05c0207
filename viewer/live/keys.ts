/** What keys do; those of a field that is being typed in are its own. */
export interface Keys {
  /** By `KeyboardEvent.key`, lower case. */
  readonly press: Readonly<Record<string, () => void>>;
  /** Those that act while they are held. */
  readonly hold: Readonly<Record<string, (on: boolean) => void>>;
}

/** Listens on the page. */
export function listenToKeys(page: Window, { press, hold }: Keys): void {
  const held = new Set<string>();
  page.addEventListener("keydown", (event) => {
    const { ctrlKey, metaKey, altKey } = event;
    // What is inside the overlay, too, which from outside is one element.
    const [target] = event.composedPath();
    const typing = target instanceof HTMLElement && target.matches("input[type=number], input[type=url], select");
    if (typing || ctrlKey || metaKey || altKey) return;
    const key = event.key.toLowerCase();
    const pressed = press[key];
    // A focused button or switch answers to the space bar itself.
    const own = key === " " && target instanceof HTMLElement && target.matches("button, input, summary");
    if (pressed && !own) {
      event.preventDefault();
      pressed();
    }
    if (hold[key] && !held.has(key)) {
      held.add(key);
      hold[key](true);
    }
  });
  const release = (key: string) => {
    if (held.delete(key)) hold[key]?.(false);
  };
  page.addEventListener("keyup", (event) => release(event.key.toLowerCase()));
  page.addEventListener("blur", () => {
    for (const key of [...held]) release(key);
  });
}
