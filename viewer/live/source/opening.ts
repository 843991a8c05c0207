import { openRecording, type Recording, type RecordingInput } from "../../../sources/index.ts";
import type { Messages } from "../messages.ts";
import type { Player } from "./player.ts";
import { openSynthetic } from "./synthetic.ts";

/** Errors of the sources say what to do; whatever else goes wrong says at least what it is. */
export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Opens sources. What was playing plays on until the next one has opened, and stays if it does not. */
export class Opener {
  #asked = 0;

  constructor(
    readonly player: Player,
    readonly messages: Messages,
    readonly onOpened: (recording: Recording) => void,
  ) {}

  synthetic(): Promise<void> {
    return this.#open("Lighting the synthetic room …", openSynthetic);
  }

  recording(input: RecordingInput): Promise<void> {
    return this.#open("Opening …", () => openRecording(input));
  }

  async #open(busy: string, work: () => Promise<Recording>): Promise<void> {
    const asked = ++this.#asked;
    this.messages.clear("source");
    this.messages.show("busy", "opening", busy);
    try {
      const recording = await work();
      // The first frame shows whether it can be read at all.
      await recording.read(0).catch(async (error) => {
        await recording.close();
        throw error;
      });
      if (asked !== this.#asked) return void recording.close();
      this.onOpened(recording);
      this.player.open(recording);
      if (recording.warnings.length > 0) this.messages.show("notice", "source", recording.warnings.join(" "), 12_000);
    } catch (error) {
      if (asked === this.#asked) this.messages.show("error", "source", textOf(error));
    }
    if (asked === this.#asked) this.messages.clear("opening");
  }
}
