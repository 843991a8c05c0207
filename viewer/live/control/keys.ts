/** What a key does. The table of them is what listens and what the help page shows. */
export interface Key {
  /** By `KeyboardEvent.key`, lower case, with "shift+" before it where a letter or an arrow needs that; several may do the same. */
  readonly key: string | readonly string[];
  /** For people: "Play or pause". */
  readonly says: string;
  /** At each press, and again and again while it is held. */
  readonly does?: () => void;
  /** When it is pressed, and when it is let go. */
  readonly holds?: (on: boolean) => void;
}

/** Keys that belong together. */
export interface KeyGroup {
  readonly title: string;
  readonly keys: Key[];
}

/**
 * The keys of the page. Whoever has something that a key does adds it.
 *
 * A control that has the focus comes first where it could not be used without: fields that are typed in have all keys, radio
 * buttons, sliders and lists the arrows, and Enter presses, flips or opens what has the focus; a control with `data-keys="page"`
 * leaves all of them to the page. The space bar plays and pauses
 * wherever the focus is, unless somebody who goes by the Tab key has come to a button or a switch, which then takes it as on
 * any page. What has handled a key itself (`preventDefault`) keeps it.
 */
export class Keys {
  readonly groups: KeyGroup[] = [];
  readonly #table = new Map<string, Key>();
  readonly #held = new Map<string, Key>();
  /** How the focus came to where it is. */
  #via: Via = "script";
  #arriving = false;
  /** The space bar was used, and what has the focus is not to hear that it is let go. */
  #tookSpace = false;

  /** Adds keys under a title. Throws if one of them does something already. */
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

  /** Listens on the page. */
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
    // What is inside the overlay, too, which from outside is one element.
    const [target] = event.composedPath();
    const name = event.key.toLowerCase();
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
    const name = event.key.toLowerCase();
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

/** The names of a key, each as the table has it. */
export const namesOf = ({ key }: Key): readonly string[] => (typeof key === "string" ? [key] : key);

const TYPED =
  "input:not([type=checkbox], [type=radio], [type=range], [type=button], [type=submit], [type=file]), textarea";
const ALONG = "[type=range], select, [role=slider], [role=separator], [role=menu] *, [role=listbox] *, [role=tab]";
const PRESSED = "button, summary, a[href], input, select";

/** Whether an element that has the focus keeps a key for itself. */
function ownsKey(target: HTMLElement, name: string, via: Via): boolean {
  if (name === "escape") return false;
  if (target.dataset.keys === "page") return false;
  if (target.matches(TYPED) || target.isContentEditable) return true;
  if (name === "enter") return target.matches(PRESSED);
  if (name === " ") return ownsSpace(target, via);
  if (name.startsWith("arrow")) return target.matches(`${ALONG}, [type=radio]`);
  if (["home", "end", "pageup", "pagedown"].includes(name)) return target.matches(ALONG);
  // A list goes to the entry that begins with the letter.
  return target.matches("select") && /^[\p{L}\p{N}]$/u.test(name);
}

function ownsSpace(target: HTMLElement, via: Via): boolean {
  if (target.matches("select") && CSS.supports("selector(:open)") && target.matches(":open")) return true;
  if (target.matches("button")) return via !== "pointer";
  return via === "tab" && target.matches("summary, select, [type=checkbox], [type=radio]:not(:checked)");
}

/** What Enter does where browsers have it do nothing. True if there was something. */
function press(target: HTMLElement): boolean {
  if (target.matches("[type=checkbox], [type=radio]")) {
    target.click();
    return true;
  }
  if (!(target instanceof HTMLSelectElement) || !("showPicker" in target)) return false;
  target.showPicker();
  return true;
}

/** "Shift ←", as it stands on the key. */
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
