import type { FrameTiming, ProcessedFrame } from "../../../pipeline/index.ts";
import { type DepthFrame, isLive, isRecording, type Source } from "../../../sources/index.ts";
import { button, element, setText } from "../../dom/controls.ts";
import { menu } from "../../dom/menu.ts";
import type { Gauge, Origin, Shown } from "../show/shown.ts";
import { OverBudget } from "../source/overBudget.ts";
import type { Player } from "../source/player.ts";
import { GoTo, goToHint } from "./goTo.ts";
import type { Key } from "./keys.ts";
import { Timeline } from "./timeline.ts";
import { secondsAt, spellStamp, stampAt } from "./timeScale.ts";

/** Playing speeds, relative to the speed of the recording. */
const RATES = [0.1, 0.25, 0.5, 1, 2, 4, 8] as const;
/** While frames play, the timeline moves at most once in this time, ms; the frame's number changes with the picture. */
const EVERY_MS = 100;

/** The bar below the picture: play and pause, the timeline, the frame's number and time, speed and loop. */
export class Transport {
  readonly #over = new OverBudget();
  readonly #timed: Gauge<{ readonly index: number; readonly totalMs: number }>;
  readonly #timeline: Timeline;
  readonly #play: HTMLButtonElement;
  readonly #goTo: GoTo;
  /** The part of the text that a narrow window has no room for. */
  readonly #rest = element("span", "rest");
  readonly #time: HTMLElement;
  readonly #rate = element("select", "select", { ariaLabel: "Speed", title: "Speed (, slower, . faster)" });
  readonly #in: HTMLButtonElement;
  readonly #out: HTMLButtonElement;
  readonly #loop: HTMLButtonElement;
  /** The controls that make no sense for a camera, which cannot seek. */
  readonly #recorded: readonly HTMLElement[];
  /** Whether the timeline is out of date. */
  #stale = false;
  #nextMs = 0;
  #source: Player["source"] = null;
  #playing = false;

  constructor(
    readonly root: HTMLElement,
    readonly player: Player,
    shown: Pick<Shown, "gauge">,
    readonly budgetMs: number,
    onHelp: () => void,
  ) {
    this.#timed = shown.gauge("recording", (timed) => {
      if (timed) this.#over.record(timed.index, timed.totalMs > this.budgetMs);
    });
    this.#goTo = new GoTo(player);
    this.#time = element("span", "time", {}, this.#goTo.element, this.#rest);
    this.#timeline = new Timeline(player, this.#over, budgetMs);
    this.#play = button("", () => player.toggle(), "Space");
    this.#play.className = "play";
    const step = (by: number, text: string, says: string, key: string) => {
      const made = button(text, () => player.seek(player.index + by), `${says} (${key})`);
      made.ariaLabel = says;
      return made;
    };
    const back = step(-1, "‹", "Frame before", "←");
    const on = step(1, "›", "Frame after", "→");
    this.#rate.append(...RATES.map((rate) => optionOf(rate)));
    this.#rate.addEventListener("change", () => player.set({ rate: Number(this.#rate.value) }));
    this.#in = button("In", () => player.markIn(), "Start the loop here; press again to start at the first frame (I)");
    this.#out = button("Out", () => player.markOut(), "End the loop here; press again to end at the last frame (O)");
    const loop = () => player.set({ loop: !player.playback.loop });
    this.#loop = button("Loop", loop, "Playing starts again at the end");
    const help = button("?", onHelp, "Keys (?)");
    help.ariaLabel = "Keys";
    for (const each of [this.#in, this.#out, this.#loop]) each.classList.add("stays");
    const part = menu("Loop", "part", this.#in, this.#out, this.#loop);
    const more = element("div", "more", {}, this.#rate, part, help);
    for (const each of [back, on]) each.classList.add("step");
    root.append(this.#play, back, on, this.#timeline.element, this.#time, more);
    this.#recorded = [back, on, this.#timeline.element, this.#rate, part];
    player.changed$.subscribe(() => {
      // The button says at once what it does.
      if (player.playing && this.#playing) this.#stale = true;
      else this.#show();
    });
    this.#show();
  }

  /** The keys for playing. */
  get keys(): readonly Key[] {
    const { player } = this;
    return [
      { key: " ", says: "Play or pause", does: () => player.toggle() },
      { key: "arrowleft", says: "One frame back", does: () => player.seek(player.index - 1) },
      { key: "arrowright", says: "One frame on", does: () => player.seek(player.index + 1) },
      { key: "pageup", says: "Ten frames back", does: () => player.seek(player.index - 10) },
      { key: "pagedown", says: "Ten frames on", does: () => player.seek(player.index + 10) },
      { key: "home", says: "To the first frame of the loop", does: () => player.seek(player.part[0]) },
      { key: "end", says: "To the last frame of the loop", does: () => player.seek(player.part[1]) },
      this.#goTo.key,
      {
        key: "n",
        says: "To the next frame that took too long (red above the timeline)",
        does: () => this.#toSlow("next"),
      },
      { key: "shift+n", says: "To the frame before that took too long", does: () => this.#toSlow("before") },
      { key: ",", says: "Slower", does: () => this.#faster(-1) },
      { key: ".", says: "Faster", does: () => this.#faster(1) },
      { key: "i", says: "Start the loop here; press again to clear", does: () => player.markIn() },
      { key: "o", says: "End the loop here; press again to clear", does: () => player.markOut() },
      { key: "x", says: "Clear both ends of the loop", does: () => player.set({ inPoint: 0, outPoint: -1 }) },
    ];
  }

  /** Takes a frame that the stages have processed; when its times arrive, they go to the timeline. */
  took({ index, timing }: ProcessedFrame, origin: Origin): void {
    const record = ({ totalMs }: FrameTiming) => this.#timed.put(origin, { index, totalMs });
    // The presenter reports errors of the stages.
    timing.then((times) => times && record(times)).catch(() => {});
  }

  /** Takes the frame that is on the screen from now on: its number and time are shown until the next one is there. */
  shows(frame: DepthFrame): void {
    const { player } = this;
    const source = player.sourceOf(frame);
    if (!source) return;
    const [place, time] = placeIn(source, frame.index);
    this.#goTo.show(place);
    // A frame of a source that was closed meanwhile shows its number, but no time.
    const isOpen = source === player.source;
    setText(this.#rest, isOpen ? time() : "");
    if (isOpen) this.#time.title = titleOf(source, frame);
    if (player.playing) this.#stale = true;
    else this.#show();
  }

  /** Call this once for each picture of the screen. */
  update(nowMs: number): void {
    if (this.#stale && nowMs >= this.#nextMs) {
      this.#nextMs = nowMs + EVERY_MS;
      this.#show();
    }
    this.#timeline.update(nowMs);
  }

  #toSlow(side: "next" | "before"): void {
    const slow = this.#over.beside(this.player.index, side);
    if (slow !== undefined) this.player.seek(slow);
  }

  #faster(by: number): void {
    const { rate } = this.player.playback;
    const next = by > 0 ? RATES.find((one) => one > rate) : RATES.findLast((one) => one < rate);
    if (next !== undefined) this.player.set({ rate: next });
  }

  #show(): void {
    this.#stale = false;
    this.#playing = this.player.playing;
    const { playing, index, source, recording, playback } = this.player;
    const length = recording?.length ?? 0;
    if (source !== this.#source) {
      this.#source = source;
      this.#over.reset(length);
    }
    this.root.toggleAttribute("inert", !source);
    // A camera can only be stopped and started again.
    for (const part of this.#recorded) part.hidden = source !== null && !recording;
    this.#play.ariaLabel = playing ? "Pause" : "Play";
    this.#play.classList.toggle("playing", playing);
    this.#rate.value = `${playback.rate}`;
    // A link may set any speed.
    if (this.#rate.selectedIndex < 0) this.#rate.append(optionOf(playback.rate, true));
    this.#loop.ariaPressed = `${playback.loop}`;
    this.#in.ariaPressed = `${playback.inPoint > 0}`;
    this.#out.ariaPressed = `${playback.outPoint >= 0}`;
    if (!source) return;
    const [place, time] = placeIn(source, index);
    this.#timeline.show(index, length, place + time());
  }
}

const optionOf = (rate: number, selected = false) => element("option", "", { value: `${rate}`, selected }, `${rate}×`);

const wordsOf = (index: number, all: number) => (all > 1 ? `frame ${index}, ${all} in all` : "the only frame");

/** The number of a frame in words, and its time, for which a narrow window has no room. */
function placeIn(source: Source, index: number): readonly [place: string, time: () => string] {
  if (isRecording(source)) return [wordsOf(index, source.length), () => ` · ${secondsAt(source, index).toFixed(2)} s`];
  const latency = isLive(source) ? source.report.latencyMs : null;
  return [`live · ${index}`, () => (latency ? ` · ${Math.round(latency.p50)} ms` : "")];
}

/** The tooltip of the frame's number. `source` must be open. */
function titleOf(source: Source, frame: DepthFrame): string {
  if (!isRecording(source))
    return "Frame on the screen (frames count from 0), and how long after its capture a frame arrives";
  const stamp = stampAt(source, frame.index);
  const taken = stamp ? `; taken ${spellStamp(stamp)}` : "";
  return `The frame on the screen, counted from 0 as in file names and messages, and the time since the first${taken}. Press the number to type ${goToHint(source)}`;
}
