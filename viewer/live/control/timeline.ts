import type { Recording } from "../../../sources/index.ts";
import { element } from "../../dom/controls.ts";
import type { OverBudget } from "../source/overBudget.ts";
import type { Player } from "../source/player.ts";
import { ticksOf } from "./timeScale.ts";

/** The marks are drawn at most once in this time, ms. */
const EVERY_MS = 250;
/** Half the width of the slider's thumb, CSS px: the thumb's middle never comes nearer to the slider's ends. */
const THUMB = 6.5;

/** The least distance of two ticks, CSS px. */
const APART = 44;

/**
 * A slider with the frame that plays; above it a line for the part that plays and marks for frames that took longer than the budget, below
 * it a scale of times.
 */
export class Timeline {
  readonly slider = element("input", "slider", { type: "range", min: "0", step: "1", value: "0", ariaLabel: "Frame" });
  // Screen readers hear the time of the slider's frame.
  readonly #canvas = element("canvas", "marks", { ariaHidden: "true" });
  readonly #scale = element("div", "times", { ariaHidden: "true" });
  readonly element = element("div", "timeline", {}, this.#canvas, this.slider, this.#scale);
  #drawn = "";
  /** The recording that the scale is about, and the most ticks that it has room for. */
  #scaled: { readonly recording: Recording | null; readonly most: number } = { recording: null, most: 0 };
  #nextMs = 0;

  constructor(
    readonly player: Player,
    readonly over: OverBudget,
    readonly budgetMs: number,
  ) {
    // Browsers move a slider forward by Page up, the page's own key goes back. The page's keys count here, so that a key does the same
    // everywhere.
    this.slider.dataset.keys = "page";
    this.slider.addEventListener("input", () => player.seek(Number(this.slider.value)));
  }

  /** Shows the present frame; `says` is the text for screen readers. */
  show(index: number, length: number, says: string): void {
    const last = `${Math.max(0, length - 1)}`;
    if (this.slider.max !== last) this.slider.max = last;
    this.slider.value = `${index}`;
    this.slider.style.setProperty("--filled", `${length > 1 ? index / (length - 1) : 0}`);
    this.slider.setAttribute("aria-valuetext", says);
  }

  /** Call this once for each picture of the screen. */
  update(nowMs: number): void {
    if (nowMs < this.#nextMs || this.element.hidden) return;
    this.#nextMs = nowMs + EVERY_MS;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const { part, recording } = this.player;
    const length = recording?.length ?? 0;
    this.#setScale(recording, Math.floor(width / APART));
    // The computed style has the colour itself; the custom property may hold a choice between light and dark.
    const style = getComputedStyle(this.#canvas);
    const now = [this.over.version, width, height, devicePixelRatio, length, ...part, style.color].join();
    if (now === this.#drawn || width === 0) return;
    this.#drawn = now;
    this.#draw(width, height, length, style);
  }

  #setScale(recording: Recording | null, most: number): void {
    if (recording === this.#scaled.recording && most === this.#scaled.most) return;
    this.#scaled = { recording, most };
    const ticks = recording ? ticksOf(recording, most) : [];
    this.#scale.replaceChildren(
      ...ticks.map(({ share, text }) => {
        const tick = element("span", "", {}, text);
        tick.style.left = `calc(${THUMB}px + ${share.toFixed(5)} * (100% - ${2 * THUMB}px))`;
        return tick;
      }),
    );
  }

  /** `style` has the colour of slow frames, and that of the part that plays as its outline's. */
  #draw(width: number, height: number, length: number, style: CSSStyleDeclaration): void {
    const [first, last] = this.player.part;
    const canvas = this.#canvas;
    const context = canvas.getContext("2d");
    if (!context) return;
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
    context.scale(canvas.width / width, canvas.height / height);
    const at = (frame: number) => THUMB + (frame / Math.max(1, length - 1)) * (width - 2 * THUMB);
    if (last - first < length - 1) {
      context.fillStyle = style.outlineColor;
      context.fillRect(at(first), height - 2, Math.max(2, at(last) - at(first)), 2);
    }
    const slow = this.over.frames;
    context.fillStyle = style.color;
    for (const frame of slow) context.fillRect(Math.round(at(frame)) - 1, 0, 2, height - 3);
    const took = `took more than ${this.budgetMs.toFixed(1)} ms when they were shown last`;
    const marked = slow.length > 0 ? `Red: frames that ${took}. N goes to the next one` : "";
    this.element.title = this.over.areMost ? `Most frames ${took}, so none is marked` : marked;
  }
}
