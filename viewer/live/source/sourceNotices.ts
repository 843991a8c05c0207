import { type DepthFrame, isLive, type LiveReport, type Source } from "../../../sources/index.ts";
import type { Messages } from "../state/messages.ts";

const SHOWN_MS = 10_000;

/** Tells the user, once for each recording, that its colour images have ended, or that there are none for the colours of the camera. */
export class ColourNotice {
  #had = false;
  #told = "";

  constructor(readonly messages: Messages) {}

  begin(): void {
    this.#had = false;
    this.#told = "";
    this.messages.clear("colour");
  }

  /** Takes a frame that is shown, and whether the scene has the colours of the camera. */
  see({ color, index }: Pick<DepthFrame, "color" | "index">, asCamera: boolean): void {
    this.#had ||= color !== undefined;
    if (color) return;
    const what = this.#had ? "ended" : asCamera ? "none" : "";
    if (what === "" || what === this.#told) return;
    this.#told = what;
    const text = this.#had ? `Frame ${index} has no colour image; such` : "This recording has no colour images; its";
    this.messages.show("notice", "colour", `${text} frames are shown as grey clay.`, SHOWN_MS);
  }
}

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
    return silentMs > SILENT_MS ? `Connected, but no frame for more than ${SILENT_MS / 1000} s.` : "";
  }

  #say(news: string): void {
    if (news === this.#shown) return;
    this.#shown = news;
    if (news === "") this.messages.clear("live");
    else this.messages.show("notice", "live", news);
  }
}
