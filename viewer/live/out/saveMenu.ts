import { button, element, setText } from "../../dom/controls.ts";
import { menu } from "../../dom/menu.ts";
import type { FileKind } from "./frameFiles.ts";
import type { Saver } from "./saver.ts";

/** The menu of things to save; and beside it what is being recorded, with a button that stops it. */
export class SaveMenu {
  readonly element: HTMLElement;
  /** The entries that make sense only for a camera, and only for a recording. */
  readonly #ofCamera: readonly HTMLElement[];
  readonly #ofRecording: readonly HTMLElement[];
  readonly #film = new Chip("Stop the video");
  readonly #frames = new Chip("Stop the recording");
  readonly chips = element("div", "chips", {}, this.#film.element, this.#frames.element);

  constructor(readonly saver: Saver) {
    const item = (label: string, hint: string, work: () => void) => button(label, work, hint);
    const record = (what: string, when: string) => [
      item(`${what} filtered depth (MCAP)`, `${when}, for Foxglove, ROS 2 and this viewer`, () => saver.record(false)),
      item(`${what} raw depth (MCAP)`, `${when}, as the sensor gave it`, () => saver.record(true)),
    ];
    const every = (label: string, kind: FileKind, says: string) =>
      item(label, `${says} of every frame from In to Out, in one ZIP`, () => void saver.everyFrame(kind));
    this.#ofCamera = record("Record", "What the camera gives from now on until you stop it");
    const film = "The view as you see it, in full size, with every frame from In to Out at the recording’s own speed";
    this.#ofRecording = [
      item("All frames as a video (WebM)", film, () => void saver.everyFrameAsFilm()),
      every("All pictures (PNG)", "picture", "The view as you see it, in full size,"),
      every("All point clouds (PLY)", "points", "The points"),
      every("All filtered depth (PNG)", "depth", "A 16-bit image in the recording’s units; 0 is invalid;"),
      ...record("All", "Every frame from In to Out"),
    ];
    const picture =
      "The view as you see it, in the size that “Resolution” asks for, even while “Lower quality when slow” draws a smaller picture";
    const video =
      "The view from now on until you stop it, in the size of the picture on the screen; MP4 where the browser can write it";
    const points =
      "The frame’s points in metres from the sensor, with the camera’s colours; without these, with the colours on the screen";
    const mesh =
      "The frame’s surface in metres, with the camera’s colours, open at edges where nothing was seen; for a whole thing use Scan";
    const depth = "The frame as a 16-bit image in the recording’s units; 0 is invalid";
    const settings = "Everything that is set, for “depthloom replay --settings” or this viewer";
    this.element = menu(
      "Save",
      "save",
      item("Picture (PNG)", picture, () => void saver.picture()),
      item("Video (MP4 or WebM)", video, () => void saver.video()),
      item("Point cloud (PLY)", points, () => void saver.points()),
      item("Mesh (GLB)", mesh, () => void saver.mesh()),
      item("Filtered depth (PNG)", depth, () => void saver.depth()),
      ...this.#ofCamera,
      ...this.#ofRecording,
      item("Settings (JSON)", settings, () => saver.settings()),
      item("Copy link", "A link that opens this view again", () => void saver.copyLink()),
    );
    this.#film.button.addEventListener("click", () => saver.film?.end());
    this.#frames.button.addEventListener("click", () => saver.sequences.running?.stop());
  }

  /** Call this regularly. */
  update(): void {
    const { film, sequences, parts } = this.saver;
    this.#film.show(film && `Video ${clock(film.seconds)}`);
    this.#frames.show(sequences.running?.says());
    const recorded = parts.player.recording !== null;
    for (const choice of this.#ofCamera) choice.hidden = recorded;
    for (const choice of this.#ofRecording) choice.hidden = !recorded;
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
