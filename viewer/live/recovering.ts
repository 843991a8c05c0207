import { type Gpu, GpuError } from "../../pipeline/index.ts";
import type { Events } from "./events.ts";
import type { Messages } from "./messages.ts";
import { READ_MS } from "./notices.ts";
import type { ViewSettings } from "./settings.ts";
import { sentence, textOf } from "./source/opening.ts";

/** The picture is not made smaller than this over the window. */
const LEAST_DETAIL = 0.25;

/** What goes wrong with the device while the viewer runs: what is done about it, and the one line that says so. */
export class Recovering {
  constructor(
    readonly messages: Pick<Messages, "show">,
    readonly settings: Pick<ViewSettings, "detail">,
    readonly events: Pick<Events, "stages$" | "settings$" | "refit$">,
  ) {}

  /** Hears of a device's loss, and of what it complains of and nobody caught; without it a black picture would be all there is to see. */
  watch(gpu: Gpu | null): void {
    gpu?.device.addEventListener("uncapturederror", ({ error }) => this.messages.show("error", "gpu", error.message));
    // Paused or hidden, nobody else would ask for a picture: the next one is made on another device.
    void gpu?.device.lost.then(() => this.events.stages$.next());
  }

  /** A device was lost; `gpu` takes its place, or the CPU, whose pictures are smaller. */
  lost(notice: string, gpu: Gpu | null): void {
    this.messages.show("notice", "gpu", sentence(notice), READ_MS);
    this.watch(gpu);
    if (!gpu) this.events.refit$.next();
  }

  /** A stage takes no frame as it is set. Where a smaller picture might do, that is asked for. */
  refused(error: unknown, waits: boolean): void {
    const { messages, settings, events } = this;
    if (error instanceof GpuError && error.tooLarge && settings.detail > LEAST_DETAIL) {
      settings.detail = Math.max(LEAST_DETAIL, settings.detail / 2);
      const share = settings.detail === LEAST_DETAIL ? "a quarter" : "half";
      const text = `The GPU has no room for a picture of this size: it is drawn at ${share} of the window’s.`;
      messages.show("notice", "room", text, READ_MS);
      events.settings$.next();
      return;
    }
    const then = waits ? " Playing goes on when this is put right." : "";
    messages.show("error", "pipeline", `${textOf(error).replace(/\.?$/, ".")}${then}`);
  }
}
