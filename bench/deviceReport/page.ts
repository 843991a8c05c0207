import { type Filling, type Html, html } from "../../viewer/report/html.ts";
import { htmlOfSection, isTable, linesOf, pageOf, type Section, tableOf } from "../report/page.ts";
import { adapterLine } from "../report/words.ts";
import type { AnswerCase } from "../study.ts";
import type { Adapter } from "../types.ts";
import {
  type DeviceSummary,
  hasFewTrials,
  holdsWord,
  type Place,
  type StudySummary,
  sampledWords,
} from "./document.ts";

/** The device's short name: a description is of the driver, and ends with the device where that is told. */
export const deviceName = ({ description, vendor }: Pick<Adapter, "description" | "vendor">): string =>
  description.split(", ").at(-1)?.replace(/-$/, "") || vendor || "a GPU that does not tell its name";

/** A line about the computer and the program. */
export const placeLine = ({ program, system, cpu, cores, memoryGb }: Place): string =>
  [cpu, `${cores} cores`, memoryGb === null ? null : `${memoryGb} GB`, system, program].filter(Boolean).join("; ");

const SOFTWARE =
  "A software GPU is a processor that plays one. What is the fastest on it says little of hardware, for which the kernels are written; where there is no GPU, the CPU backend is faster than any of them.";

/**
 * A report as a page that needs nothing else: what was measured on, the claims with their answers, a table of contents, and the sections of
 * each study, by its name.
 */
export function deviceReportPage(
  report: DeviceSummary,
  sections: ReadonlyMap<string, readonly (Section | Filling)[]>,
): string {
  const { version, date, place, adapter, budgetS, tookS, endedEarly, studies } = report;
  const about = [
    `${date.slice(0, 16).replace("T", " ")} UTC; Depthloom ${version}`,
    adapterLine(adapter),
    placeLine(place),
    `Time budget ${budgetS} s${hasFewTrials(budgetS) ? " (few trials)" : ""}, took ${tookS} s`,
  ];
  const body = [
    endedEarly === null ? "" : html`<p class="warning"><b>Incomplete:</b> ${endedEarly}.</p>`,
    ...(studies.some(({ right }) => right === false)
      ? [html`<p class="warning"><b>Wrong:</b> an output was not what it should be. The study’s notes say which.</p>`]
      : []),
    ...(adapter.software ? [html`<p>${SOFTWARE}</p>`] : []),
    contents(report),
    ...studies.flatMap((study) => [
      ...chapter(study, report),
      ...(sections.get(study.name) ?? []).map((one) => (isTable(one) ? htmlOfSection(one) : one)),
    ]),
  ];
  return pageOf(`Depthloom on ${deviceName(adapter)}`, about, body);
}

function contents(report: DeviceSummary): Html {
  const items = report.studies.map((study) => {
    const link = html`<a href="#${study.name}">${study.title}</a>`;
    return html`<li>${link} <span>${sampledWords(study, report)}</span></li>`;
  });
  return html`<nav aria-label="Contents"><ol>${items}</ol></nav>`;
}

/** The head of a study: its question, its answers and its notes. */
function chapter(study: StudySummary, report: DeviceSummary): Html[] {
  const { name, title, question, answers, notes } = study;
  const words = html`<p>${question}</p><p>${sampledWords(study, report)}</p>`;
  const head = ["claim or question", "holds", "found"].map((text) => ({ text }));
  const rows = answers.map((answer) => [
    { text: answer.claim },
    { text: holdsWord(answer), ...(answer.holds === false && { kind: "wrong" as const }) },
    { text: answer.found },
  ]);
  const table = rows.length > 0 ? html`<div class="answers">${tableOf([head, ...rows])}</div>` : "";
  const apart = answers.flatMap(({ claim, cases = [] }) => casesTable(claim, cases));
  const told =
    notes.length > 0 ? html`<details><summary>Notes (${notes.length})</summary><p>${linesOf(notes)}</p></details>` : "";
  return [html`<section class="study" id="${name}"><h2>${title}</h2>${words}${table}${apart}${told}</section>`];
}

/** The cases of an answer, behind a click. */
function casesTable(claim: string, cases: readonly AnswerCase[]): Html[] {
  if (cases.length === 0) return [];
  const head = ["case", "found"].map((text) => ({ text }));
  const table = tableOf([head, ...cases.map(({ name, found }) => [{ text: name }, { text: found }])]);
  return [html`<details><summary>${claim} Case by case (${cases.length})</summary>${table}</details>`];
}
