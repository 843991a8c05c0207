import type { StatisticsSnapshot } from "../../pipeline/index.ts";
import { Series } from "../../pipeline/time/statistics.ts";
import { Row } from "./rows.ts";

/** The rows below the stages, each with the text of its tooltip. */
const ROWS = {
  "all stages": "From the begin of the first stage to the end of the last",
  prepare: "Setting the filters by a frame's noise, and rebuilding stages whose settings changed",
  upload: "Copying a frame to where the stages run",
  "queue wait": "The time until a frame is done in which no stage worked on it",
  total: "The whole way of a frame through the stages: prepare, upload, queue wait, all stages",
  present: "Drawing the result on the page",
  read: "Reading a frame of a recording, while the frame before is shown; of a stream from its arrival until it is taken",
  decode: "Unpacking and decoding a frame's images",
} as const;

/** The rows of the table that tell a frame's way outside the single stages. */
export class Way {
  readonly elements: readonly HTMLElement[];
  readonly #rows = new Map<string, Row>();
  #read = new Series();
  #decode = new Series();

  constructor(budgetMs: number) {
    for (const [name, says] of Object.entries(ROWS)) this.#rows.set(name, new Row(name, budgetMs, name, says));
    this.elements = [...this.#rows.values()].map(({ element }) => element);
  }

  /** Notes how long it took to read a frame and to decode its images, ms. */
  read(readMs: number, decodeMs: number): void {
    this.#read.push(readMs);
    this.#decode.push(decodeMs);
  }

  /** The times of reading and decoding. */
  get source() {
    return { read: this.#read.summary(), decode: this.#decode.summary() };
  }

  /** Forgets the times of reading: another source plays. */
  restart(): void {
    [this.#read, this.#decode] = [new Series(), new Series()];
  }

  /** Shows the times; `stepUs` is the step of the stages' clock, `wallStepUs` that of the wall clock, µs. */
  show(
    { frame, prepare, upload, queueWait, present, total }: StatisticsSnapshot,
    stepUs: number,
    wallStepUs: number,
  ): void {
    const { source } = this;
    this.#rows.get("all stages")?.show(frame, stepUs);
    const onWall = { prepare, upload, "queue wait": queueWait, total, present, ...source };
    for (const [name, summary] of Object.entries(onWall)) this.#rows.get(name)?.show(summary, wallStepUs);
    for (const name of ["read", "decode"])
      this.#rows.get(name)?.element.toggleAttribute("hidden", source.read.samples === 0);
  }
}
