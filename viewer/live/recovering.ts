import { type Gpu, GpuError } from "../../pipeline/index.ts";
import type { Messages } from "./messages.ts";
import type { ViewSettings } from "./settings.ts";
import { textOf } from "./source/opening.ts";

export interface RecoveringParts {
  readonly messages: Pick<Messages, "show">;
  readonly settings: Pick<ViewSettings, "detail">;
  /** Asks for a picture: paused or hidden, nobody else would. */
  readonly redraw: () => void;
  /** The picture's size is to be found anew. */
  readonly resize: () => void;
}

/** The picture is not made smaller than this over the window. */
const LEAST_DETAIL = 0.25;

/** What goes wrong with the device while the viewer runs: what is done about it, and the one line that says so. */
export class Recovering {
  constructor(readonly parts: RecoveringParts) {}

  /** Hears of a device's loss, and of what it complains of and nobody caught; without it a black picture would be all there is to see. */
  watch(gpu: Gpu | null): void {
    const { messages, redraw } = this.parts;
    gpu?.device.addEventListener("uncapturederror", ({ error }) => messages.show("error", "gpu", error.message));
    void gpu?.device.lost.then(redraw);
  }

  /** A device was lost; `gpu` takes its place, or the CPU, whose pictures are smaller. */
  lost(notice: string, gpu: Gpu | null): void {
    this.parts.messages.show("notice", "gpu", `${notice[0]?.toUpperCase()}${notice.slice(1)}.`, 8000);
    this.watch(gpu);
    if (!gpu) this.parts.resize();
  }

  /** A stage took no frame. Where a smaller picture might do, that is asked for. */
  refused(error: unknown, waits: boolean): void {
    const { messages, settings, resize } = this.parts;
    if (error instanceof GpuError && error.tooLarge && settings.detail > LEAST_DETAIL) {
      settings.detail = Math.max(LEAST_DETAIL, settings.detail / 2);
      const share = settings.detail === LEAST_DETAIL ? "a quarter" : "half";
      const text = `The GPU has no room for a picture of this size: it is drawn at ${share} of the window’s.`;
      messages.show("notice", "room", text, 8000);
      resize();
      return;
    }
    const then = waits ? " Playing goes on when this is put right." : "";
    messages.show("error", "pipeline", `${textOf(error).replace(/\.?$/, ".")}${then}`);
  }
}
