import { type Gpu, GpuError } from "../../../pipeline/index.ts";
import { registry } from "../../../stages/registry.ts";
import { READ_MS } from "../shell/notices.ts";
import type { Events } from "../state/events.ts";
import type { Messages } from "../state/messages.ts";
import { sentence, textOf } from "../state/messageText.ts";
import type { ViewSettings } from "../state/settings.ts";
import type { Settings } from "../state/store.ts";

/** Handles problems of the device while the viewer runs, and tells the user of each in one message. */
export class Recovering {
  constructor(
    readonly messages: Pick<Messages, "show" | "clear">,
    readonly settings: Settings<Pick<ViewSettings, "detail">>,
    readonly events: Pick<Events, "stages$" | "refit$">,
  ) {}

  /**
   * Listens for the loss of the device and for GPU errors that nobody else handles; without this the user would see a black picture and no
   * reason.
   */
  watch(gpu: Gpu | null): void {
    gpu?.device.addEventListener("uncapturederror", ({ error }) => this.messages.show("error", "gpu", error.message));
    // While playing is paused or the page is hidden, nothing else asks for the picture that is then made on another device.
    void gpu?.device.lost.then(() => this.events.stages$.next());
  }

  /** A device was lost. `gpu` takes its place; without one the CPU does, whose pictures are smaller. */
  lost(notice: string, gpu: Gpu | null): void {
    this.messages.show("notice", "gpu", sentence(notice), READ_MS);
    this.watch(gpu);
    if (!gpu) this.events.refit$.next();
  }

  /** Code that draws could not be fetched, since its server has ended or serves another build by now; or it is there after all. */
  fetched(error?: unknown): void {
    this.messages.clear("code");
    const text = `The code that draws this cannot be fetched (${textOf(error)}). Does the page’s server run? Then load the page again.`;
    const reload = { label: "Reload", run: () => location.reload() };
    if (error) this.messages.show("error", "code", text, undefined, reload);
  }

  /** A stage refused a frame with its present settings. If a smaller picture may fit into memory, the viewer tries one. */
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
    // The message begins with the stage's name; the user knows the stage by its title.
    const text = textOf(error).replace(/^\w+(?=: )/, (name) => registry.get(name)?.title ?? name);
    messages.show("error", "pipeline", `${text.replace(/\.?$/, ".")}${then}`);
  }
}
