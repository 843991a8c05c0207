import { isLive } from "../../sources/index.ts";
import { button, toggle } from "../dom/controls.ts";
import { element, setText } from "../dom/element.ts";
import type { Player } from "./source/player.ts";

/** Play and pause, where in the recording we are, and whether it begins again. */
export class Transport {
  readonly #play: HTMLButtonElement;
  readonly #scrub = element("input", "slider", { type: "range", min: "0", step: "1", value: "0" });
  readonly #time = element("output", "time");
  readonly #loop: HTMLElement;

  constructor(
    readonly root: HTMLElement,
    readonly player: Player,
  ) {
    this.#play = button("", () => (player.playing ? player.pause() : player.play()), "Space");
    this.#play.className = "play";
    this.#scrub.setAttribute("aria-label", "Frame");
    this.#scrub.addEventListener("input", () => player.seek(Number(this.#scrub.value)));
    const loop = toggle("Loop", player.loop, (on) => player.setLoop(on));
    this.#loop = loop.element;
    root.append(this.#play, this.#scrub, this.#time, this.#loop);
    player.changed$.subscribe(() => this.#show());
    this.#show();
  }

  #show(): void {
    const { playing, index, source, recording } = this.player;
    const length = recording?.length ?? 0;
    this.root.toggleAttribute("inert", !source);
    // A camera can be stopped and taken up again, no more.
    this.#scrub.hidden = this.#loop.hidden = source !== null && !recording;
    this.#play.ariaLabel = playing ? "Pause" : "Play";
    this.#play.classList.toggle("playing", playing);
    const last = `${Math.max(0, length - 1)}`;
    if (this.#scrub.max !== last) this.#scrub.max = last;
    this.#scrub.value = `${index}`;
    this.#scrub.style.setProperty("--filled", `${length > 1 ? index / (length - 1) : 0}`);
    const seconds = (frame: number) => (recording ? frame / recording.fps : 0).toFixed(1);
    const latency = source && isLive(source) ? source.report.latencyMs : null;
    const late = latency ? ` · ${Math.round(latency.p50)} ms` : "";
    const place = length ? `${index + 1} / ${length} · ${seconds(index)} s` : `live · ${index + 1}${late}`;
    setText(this.#time, source ? place : "");
  }
}
