import type { Gpu } from "../../pipeline/index.ts";
import { type DepthFrame, isBlank } from "../../sources/index.ts";
import type { Events } from "./events.ts";
import type { Messages } from "./messages.ts";
import { ColourNotice } from "./source/colourNotice.ts";
import { LiveNotice } from "./source/liveNotice.ts";
import { sentence, textOf } from "./source/opening.ts";
import type { Player } from "./source/player.ts";

/** So long what needs no answer is to be read, ms. */
const READ_MS = 8000;

/** Tells what goes wrong, or is missing, in what plays. */
export class Notices {
  constructor(
    readonly messages: Messages,
    player: Player,
    events: Events,
  ) {
    const colour = new ColourNotice(messages);
    const live = new LiveNotice(messages);
    player.failed$.subscribe((error) => messages.show("error", "source", textOf(error)));
    player.unreadable$.subscribe(({ index, fault }) =>
      messages.show("notice", "unreadable", `Frame ${index + 1} was left out: ${textOf(fault)}`, READ_MS),
    );
    events.opened$.subscribe(() => colour.begin());
    events.frame$.subscribe((frame) => {
      this.#blank(frame);
      colour.see(frame);
    });
    events.taken$.subscribe(() => messages.clear("pipeline"));
    events.tick$.subscribe((nowMs) => live.update(player.source, player.playing, nowMs));
  }

  #blank({ depth, index }: DepthFrame): void {
    if (!isBlank(depth)) this.messages.clear("blank");
    else this.messages.show("notice", "blank", `Frame ${index + 1} has no measurement in it.`);
  }

  /** A stage takes no frame as it is set. */
  refused(error: unknown, waits: boolean): void {
    const then = waits ? " Playing goes on when this is put right." : "";
    this.messages.show("error", "pipeline", `${textOf(error).replace(/\.?$/, ".")}${then}`);
  }
}

/** Says that a device is gone, or what else there is to say of one. */
export const tellDevice = (messages: Messages, notice: string): void =>
  messages.show("notice", "gpu", sentence(notice), READ_MS);

/** Says what a device complains of and nobody caught; without it a black picture would be all there is to see. */
export function watchDevice(gpu: Gpu | null, messages: Messages, onLost: () => void): void {
  gpu?.device.addEventListener("uncapturederror", (event) => messages.show("error", "gpu", event.error.message));
  void gpu?.device.lost.then(onLost);
}
