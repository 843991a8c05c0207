/** A key of the page and what it does. The page listens for the keys of one table, and the help shows the same table. */
export interface Key {
  /**
   * The key as `KeyboardEvent.key` has it, in lower case, with "shift+" before a letter or an arrow that needs it. Several keys may do the
   * same.
   */
  readonly key: string | readonly string[];
  /** The key's line in the help: "Play or pause". */
  readonly says: string;
  /** Called at each press, and repeatedly while the key is held. */
  readonly does?: () => void;
  /** Called when the key is pressed, and when it is released. */
  readonly holds?: (on: boolean) => void;
}

/** Keys that belong together. */
export interface KeyGroup {
  readonly title: string;
  readonly keys: Key[];
}

/**
 * The keys of the page; each part of the page adds its own.
 *
 * A control that has the focus comes first if it needs the key: text fields have all keys; radio buttons, sliders and lists have the
 * arrows; Enter presses, toggles or opens the control. A control with `data-keys="page"` leaves all keys to the page. The space bar plays
 * and pauses wherever the focus is, unless the user reached a button or a switch with the Tab key: then the space bar presses that control,
 * as on any page. A key that something else has handled (`preventDefault`) does nothing here.
 */
export class Keys {
  readonly groups: KeyGroup[] = [];
  readonly #table = new Map<string, Key>();
  readonly #held = new Map<string, Key>();
  /** How the focus came to the present element. */
  #via: Via = "script";
  #arriving = false;
  /** Whether the page used the space bar: the focused control must not see the bar's release. */
  #tookSpace = false;

  /** Adds keys under a title. Throws an `Error` if a key is taken. */
  add(title: string, keys: readonly Key[]): void {
    for (const key of keys) {
      for (const name of namesOf(key)) {
        const taken = this.#table.get(name);
        if (taken) throw new Error(`the key "${name}" for "${key.says}" is taken: "${taken.says}"`);
        this.#table.set(name, key);
      }
    }
    const group = this.groups.find((candidate) => candidate.title === title);
    if (group) group.keys.push(...keys);
    else this.groups.push({ title, keys: [...keys] });
  }

  /** Listens for the keys of the page. */
  listen(page: Window): void {
    const arrive = (via: Via) => {
      this.#via = via;
      this.#arriving = true;
    };
    page.addEventListener("pointerdown", () => arrive("pointer"), true);
    page.addEventListener("keydown", (event) => event.key === "Tab" && arrive("tab"), true);
    page.addEventListener("focusin", () => {
      if (!this.#arriving) this.#via = "script";
      this.#arriving = false;
    });
    page.addEventListener("keydown", (event) => this.#down(event));
    page.addEventListener("keyup", (event) => this.#up(event));
    page.addEventListener("blur", () => {
      for (const name of [...this.#held.keys()]) this.#release(name);
    });
  }

  #down(event: KeyboardEvent): void {
    const { ctrlKey, metaKey, altKey, shiftKey, defaultPrevented } = event;
    if (defaultPrevented || ctrlKey || metaKey || altKey || document.querySelector("dialog:modal")) return;
    // A browser that fills in a field sends a keydown without a key.
    if (event.key === undefined) return;
    // The first element of the path also sees into the latency table's shadow root.
    const [target] = event.composedPath();
    const name = event.key.toLowerCase();
    // The browser closes an open popover by Esc itself, unless the page prevents that.
    if (name === "escape" && document.querySelector(":popover-open")) return;
    if (target instanceof HTMLElement && ownsKey(target, name, this.#via)) {
      if (name === "enter" && press(target)) event.preventDefault();
      return;
    }
    const key = (shiftKey && this.#table.get(`shift+${name}`)) || this.#table.get(name);
    if (!key) return;
    if (name === " ") this.#tookSpace = true;
    if (key.does) {
      event.preventDefault();
      key.does();
    }
    if (!key.holds || this.#held.has(name)) return;
    this.#held.set(name, key);
    key.holds(true);
  }

  #up(event: KeyboardEvent): void {
    const name = event.key?.toLowerCase() ?? "";
    if (name === " " && this.#tookSpace) {
      this.#tookSpace = false;
      event.preventDefault();
    }
    this.#release(name);
  }

  #release(name: string): void {
    const key = this.#held.get(name);
    this.#held.delete(name);
    key?.holds?.(false);
  }
}

type Via = "pointer" | "tab" | "script";

/** The names of a key in the table. */
export const namesOf = ({ key }: Key): readonly string[] => (typeof key === "string" ? [key] : key);

const TYPED =
  "input:not([type=checkbox], [type=radio], [type=range], [type=button], [type=submit], [type=file]), textarea";
const ALONG = "[type=range], select, [role=slider], [role=separator], [role=menu] *, [role=listbox] *, [role=tab]";
const PRESSED = "button, summary, a[href], input, select";

/** Whether the focused element keeps a key for itself. */
function ownsKey(target: HTMLElement, name: string, via: Via): boolean {
  if (name === "escape") return false;
  if (target.dataset.keys === "page") return false;
  if (target.matches(TYPED) || target.isContentEditable) return true;
  if (name === "enter") return target.matches(PRESSED);
  if (name === " ") return ownsSpace(target, via);
  if (name.startsWith("arrow")) return target.matches(`${ALONG}, [type=radio]`);
  if (["home", "end", "pageup", "pagedown"].includes(name)) return target.matches(ALONG);
  // In a list a letter selects the entry that begins with it.
  return target.matches("select") && /^[\p{L}\p{N}]$/u.test(name);
}

function ownsSpace(target: HTMLElement, via: Via): boolean {
  if (target.matches("select") && CSS.supports("selector(:open)") && target.matches(":open")) return true;
  if (target.matches("button")) return via !== "pointer";
  return via === "tab" && target.matches("summary, select, [type=checkbox], [type=radio]:not(:checked)");
}

/** Presses or opens a control by Enter, if browsers do nothing by themselves. Returns whether it did. */
function press(target: HTMLElement): boolean {
  if (target.matches("[type=checkbox], [type=radio]")) {
    target.click();
    return true;
  }
  if (!(target instanceof HTMLSelectElement) || !("showPicker" in target)) return false;
  target.showPicker();
  return true;
}

/** The caption of a key: "Shift ←". */
export function spellKey(name: string): string {
  return name
    .split(/\+(?=.)/)
    .map((part) => SPELT[part] ?? part.toUpperCase())
    .join(" ");
}

const SPELT: Readonly<Record<string, string>> = {
  " ": "Space",
  escape: "Esc",
  enter: "Enter",
  shift: "Shift",
  pageup: "Page up",
  pagedown: "Page down",
  home: "Home",
  end: "End",
  arrowleft: "←",
  arrowright: "→",
  arrowup: "↑",
  arrowdown: "↓",
  "-": "−",
};
