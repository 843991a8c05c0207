import "./measure.css";
import { isRight } from "../../../bench/deviceReport/document.ts";
import { STUDIES } from "../../../bench/deviceReport/list.ts";
import { BUDGETS_S, type Progress, progressWords } from "../../../bench/deviceReport/measure.ts";
import { type MadeReport, makeReport } from "../../../bench/deviceReport/report.ts";
import type { Gpu } from "../../../pipeline/index.ts";
import { button, element, segmented, setText } from "../../dom/controls.ts";
import { openSheet } from "../../dom/sheet.ts";
import { download } from "../../overlay/download.ts";
import { textOf } from "../state/messageText.ts";
import { browserPlace } from "./browserPlace.ts";

const ABOUT =
  "Measures the GPU of this computer: the stages’ kernels, ways of stream compaction, atomic operations, and more. It makes a page of what it finds, for you to save; nothing is uploaded.";
const FILE = "depthloom-report";

type Thoroughness = keyof typeof BUDGETS_S;

/** A dialog that measures this computer's GPU and gives the report as files. */
export class MeasureSheet {
  readonly #state = element("p", "state", {}, ABOUT);
  readonly #bar = element("progress", "", { max: 1, value: 0, hidden: true, ariaLabel: "Measuring" });
  readonly #choice: HTMLElement;
  readonly #start = button("Start", () => void this.#run());
  readonly #stop = button("Stop", () => this.#running?.abort(), "Ends at once; what was measured is kept");
  readonly #page = button("Save the page", () => this.#save("html"), "One HTML file that needs nothing else");
  readonly #numbers = button("Save the numbers", () => this.#save("json"), "JSON");
  readonly #frame = element("iframe", "", { title: "Report on this device", hidden: true });
  readonly #dialog: HTMLDialogElement;
  /** Resolves when the dialog is closed. */
  readonly closed: Promise<void>;
  #budget: Thoroughness = "quick";
  #running: AbortController | undefined;
  #made: MadeReport | undefined;

  /** `open` opens a device of its own, so that the viewer's is safe. */
  constructor(readonly open: () => Promise<Gpu>) {
    const label = ([name, seconds]: readonly [string, number]) => [name, `${seconds / 60} min`];
    const choices = Object.fromEntries(Object.entries(BUDGETS_S).map(label)) as Record<Thoroughness, string>;
    this.#choice = segmented("Time to measure", choices, this.#budget, (budget) => {
      this.#budget = budget;
    }).element;
    const buttons = element("div", "buttons", {}, this.#start, this.#stop, this.#page, this.#numbers);
    const head = element("header", "", {}, element("h2", "", {}, "Measure this device"), this.#state, this.#bar);
    head.append(this.#choice, buttons);
    this.#frame.addEventListener("load", () => followLinks(this.#frame));
    this.#dialog = openSheet("Measure this device", element("div", "body", {}, head, this.#frame), "measuring");
    // Esc stops the measurement, and only then closes the dialog.
    this.#dialog.addEventListener("cancel", (event) => {
      if (!this.#running) return;
      event.preventDefault();
      this.#running.abort();
    });
    this.closed = new Promise((resolve) => this.#dialog.addEventListener("close", () => resolve()));
    void this.closed.then(() => this.#running?.abort());
    this.#show();
  }

  async #run(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.#made = undefined;
    this.#bar.value = 0;
    this.#show();
    try {
      setText(this.#state, "Opening the GPU …");
      const gpu = await this.open();
      try {
        this.#made = await makeReport(gpu, browserPlace(navigator), {
          studies: STUDIES,
          budgetS: BUDGETS_S[this.#budget],
          large: false,
          signal: running.signal,
          onProgress: (progress) => this.#tell(progress),
          log() {},
        });
      } finally {
        await gpu.destroy();
      }
      setText(this.#state, outcome(this.#made));
    } catch (error) {
      setText(this.#state, `Nothing was measured: ${textOf(error)}`);
    } finally {
      this.#running = undefined;
      this.#show();
    }
  }

  #tell(progress: Progress): void {
    this.#bar.value = progress.share;
    setText(this.#state, progressWords(progress));
  }

  #show(): void {
    const running = this.#running !== undefined;
    this.#bar.hidden = !running;
    this.#stop.hidden = !running;
    this.#start.hidden = running;
    this.#choice.hidden = running;
    for (const part of [this.#page, this.#numbers, this.#frame]) part.hidden = running || !this.#made;
    if (this.#made) this.#frame.srcdoc = this.#made.html;
  }

  #save(what: "html" | "json"): void {
    if (!this.#made) return;
    const { html, report } = this.#made;
    const [type, text] = what === "html" ? ["text/html", html] : ["application/json", JSON.stringify(report)];
    download(`${FILE}.${what}`, new Blob([text], { type }));
  }
}

function outcome({ report }: MadeReport): string {
  if (report.endedEarly !== null) return `Incomplete: ${report.endedEarly}. What was measured is below.`;
  return isRight(report)
    ? `Measured in ${report.tookS} s. Every output that was checked was right.`
    : "Measured. An output was wrong: the report says which.";
}

/** Links within a page that is an iframe's own text would lead to the viewer: they scroll instead. */
function followLinks(frame: HTMLIFrameElement): void {
  const page = frame.contentDocument;
  for (const link of page?.querySelectorAll<HTMLAnchorElement>('a[href^="#"]') ?? []) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      page?.getElementById(link.hash.slice(1))?.scrollIntoView();
    });
  }
}
