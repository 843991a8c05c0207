import { isLive, type LiveReport, type Source } from "../../../sources/index.ts";
import type { Messages } from "../state/messages.ts";

const EVERY_MS = 500;
/** A live stream that is silent for longer than this is reported, ms; late frames are normal. */
const SILENT_MS = 2000;

/** Tells the user when a live stream is lost or silent, and removes the message when frames come again. */
export class LiveNotice {
  #lastMs = 0;
  #shown = "";

  constructor(readonly messages: Messages) {}

  /** Call this regularly. */
  update(source: Source | null, playing: boolean, nowMs: number): void {
    if (nowMs - this.#lastMs < EVERY_MS) return;
    this.#lastMs = nowMs;
    this.#say(source && isLive(source) && playing ? this.#newsOf(source.report, source.format === "camera") : "");
  }

  #newsOf({ state, silentMs }: LiveReport, camera: boolean): string {
    if (state === "reconnecting") {
      return camera
        ? "The camera was unplugged, or another program took it. It plays on when it is back."
        : "The connection was lost; trying to make it again …";
    }
    return silentMs > SILENT_MS ? `Connected, but no frame for ${Math.floor(silentMs / 1000)} s.` : "";
  }

  #say(news: string): void {
    if (news === this.#shown) return;
    this.#shown = news;
    if (news === "") this.messages.clear("live");
    else this.messages.show("notice", "live", news);
  }
}
