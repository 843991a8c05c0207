import { element } from "../../dom/element.ts";
import type { OverBudget } from "../source/overBudget.ts";
import type { Player } from "../source/player.ts";

/** Marks are drawn anew at most so often, ms. */
const EVERY_MS = 250;
/** Half the slider's thumb, CSS px: its middle never comes nearer to the ends. */
const THUMB = 6.5;

/** The frame that plays, on a slider; above it which part plays, and which frames took longer than the budget. */
export class Timeline {
  readonly slider = element("input", "slider", { type: "range", min: "0", step: "1", value: "0" });
  readonly #canvas = element("canvas", "marks");
  readonly element = element("div", "timeline", {}, this.#canvas, this.slider);
  #drawn = "";
  #nextMs = 0;

  constructor(
    readonly player: Player,
    readonly over: OverBudget,
    readonly budgetMs: number,
  ) {
    this.slider.setAttribute("aria-label", "Frame");
    // A browser’s own Page up on a slider goes forward, the page’s goes back: with the focus here the page’s keys are the ones that count.
    this.slider.dataset.keys = "page";
    this.#canvas.setAttribute("aria-hidden", "true");
    this.slider.addEventListener("input", () => player.seek(Number(this.slider.value)));
  }

  /** Shows where in the recording we are, and says it. */
  show(index: number, length: number, says: string): void {
    const last = `${Math.max(0, length - 1)}`;
    if (this.slider.max !== last) this.slider.max = last;
    this.slider.value = `${index}`;
    this.slider.style.setProperty("--filled", `${length > 1 ? index / (length - 1) : 0}`);
    this.slider.setAttribute("aria-valuetext", says);
  }

  /** To be called once a picture. */
  update(nowMs: number): void {
    if (nowMs < this.#nextMs || this.element.hidden) return;
    this.#nextMs = nowMs + EVERY_MS;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const { part, recording } = this.player;
    const length = recording?.length ?? 0;
    // Computed: what a variable holds may be a choice between light and dark.
    const { color, outlineColor } = getComputedStyle(this.#canvas);
    const now = [this.over.version, width, height, length, ...part, color].join();
    if (now === this.#drawn || width === 0) return;
    this.#drawn = now;
    this.#draw(width, height, length, part, color, outlineColor);
  }

  #draw(
    width: number,
    height: number,
    length: number,
    [first, last]: readonly [number, number],
    slowColor: string,
    partColor: string,
  ): void {
    const canvas = this.#canvas;
    const context = canvas.getContext("2d");
    if (!context) return;
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
    context.scale(canvas.width / width, canvas.height / height);
    const at = (frame: number) => THUMB + (frame / Math.max(1, length - 1)) * (width - 2 * THUMB);
    if (last - first < length - 1) {
      context.fillStyle = partColor;
      context.fillRect(at(first), height - 2, Math.max(2, at(last) - at(first)), 2);
    }
    const slow = this.over.frames;
    context.fillStyle = slowColor;
    for (const frame of slow) context.fillRect(Math.round(at(frame)) - 1, 0, 2, height - 3);
    this.element.title =
      slow.length === 0
        ? ""
        : `Red: frames that took more than ${this.budgetMs.toFixed(1)} ms when they were shown last`;
  }
}
