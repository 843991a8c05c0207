import { button } from "../../dom/controls.ts";
import { element, setText } from "../../dom/element.ts";
import { menu } from "../../dom/menu.ts";
import type { Saver } from "./saver.ts";

/** The menu of things to save; and beside it what is being recorded, with a button that stops it. */
export class SaveMenu {
  readonly element: HTMLElement;
  readonly #film = new Chip("Stop the video");
  readonly #recording = new Chip("Stop the recording");
  readonly chips = element("div", "chips", {}, this.#film.element, this.#recording.element);

  constructor(readonly saver: Saver) {
    const item = (label: string, hint: string, work: () => void) => button(label, work, hint);
    this.element = menu(
      "Save",
      "save",
      item(
        "Picture (PNG)",
        "The view as you see it, in the size that “Resolution” asks for, even while “Lower quality when slow” draws a smaller picture",
        () => void saver.picture(),
      ),
      item(
        "Video (MP4 or WebM)",
        "The view from now on until you stop it, in the size of the picture on the screen; MP4 where the browser can write it",
        () => void saver.video(),
      ),
      item(
        "Point cloud (PLY)",
        "The frame’s points in metres from the sensor, with the camera’s colours; without these, with the colours on the screen",
        () => void saver.points(),
      ),
      item(
        "Filtered depth (PNG)",
        "The frame as a 16-bit image in the recording’s units; 0 is invalid",
        () => void saver.depth(),
      ),
      item("Record filtered depth (MCAP)", "What plays from now on, for Foxglove, ROS 2 and this viewer", () =>
        this.#record(false),
      ),
      item("Record raw depth (MCAP)", "What plays from now on, as the sensor gave it", () => this.#record(true)),
      item("Settings (JSON)", "Everything that is set, for “depthloom replay --settings” or this viewer", () =>
        saver.settings(),
      ),
      item("Copy link", "A link that opens this view again", () => void saver.copyLink()),
    );
    this.#film.button.addEventListener("click", () => saver.film?.end());
    this.#recording.button.addEventListener("click", () => saver.recording?.end());
  }

  /** Call this regularly. */
  update(): void {
    const { film, recording } = this.saver;
    this.#film.show(film && `Video ${clock(film.seconds)}`);
    const { frames = 0, bytes = 0, dropped = 0 } = recording ?? {};
    const lost = dropped > 0 ? `, ${dropped} dropped` : "";
    this.#recording.show(recording && `MCAP ${frames} frames, ${(bytes / 1e6).toFixed(1)} MB${lost}`);
  }

  #record(raw: boolean): void {
    if (!this.saver.recording) void this.saver.record(raw);
  }
}

/** Shows that something is being recorded. */
class Chip {
  readonly #text = element("span");
  readonly button: HTMLButtonElement;
  readonly element: HTMLElement;

  constructor(stop: string) {
    this.button = button("Stop", () => {});
    this.button.ariaLabel = stop;
    this.element = element("div", "chip", { hidden: true }, this.#text, this.button);
  }

  show(text: string | undefined): void {
    this.element.hidden = text === undefined;
    if (text !== undefined) setText(this.#text, text);
  }
}

/** Minutes and seconds: "1:05". */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
