import { html } from "../../core/html.ts";
import { adapterLine, linesOf, type Part, pageOf, tableOf } from "../report/page.ts";
import type { Adapter } from "../types.ts";
import { type DeviceReport, type Environment, hasFewTrials, sampledWords } from "./document.ts";

/** The device's short name: a description is of the driver, and ends with the device where it is known. */
const deviceName = ({ description, vendor }: Pick<Adapter, "description" | "vendor">): string =>
  description.split(", ").at(-1)?.replace(/-$/, "") || vendor || "a GPU that does not tell its name";

/** A line about the computer and the program. */
const placeLine = ({ program, system, cpu, cores, memoryGb }: Environment): string =>
  [cpu, `${cores} cores`, memoryGb === null ? null : `${memoryGb} GB`, system, program].filter(Boolean).join("; ");

const SOFTWARE =
  "A software GPU is a processor that imitates a GPU. The fastest way there is often not the fastest on hardware, for which the kernels are written; where there is no GPU, the CPU backend is faster than any of them.";

/** A report as a page that needs nothing else: what was measured on, the study's question, figures and notes, and its parts. */
export function deviceReportPage(report: DeviceReport, sections: readonly Part[]): string {
  const { version, date, place, adapter, budgetS, tookS, endedEarly } = report;
  const [study] = report.studies;
  const { name, title, question, figures, notes } = study;
  const about = [
    `${date.slice(0, 16).replace("T", " ")} UTC; Depthloom ${version}`,
    adapterLine(adapter),
    placeLine(place),
    `Time budget ${budgetS} s${hasFewTrials(budgetS) ? " (few trials)" : ""}, took ${tookS} s`,
  ];
  const counts =
    notes.length > 0 ? html`<details><summary>Notes (${notes.length})</summary><p>${linesOf(notes)}</p></details>` : "";
  const head = html`<h2>${title}</h2><p>${question}</p><p>${sampledWords(study, report)}</p>${counts}`;
  const body = [
    endedEarly === null ? "" : html`<p class="warning"><b>Incomplete:</b> ${endedEarly}.</p>`,
    study.right === false
      ? html`<p class="warning"><b>Wrong:</b> an output was not what it should be. The notes say which.</p>`
      : "",
    adapter.software ? html`<p>${SOFTWARE}</p>` : "",
    html`<section class="study" id="${name}">${head}</section>`,
    ...tableOf(`${title}: figures`, Object.entries(figures), {
      figure: ([figure]) => figure,
      value: ([, value]) => value,
    }),
    ...sections,
  ];
  return pageOf(`Depthloom on ${deviceName(adapter)}`, about, body);
}
