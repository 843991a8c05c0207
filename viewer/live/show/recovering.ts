import { type Gpu, GpuError } from "../../../pipeline/index.ts";
import { registry } from "../../../stages/registry.ts";
import { READ_MS } from "../shell/notices.ts";
import type { Events } from "../state/events.ts";
import type { Messages } from "../state/messages.ts";
import { sentence, textOf } from "../state/messageText.ts";
import type { ViewSettings } from "../state/settings.ts";
import type { Settings } from "../state/store.ts";

/** What goes wrong with the device while the viewer runs: what is done about it, and the one line that says so. */
export class Recovering {
  constructor(
    readonly messages: Pick<Messages, "show">,
    readonly settings: Settings<Pick<ViewSettings, "detail">>,
    readonly events: Pick<Events, "stages$" | "refit$">,
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
    const { messages, settings } = this;
    const { detail } = settings.now;
    if (error instanceof GpuError && error.tooLarge && detail > 0.25) {
      const smaller = detail === 1 ? 0.5 : 0.25;
      const share = smaller === 0.5 ? "half" : "a quarter";
      const text = `The GPU has no room for a picture of this size: it is drawn at ${share} of the window’s.`;
      messages.show("notice", "room", text, READ_MS);
      settings.update({ detail: smaller });
      return;
    }
    const then = waits ? " Playing goes on once you have changed that setting." : "";
    // A stage's complaint begins with its name; here it has its title, as on its card.
    const text = textOf(error).replace(/^\w+(?=: )/, (name) => registry.get(name)?.title ?? name);
    messages.show("error", "pipeline", `${text.replace(/\.?$/, ".")}${then}`);
  }
}
