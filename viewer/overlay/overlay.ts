import { type MonoTypeOperatorFunction, tap } from "rxjs";
import type { Pipeline, StatisticsSnapshot, Summary } from "../../pipeline/index.ts";
import { button } from "../dom/controls.ts";
import { element, setText } from "../dom/element.ts";
import { adapterOf } from "../report/adapter.ts";
import { wallClockStepUs } from "../report/wallClock.ts";
import { downloadJson } from "./download.ts";
import { describeClock, formatMs, framesPerSecond } from "./format.ts";
import { Row } from "./rows.ts";
import { applyStyle } from "./style.ts";

const EVERY_MS = 250;
/**
 * "given up" is what the governor has taken back of the picture's quality. "full tiles" are those of the picture whose list had no
 * room: it has holes there.
 */
const FACTS = ["upload", "queue wait", "present", "dropped", "unreadable", "full tiles", "fps", "given up"];
const SAMPLING = [1, 2, 4, 8, 16, 32];

/** What the overlay asks of a pipeline. */
export type Measured = Pick<Pipeline, "backend" | "gpu" | "statistics" | "timeEvery" | "trace"> &
  Partial<Pick<Pipeline, "governor">>;

export interface OverlayOptions {
  /** With its table, not its headline alone; yes. */
  readonly open?: boolean;
  /** A key that toggles it, to be named where it is pointed at; listening to it is the page's. */
  readonly key?: string;
}

/**
 * Where the milliseconds of a frame go, stage by stage, against the frame budget. It fits in any page: `element` brings its
 * own style, in a shadow root, and `watch` keeps its numbers new.
 */
export class LatencyOverlay {
  readonly element = element("div", "depthloom-latency");
  readonly #details: HTMLDetailsElement;
  readonly #rows = new Map<string, Row>();
  readonly #body = element("tbody");
  readonly #total: Row;
  readonly #clock = element("span", "clock");
  /** No `output`: a click on a form's part does not fold what it heads. */
  readonly #headline = element("span", "headline");
  readonly #facts = new Map<string, Text>();
  readonly #arrivals: number[] = [];
  readonly #wallStepUs = wallClockStepUs();
  #nextMs = 0;

  constructor(
    readonly pipeline: Measured,
    { open = true, key }: OverlayOptions = {},
  ) {
    const { budgetMs } = pipeline.statistics;
    this.#total = new Row("frame", budgetMs);
    const title = element(
      "summary",
      "",
      { title: key ? `Show or hide (${key})` : "Show or hide" },
      element("h2", "", {}, "Latency"),
      this.#headline,
    );
    this.#details = element("details", "latency", { open }, title, this.#table(budgetMs), this.#factList());
    this.#details.append(element("footer", "", {}, this.#clock, this.#sampling(), ...this.#exports()));
    applyStyle(this.element.attachShadow({ mode: "open" })).append(this.#details);
  }

  /** Shows the table or hides it; the headline stays. */
  toggle(): void {
    this.open(!this.#details.open);
  }

  /** Shows the table, or its headline alone. */
  open(open: boolean): void {
    this.#details.open = open;
  }

  /** Watches processed frames go by: `recording.frames$.pipe(pipeline.process("latest"), overlay.watch())`. */
  watch<T>(): MonoTypeOperatorFunction<T> {
    let request = 0;
    const tick = () => {
      this.update();
      request = requestAnimationFrame(tick);
    };
    const stop = () => {
      cancelAnimationFrame(request);
      // The last frames' times come after them, and the last numbers stay.
      setTimeout(() => this.update(), EVERY_MS);
    };
    return tap({ subscribe: tick, next: () => this.frame(), finalize: stop });
  }

  /** A processed frame has arrived; for who does not use `watch`. */
  frame(nowMs = performance.now()): void {
    this.#arrivals.push(nowMs);
  }

  /** To be called once a picture by who does not use `watch`; shows new numbers four times a second. */
  update(nowMs = performance.now()): void {
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + EVERY_MS;
    const snapshot = this.pipeline.statistics.snapshot();
    const fps = this.#framesPerSecond(nowMs);
    const { clock, samples, p50Ms } = snapshot.frame;
    const stepUs = clock === "gpu" ? (this.pipeline.gpu?.clockResolutionUs ?? 0) : this.#wallStepUs;
    const total = samples ? `${formatMs(p50Ms, stepUs)} ms` : "no times yet";
    setText(this.#headline, fps ? `${total} · ${fps} fps` : total);
    if (!this.#details.open) return;
    this.#showStages(snapshot, stepUs);
    this.#total.show(snapshot.frame, stepUs);
    const { upload, queueWait, present, dropped, unreadable, overflowNow } = snapshot;
    const wall = (summary: Summary) => (summary.samples ? `${formatMs(summary.p50Ms, this.#wallStepUs)} ms` : "–");
    this.#fact("upload", wall(upload));
    this.#fact("queue wait", wall(queueWait));
    this.#fact("present", wall(present));
    this.#fact("dropped", `${dropped}`);
    this.#fact("unreadable", unreadable ? `${unreadable}` : "");
    this.#fact("full tiles", overflowNow ? `${overflowNow}` : "");
    this.#fact("fps", fps || "–");
    const given = this.pipeline.governor?.snapshot().givenUp ?? [];
    this.#fact("given up", given.map(({ parameter, asked, used }) => `${parameter} ${used} of ${asked}`).join(", "));
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
        row = new Row(stage.name, this.pipeline.statistics.budgetMs);
        this.#rows.set(stage.name, row);
      }
      const there = this.#body.children[i];
      if (there !== row.element) this.#body.insertBefore(row.element, there ?? null);
      row.show(stage, stepUs);
    }
  }

  /** "" where nothing comes, because the recording is stopped. */
  #framesPerSecond(nowMs: number): string {
    const fps = framesPerSecond(this.#arrivals, nowMs);
    if (fps === 0) return "";
    return fps < 9.95 ? fps.toFixed(1) : fps.toFixed(0);
  }

  #table(budgetMs: number): HTMLTableElement {
    const heads = ["stage", `of ${budgetMs.toFixed(1)} ms`, "p50", "p95", "share"];
    const head = element(
      "thead",
      "",
      {},
      element("tr", "", {}, ...heads.map((text) => element("th", "", { scope: "col" }, text))),
    );
    return element("table", "", {}, head, this.#body, element("tfoot", "", {}, this.#total.element));
  }

  #factList(): HTMLElement {
    const list = element("dl", "facts");
    for (const name of FACTS) {
      const value = document.createTextNode("–");
      this.#facts.set(name, value);
      list.append(element("div", "", {}, element("dt", "", {}, name), element("dd", "", {}, value)));
    }
    return list;
  }

  /** "" hides it: what is no trouble is not mentioned. */
  #fact(name: string, text: string): void {
    const node = this.#facts.get(name);
    if (!node) return;
    setText(node, text);
    node.parentElement?.parentElement?.toggleAttribute("hidden", text === "");
  }

  #sampling(): HTMLElement {
    const { pipeline } = this;
    const options = SAMPLING.map((n) =>
      element("option", "", { value: `${n}` }, n === 1 ? "every frame" : `1 in ${n}`),
    );
    const select = element(
      "select",
      "",
      { title: "Timing costs a little: each stage becomes a pass of its own" },
      ...options,
    );
    select.setAttribute("aria-label", "How often a frame is timed");
    select.value = `${pipeline.timeEvery}`;
    select.addEventListener("change", () => {
      pipeline.timeEvery = Number(select.value);
    });
    return select;
  }

  #exports(): HTMLElement[] {
    const { pipeline } = this;
    const report = () => {
      const { gpu } = pipeline;
      return {
        backend: pipeline.backend,
        adapter: gpu && adapterOf(gpu),
        clockResolutionUs: gpu?.clockResolutionUs ?? null,
        timeEvery: pipeline.timeEvery,
        governor: pipeline.governor?.snapshot(),
        ...pipeline.statistics.snapshot(),
      };
    };
    return [
      button("JSON", () => downloadJson("depthloom-latency.json", report()), "Save these numbers"),
      button(
        "Trace",
        () => downloadJson("depthloom-trace.json", pipeline.trace),
        "Save the last frames for Perfetto or chrome://tracing",
      ),
    ];
  }
}
