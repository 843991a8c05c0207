import { readdirSync, readFileSync } from "node:fs";
import { type DeviceSummary, holdsWord, sampledWords } from "../../bench/deviceReport/document.ts";
import { deviceName, placeLine } from "../../bench/deviceReport/page.ts";
import type { Answer } from "../../bench/deviceReport/study.ts";
import { adapterLine } from "../../bench/report/words.ts";
import { INTRODUCTION, MEANING } from "./devicesProse.ts";
import { figureTables } from "./figureTables.ts";
import { shortened } from "./longAnswers.ts";

/** A report as docs/lab/devices/ keeps it. */
export interface KeptReport extends DeviceSummary {
  /** A remark on the machine, for the reader. */
  readonly remark: string;
}

const folder = new URL("../../docs/lab/devices/", import.meta.url);

/** The reports of docs/lab/devices/, by their files' names. */
export function keptReports(): ReadonlyMap<string, { readonly report: KeptReport; readonly bytes: number }> {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return new Map(
    files.sort().map((name) => {
      const text = readFileSync(new URL(name, folder), "utf8");
      return [name.replace(/\.json$/, ""), { report: JSON.parse(text) as KeptReport, bytes: Buffer.byteLength(text) }];
    }),
  );
}

const row = (...cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(...head), `|${"---|".repeat(head.length)}`, ...rows.map((cells) => row(...cells))].join("\n");

/** The docs' page that compares devices, in Markdown. A device has the name under which its report is kept. */
export function devicesPage(kept: ReadonlyMap<string, KeptReport>): string {
  const names = [...kept.keys()];
  const reports = [...kept.values()];
  const studies = [...new Map(reports.flatMap(({ studies }) => studies).map((study) => [study.name, study])).values()];
  return [
    INTRODUCTION,
    MEANING,
    "## The devices\n",
    ...[...kept].map(([name, report]) => deviceLines(name, report)),
    ...studies.flatMap(({ name, title, question }) => {
      const own = reports.map((report) => report.studies.find((study) => study.name === name));
      const answers = own.map((study) => (study?.answers ?? []).map(shortened));
      const claims = [...new Set(answers.flat().map(({ claim }) => claim))];
      const find = (claim: string) => answers.map((list) => list.find((one) => one.claim === claim));
      const sampled = reports.map((report, i) => {
        const study = own[i];
        return study ? sampledWords(study, report) : "Not part of this report.";
      });
      return [
        `## ${title}\n`,
        `${question}\n`,
        table(
          ["", ...names],
          [
            ["sampled", ...sampled],
            ...claims.map((claim) => [
              claim,
              ...find(claim).map((one) => (one ? `**${holdsWord(one)}** ${one.found}`.replace("**–** ", "") : "")),
            ]),
          ],
        ),
        ...claims.flatMap((claim) => casesTable(claim, find(claim), names)),
        ...figureTables(own.map((study, i) => ({ device: names[i] ?? "", figures: study?.figures ?? [] }))).map(
          ([head = [], ...rows]) => `\n${table(head, rows)}`,
        ),
        "",
      ];
    }),
  ].join("\n");
}

/** What is known of a device and its report. */
function deviceLines(name: string, report: KeptReport): string {
  const { remark, adapter, place, date, version, tookS, budgetS, endedEarly } = report;
  return [
    `**${name}** (${deviceName(adapter)}). ${remark.replace(/\.$/, "")}.\n`,
    `- ${adapterLine(adapter)}`,
    `- ${placeLine(place)}`,
    `- Measured on ${date.slice(0, 10)} with Depthloom ${version}, in ${tookS} s of a budget of ${budgetS} s`,
    ...(endedEarly === null ? [] : [`- Incomplete: ${endedEarly}`]),
    "",
  ].join("\n");
}

/** The cases of the devices' answers to a claim beside each other; nothing if no answer has any. */
function casesTable(claim: string, answers: readonly (Answer | undefined)[], names: readonly string[]): string[] {
  const lists = answers.map((answer) => answer?.cases ?? []);
  const cases = [...new Set(lists.flat().map(({ name }) => name))];
  if (cases.length === 0) return [];
  const rows = cases.map((name) => [name, ...lists.map((list) => list.find((one) => one.name === name)?.found ?? "")]);
  return [`\n*${claim}* Case by case:\n`, table(["", ...names], rows)];
}
