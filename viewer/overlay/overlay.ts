import { type MonoTypeOperatorFunction, tap } from "rxjs";
import { checkArgument, checkOptions, flag, having } from "../../core/check.ts";
import { wallClockStepUs } from "../../core/wallClock.ts";
import { adapterOf } from "../../pipeline/device/adapter.ts";
import type { CameraPose, Pipeline, StatisticsSnapshot } from "../../pipeline/index.ts";
import { POSE_STATES } from "../../stages/core/pose.ts";
import { button, element, setText } from "../dom/controls.ts";
import { applyStyle } from "../dom/shadowStyle.ts";
import { downloadJson } from "./download.ts";
import { columns, FACTS } from "./facts.ts";
import { describeClock, formatMs, framesPerSecond, rounded } from "./format.ts";
import { glassToGlass, type LiveLatency } from "./glassToGlass.ts";
import css from "./overlay.css?inline";
import { Row } from "./rows.ts";
import { titleOf } from "./titles.ts";
import { Way } from "./way.ts";

const EVERY_MS = 250;
/** Classes of the columns for which a narrow window, and a phone's, has no room. */
const SPARE: Readonly<Record<string, string>> = { p99: "tail", max: "tail", share: "share", over: "share" };
const SAMPLING = [1, 2, 4, 8, 16, 32];

/** The camera's state in words. */
const MOTIONS = { still: "camera stands", moved: "camera moves", lost: "camera motion unknown" };

/** The part of a pipeline that the overlay reads. */
export type Measured = Pick<Pipeline, "backend" | "gpu" | "statistics" | "timeEvery" | "trace"> &
  Partial<Pick<Pipeline, "governor" | "stages">>;

/** How a `LatencyOverlay` starts. */
export interface OverlayOptions {
  /** Whether the table is shown below the headline; true if not given. */
  readonly open?: boolean;
  /** The key that toggles the overlay, for its tooltip; the page itself has to listen for the key. */
  readonly key?: string;
}

const overlayRules = {
  open: flag,
  key: { expects: "a key's name", holds: (value: unknown) => typeof value === "string" },
};

/**
 * Shows where the milliseconds of a frame go, stage by stage, against the frame budget. It works in any page: `element` has its own style
 * in a shadow root, and `watch` updates the numbers.
 */
export class LatencyOverlay {
  /** The element to put into a page. It has the attribute `data-open` while the table is shown. */
  readonly element = element("div", "depthloom-latency");
  readonly #details: HTMLDetailsElement;
  readonly #rows = new Map<string, Row>();
  readonly #body = element("tbody");
  readonly #way: Way;
  readonly #clock = element("span", "clock");
  /** A span, not an `output`: clicking a form element in a summary would not fold the table. */
  readonly #headline = element("span", "headline");
  readonly #facts = new Map<string, Text>();
  readonly #arrivals: number[] = [];
  readonly #wallStepUs = wallClockStepUs();
  #nextMs = 0;
  readonly #camera = { pose: undefined as CameraPose | undefined, still: 0, moved: 0, lost: 0 };
  /** Gives the report of the live source that plays, if one does. Set it, and the overlay tells the way from capture to picture. */
  live: () => LiveLatency | undefined = () => undefined;

  constructor(
    /** The pipeline that is shown. */
    readonly pipeline: Measured,
    options: OverlayOptions = {},
  ) {
    checkOptions("LatencyOverlay", options, overlayRules);
    checkArgument("LatencyOverlay", "the pipeline", having("a pipeline", "statistics", "backend"), pipeline);
    const { open = true, key } = options;
    const { budgetMs } = pipeline.statistics;
    this.#way = new Way(budgetMs);
    const title = element("summary", "", { title: key ? `Show or hide (${key})` : "Show or hide" });
    title.append(element("h2", "", {}, "Latency"), this.#headline);
    this.#details = element("details", "latency", { open }, title, this.#table(budgetMs), this.#factList());
    this.#details.append(element("footer", "", {}, this.#clock, this.#sampling(), ...this.#exports()));
    const tell = () => this.element.toggleAttribute("data-open", this.#details.open);
    this.#details.addEventListener("toggle", tell);
    tell();
    applyStyle(this.element.attachShadow({ mode: "open" }), css).append(this.#details);
  }

  /** Shows how the camera moves. Call it with each frame's pose from the stage `track`, or with `undefined` where no stage finds poses. */
  pose(found: CameraPose | undefined): void {
    this.#camera.pose = found;
    if (found) this.#camera[POSE_STATES[found.state]]++;
  }

  /** Shows or hides the table; the headline stays. */
  toggle(): void {
    this.open(!this.#details.open);
  }

  /** Shows the table (true), or only the headline (false). */
  open(open: boolean): void {
    this.#details.open = open;
  }

  /** An operator that watches processed frames: `recording.frames$.pipe(pipeline.process("latest"), overlay.watch())`. */
  watch<T>(): MonoTypeOperatorFunction<T> {
    let request = 0;
    const tick = () => {
      this.update();
      request = requestAnimationFrame(tick);
    };
    const stop = () => {
      cancelAnimationFrame(request);
      // The last frames' times arrive after the frames, so the numbers are updated once more and then stay.
      setTimeout(() => this.update(), EVERY_MS);
    };
    return tap({ subscribe: tick, next: () => this.frame(), finalize: stop });
  }

  /** Notes that a processed frame has arrived; for pages that do not use `watch`. */
  frame(nowMs = performance.now()): void {
    this.#arrivals.push(nowMs);
  }

  /** Notes how long it took to read a frame and to decode its images, ms. */
  read(readMs: number, decodeMs = 0): void {
    this.#way.read(readMs, decodeMs);
  }

  /** Forgets what was counted here: another source plays. The pipeline's own numbers begin anew by its `restart`. */
  restart(): void {
    this.#way.restart();
    this.#arrivals.length = 0;
    Object.assign(this.#camera, { pose: undefined, still: 0, moved: 0, lost: 0 });
  }

  /** Updates the numbers at most four times a second. Pages that do not use `watch` call it once per picture. */
  update(nowMs = performance.now()): void {
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + EVERY_MS;
    const snapshot = this.pipeline.statistics.snapshot();
    const fps = this.#framesPerSecond(nowMs);
    const { clock, samples, p50Ms } = snapshot.frame;
    const stepUs = clock === "gpu" ? (this.pipeline.gpu?.clockResolutionUs ?? 0) : this.#wallStepUs;
    const total = samples ? `${formatMs(p50Ms, stepUs)} ms` : "no times yet";
    setText(this.#headline, [total, fps && `${fps} fps`].filter(Boolean).join(" · "));
    if (!this.#details.open) return;
    this.#showStages(snapshot, stepUs);
    this.#way.show(snapshot, stepUs, this.#wallStepUs);
    const { dropped, unreadable, overflowNow } = snapshot;
    this.#fact("dropped", `${dropped}`);
    this.#fact("unreadable", unreadable ? `${unreadable}` : "");
    this.#fact("full tiles", overflowNow ? `${overflowNow}` : "");
    this.#fact("fps", fps || "–");
    this.#fact("reduced", this.pipeline.governor?.snapshot().says.join(", ") ?? "");
    this.#fact("motion", this.#camera.pose ? MOTIONS[POSE_STATES[this.#camera.pose.state]] : "");
    const glass = glassToGlass(this.live(), snapshot, this.#way.source);
    const ms = (value: number | null | undefined) => (typeof value === "number" ? `${value.toFixed(0)} ms` : "");
    this.#fact("camera", ms(glass?.cameraMs));
    this.#fact("wire", ms(glass?.wireMs));
    this.#fact("capture to picture", ms(glass?.totalMs));
    setText(this.#clock, samples ? describeClock(clock, stepUs) : "");
  }

  #showStages({ stages }: StatisticsSnapshot, stepUs: number): void {
    for (const [name, row] of this.#rows) {
      if (stages.some((stage) => stage.name === name)) continue;
      row.element.remove();
      this.#rows.delete(name);
    }
    for (const [i, stage] of stages.entries()) {
      let row = this.#rows.get(stage.name);
      if (!row) {
        const title = titleOf(this.pipeline.stages ?? [], stage.name);
        row = new Row(stage.name, this.pipeline.statistics.budgetMs, title);
        this.#rows.set(stage.name, row);
      }
      const there = this.#body.children[i];
      if (there !== row.element) this.#body.insertBefore(row.element, there ?? null);
      row.show(stage, stepUs);
    }
  }

  /** The frame rate; "" where no frames come because playback is paused. */
  #framesPerSecond(nowMs: number): string {
    const fps = framesPerSecond(this.#arrivals, nowMs);
    if (fps === 0) return "";
    return fps < 9.95 ? fps.toFixed(1) : fps.toFixed(0);
  }

  #table(budgetMs: number): HTMLTableElement {
    const heads = columns(budgetMs).map(([text, title]) =>
      element("th", SPARE[text] ?? "", { scope: "col", title }, text),
    );
    const head = element("thead", "", {}, element("tr", "", {}, ...heads));
    return element("table", "", {}, head, this.#body, element("tfoot", "", {}, ...this.#way.elements));
  }

  #factList(): HTMLElement {
    const list = element("dl", "facts");
    for (const [name, title] of Object.entries(FACTS)) {
      const value = document.createTextNode("–");
      this.#facts.set(name, value);
      const [term, said] = [element("dt", "", {}, name), element("dd", "", {}, value)];
      list.append(element("div", name.replace(" ", "-"), { title }, term, said));
    }
    return list;
  }

  /** Shows a fact; an empty text hides it. */
  #fact(name: string, text: string): void {
    const node = this.#facts.get(name);
    if (!node) return;
    setText(node, text);
    node.parentElement?.parentElement?.toggleAttribute("hidden", text === "");
  }

  #sampling(): HTMLElement {
    const { pipeline } = this;
    const select = element("select", "", { title: "Timing costs a little: each stage becomes a pass of its own" });
    for (const n of SAMPLING) select.append(new Option(n === 1 ? "every frame" : `1 in ${n}`, `${n}`));
    select.ariaLabel = "How often a frame is timed";
    select.value = `${pipeline.timeEvery}`;
    select.addEventListener("change", () => {
      pipeline.timeEvery = Number(select.value);
    });
    return select;
  }

  /** The last frame's pose in a word, and for how many frames the camera stood, moved and was lost. */
  #cameraReport() {
    const { pose, still, moved, lost } = this.#camera;
    return pose && { state: POSE_STATES[pose.state], held: pose.held, partners: pose.partners, still, moved, lost };
  }

  #exports(): HTMLElement[] {
    const { pipeline } = this;
    const report = () => {
      const { gpu } = pipeline;
      const [snapshot, { source }] = [pipeline.statistics.snapshot(), this.#way];
      return {
        backend: pipeline.backend,
        adapter: gpu && adapterOf(gpu),
        clockResolutionUs: gpu?.clockResolutionUs ?? null,
        timeEvery: pipeline.timeEvery,
        governor: pipeline.governor?.snapshot(),
        camera: this.#cameraReport(),
        ...snapshot,
        ...source,
        live: glassToGlass(this.live(), snapshot, source),
      };
    };
    const trace = () => downloadJson("depthloom-trace.json", pipeline.trace);
    return [
      button("JSON", () => downloadJson("depthloom-latency.json", rounded(report())), "Save these numbers"),
      button("Trace", trace, "Save the last frames for Perfetto or chrome://tracing"),
    ];
  }
}
