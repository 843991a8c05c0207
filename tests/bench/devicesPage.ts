import { readdirSync, readFileSync } from "node:fs";
import { type DeviceSummary, holdsWord, sampledWords } from "../../viewer/bench/deviceReport/document.ts";
import { deviceName, placeLine } from "../../viewer/bench/deviceReport/page.ts";
import type { Figure } from "../../viewer/bench/deviceReport/study.ts";
import { adapterLine, duration } from "../../viewer/bench/report/words.ts";

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
      return [name, { report: JSON.parse(text) as KeptReport, bytes: Buffer.byteLength(text) }];
    }),
  );
}

const INTRO = `# Devices compared

[\`depthloom report\`](../bench.md#a-report-on-a-device) measures what the kernels are built on: the stages themselves, the device's limits, ways of stream
compaction and of sorting samples into tiles, atomic operations, how kernels should read. This page holds the reports beside each other that are kept in \`docs/lab/devices/\`. Times are medians. A claim is answered by the rule that the report's code
states (\`viewer/bench/deviceReport/\`): a ratio is a constant if its deviation is less than 15 % of its mean, an add is as cheap as a store up to
1.25 of its time, and it is free where it adds less than 10 % to the arithmetic before it.

\`node docs/lab/devices/keep.js report.json NAME "REMARK"\` keeps a report, and \`npx vitest run tests/bench/devicesPage.test.ts -u\` writes this page.
`;

const row = (...cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(...head), `|${"---|".repeat(head.length)}`, ...rows.map((cells) => row(...cells))].join("\n");

/** Figures of the same name and unit share a row. */
const keyOf = ({ name, unit }: Figure) => `${name}, ${unit}`;

function inUnits({ value, unit }: Figure): string {
  if (unit === "µs") return duration(value);
  return `${Number(value.toPrecision(3))} ${unit}`;
}

/** The docs' page that compares devices, in Markdown. */
export function devicesPage(reports: readonly KeptReport[]): string {
  const devices = reports.map((report) => {
    const about = [report.remark.replace(/\.$/, ""), adapterLine(report.adapter), placeLine(report.place)];
    const early = report.endedEarly === null ? [] : [`Incomplete: ${report.endedEarly}`];
    const when = `${report.date.slice(0, 10)}, Depthloom ${report.version}, ${report.tookS} s of measuring`;
    return [`**${deviceName(report.adapter)}**`, [...about, when, ...early].join("; ")];
  });
  const names = reports.map(({ adapter }) => deviceName(adapter));
  const studies = [...new Map(reports.flatMap(({ studies }) => studies).map((study) => [study.name, study])).values()];
  return [
    INTRO,
    "## The devices\n",
    table(["device", "what is known of it"], devices),
    ...studies.flatMap(({ name, title, question }) => {
      const own = reports.map((report) => report.studies.find((study) => study.name === name));
      const sampled = reports.map((report, i) => {
        const study = own[i];
        return study ? sampledWords(study, report) : "Not part of this report.";
      });
      const claims = [...new Set(own.flatMap((study) => study?.answers ?? []).map(({ claim }) => claim))];
      const answers = claims.map((claim) => [
        claim,
        ...own.map((study) => {
          const answer = study?.answers.find((one) => one.claim === claim);
          return answer ? `**${holdsWord(answer)}** ${answer.found}`.replace("**–** ", "") : "";
        }),
      ]);
      const figures = new Map(own.flatMap((study) => study?.figures ?? []).map((one) => [keyOf(one), one]));
      const numbers = [...figures].map(([key, { name }]) => [
        name,
        ...own.map((study) => {
          const figure = study?.figures.find((one) => keyOf(one) === key);
          return figure ? inUnits(figure) : "";
        }),
      ]);
      return [
        `\n## ${title}\n`,
        `${question}\n`,
        table(["", ...names], [["sampled", ...sampled], ...answers]),
        ...(numbers.length > 0 ? ["", table(["", ...names], numbers)] : []),
      ];
    }),
    "",
  ].join("\n");
}
