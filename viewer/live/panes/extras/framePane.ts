import { isRecording } from "../../../../sources/index.ts";
import { element, setText } from "../../../dom/controls.ts";
import { dateOf, secondsAt, spellStamp } from "../../control/timeScale.ts";
import { definePane, type Pane, type PaneParts } from "../pane.ts";
import type { Snapshot } from "../probe/snapshot.ts";
import { ExtrasOf, type ReadExtras } from "./extrasOf.ts";

export const framePane = definePane({
  name: "frame",
  label: "Frame notes",
  summary:
    "When the frame was taken, and what the file or the camera notes about it: exposure, gain, laser, temperature …",
  place: "below",
  order: 36,
  key: "y",
  fields: {},
  needs: () => "source",
  create: ({ shown }) => new FramePane(shown),
});

/** The frame's number and times, and the metadata that the recording holds of it. */
class FramePane implements Pane {
  readonly content: readonly HTMLElement[];
  readonly #list = element("dl");
  readonly #none = element("p", "hint", {});
  /** The rows' names and values. The name of a driver's note may equal the name of one of the pane's own rows. */
  #rows: readonly (readonly [name: string, value: HTMLElement])[] = [];
  readonly #extras: ExtrasOf;

  constructor(shown: PaneParts<Record<never, never>>["shown"]) {
    const scrolled = { tabIndex: 0, role: "region", ariaLabel: "Notes about the frame" };
    this.content = [element("div", "notes", scrolled, this.#list), this.#none];
    this.#extras = new ExtrasOf(shown, ["metadata"], (extras) => this.#show(extras));
  }

  show(snapshot: Snapshot): void {
    this.#extras.take(snapshot);
  }

  #show(extras: ReadExtras | undefined): void {
    if (!extras) {
      this.#fill([]);
      return;
    }
    const { snapshot, fault } = extras;
    const { source, frame } = snapshot.origin;
    const { metadata = [] } = extras;
    const stamp = dateOf(frame.timestamp);
    this.#fill([
      ["Frame", `${frame.index}`],
      ...(stamp ? [["Taken", spellStamp(stamp)] as const] : []),
      ...(isRecording(source) ? [["Since the first", `${secondsAt(source, frame.index).toFixed(3)} s`] as const] : []),
      ...metadata.map(([name, value]) => [name, withDate(name, value)] as const),
    ]);
    const none = `The ${isRecording(source) ? "recording" : "stream"} has no notes about its frames`;
    setText(this.#none, fault ?? (metadata.length > 0 ? "" : none));
  }

  #fill(notes: readonly (readonly [name: string, value: string])[]): void {
    if (notes.length !== this.#rows.length || notes.some(([name], i) => this.#rows[i][0] !== name)) {
      this.#rows = notes.map(([name]) => [name, element("dd")]);
      const rows = this.#rows.map(([name, value]) => element("div", "", {}, element("dt", "", {}, name), value));
      this.#list.replaceChildren(...rows);
    }
    for (const [i, [, value]] of this.#rows.entries()) setText(value, notes[i][1]);
  }
}

/** A time in ms since 1970 gets the date behind it. */
function withDate(name: string, value: string): string {
  const stamp = /time|stamp|arrival/i.test(name) ? dateOf(Number(value)) : undefined;
  return stamp ? `${value} (${spellStamp(stamp)})` : value;
}
