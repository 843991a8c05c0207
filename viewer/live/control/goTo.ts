import type { Recording } from "../../../sources/index.ts";
import { button, element, setText } from "../../dom/controls.ts";
import type { Player } from "../source/player.ts";
import type { Key } from "./keys.ts";
import { frameAt, stampAt } from "./timeScale.ts";

const HINT = "a frame (120), a time since the first (4.5 s, 1:02.5)";

/** The number of the frame on the screen. People press it to type the number or the time of another frame. */
export class GoTo {
  readonly #button = button("", () => this.ask(), "");
  readonly #field = element("input", "", { hidden: true, ariaLabel: "Frame or time to go to", size: 12 });
  readonly element = element("span", "goto", {}, this.#button, this.#field);
  /** The element that had the focus before the keys moved the focus here, if they did. */
  #before: Element | null = null;

  constructor(readonly player: Player) {
    this.#button.className = "open";
    this.#field.addEventListener("input", () => this.#field.setCustomValidity(""));
    this.#field.addEventListener("blur", () => this.#end());
    this.#field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#go();
      else if (event.key === "Escape") this.#end(true);
      else return;
      event.preventDefault();
    });
  }

  get key(): Key {
    return { key: "/", says: "Go to a frame or a time that you type", does: () => this.ask() };
  }

  /** Shows the frame's place in words. */
  show(place: string): void {
    setText(this.#button, place);
    this.#button.disabled = this.player.recording === null;
  }

  /** Lets the user type. Does nothing for a camera. */
  ask(): void {
    const { recording, index } = this.player;
    if (!recording) return;
    this.#before = document.querySelector(":focus-visible");
    this.#field.value = `${index}`;
    this.#field.title = goToHint(recording);
    this.#button.hidden = true;
    this.#field.hidden = false;
    this.#field.select();
    this.#field.focus();
  }

  #go(): void {
    const { recording } = this.player;
    if (!recording) return;
    const index = frameTyped(this.#field.value, recording);
    if (index === undefined) {
      this.#field.setCustomValidity(`Type ${goToHint(recording)}`);
      this.#field.reportValidity();
      return;
    }
    this.player.seek(index);
    this.#end(true);
  }

  #end(focus = false): void {
    if (this.#field.hidden) return;
    this.#field.setCustomValidity("");
    this.#button.hidden = false;
    this.#field.hidden = true;
    if (focus && this.#before instanceof HTMLElement) this.#before.focus();
  }
}

/** The texts that can be typed, in words for people. */
export const goToHint = (recording: Recording): string =>
  `${HINT}${stampAt(recording, 0) ? ", or a time of day (14:03:22)" : ""}`;

/**
 * The frame that a text names: its number; the seconds ("4.5 s"), minutes or hours since the first frame ("1:02.5"); where the recording's
 * clock tells it, a time of day ("14:03:22.5", or with a date before it). A time names the nearest frame. `undefined` for any other text.
 */
export function frameTyped(text: string, recording: Pick<Recording, "length" | "fps" | "timestampOf">) {
  const typed = text.trim();
  if (/^\d+$/.test(typed)) return Math.min(Number(typed), recording.length - 1);
  const seconds = secondsTyped(typed, stampAt(recording, 0));
  if (!Number.isFinite(seconds)) return undefined;
  return Math.round(frameAt(recording, seconds));
}

/** The seconds since the first frame that a text names; NaN for a text that names no time. */
function secondsTyped(typed: string, first: Date | undefined): number {
  const plain = /^(\d+(?:\.\d*)?|\.\d+)\s*s?$/.exec(typed);
  if (plain) return Number(plain[1]);
  const [, day, hours, minutes, seconds] =
    /^(?:(\d{4}-\d\d-\d\d)[T ])?(?:(\d+):)?(\d+):(\d+(?:\.\d*)?)$/.exec(typed) ?? [];
  if (minutes === undefined || (day !== undefined && (!first || hours === undefined))) return Number.NaN;
  const since = (Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds);
  if (!first || hours === undefined) return since;
  const start = day === undefined ? new Date(first) : new Date(`${day}T00:00:00`);
  const passed = (start.setHours(0, 0, 0, 0) - first.getTime()) / 1000 + since;
  // A recording that passes midnight has the early hours of the next day.
  return day === undefined && passed < -12 * 3600 ? passed + 24 * 3600 : passed;
}
