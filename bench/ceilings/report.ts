import type { Filling } from "../../viewer/report/html.ts";
import { columns } from "../report/columns.ts";
import { type Cell, foldedTable, number, pageOf, section, tableOf } from "../report/page.ts";
import { adapterLine, machineLine, micros } from "../report/words.ts";
import type { Adapter, Machine } from "../types.ts";
import { farthestOf } from "./dispatches.ts";
import { percent } from "./lanes.ts";
import { TERMS } from "./model.ts";
import type { SpreadsheetRow } from "./row.ts";
import type { Spreadsheet } from "./spreadsheet.ts";
import { ceilingRows, perSecond } from "./words.ts";

const HEAD = ["stage", "variant", "size", "measured µs", "limit µs", "of the limit", "should be spent on", "farthest"];

const wordsOf = (row: SpreadsheetRow): string[] => [
  row.stage,
  row.variant,
  `${row.width}x${row.height}`,
  micros(row.medianUs),
  micros(row.limit.us),
  percent(row.share),
  `${row.limit.term}${row.isBeaten ? ": BEATEN, the model is wrong" : ""}`,
  farthestWords(row),
];

/** The dispatches of a stage that are farthest above their limit, and by how much: "track/align: 9.1 µs". Empty where none is known. */
export function farthestWords({ dispatches }: Pick<SpreadsheetRow, "dispatches">): string {
  const farthest = dispatches && farthestOf(dispatches);
  return farthest ? `${farthest.kernel}: ${micros(farthest.us - farthest.limitUs)} µs` : "";
}

/** The results as text. */
export function spreadsheetTable({ ceilings, rows, notes }: Spreadsheet): string {
  const head = [...HEAD, ...TERMS.map((term) => `${term} µs`)];
  const lines = rows.map((row) => [...wordsOf(row), ...TERMS.map((term) => micros(row.limit.terms[term]))]);
  const isText = new Set([0, 1, 2, 6, 7]);
  const parts = [
    columns(ceilingRows(ceilings), ["left", "left"]),
    columns(
      [head, ...lines],
      head.map((_, i) => (isText.has(i) ? "left" : "right")),
    ),
  ];
  const timed = dispatchRows(rows).map((row) => row.map(({ text }) => text));
  if (timed.length > 1)
    parts.push(
      `Dispatches one by one\n${columns(
        timed,
        DISPATCH_HEAD.map((_, i) => (i < 3 || i === 9 ? "left" : "right")),
      )}`,
    );
  return [...parts, ...(notes.length > 0 ? [notes.join("\n")] : [])].join("\n\n");
}

/** The results as a page. */
export function spreadsheetPage(found: Spreadsheet, machine: Machine, adapter: Adapter): string {
  return pageOf("How close to the limit", [machineLine(machine), adapterLine(adapter)], spreadsheetSections(found));
}

/** The sections of the page, for reports that have others as well. */
export function spreadsheetSections({ ceilings, rows, notes }: Spreadsheet): Filling[] {
  const head = [...HEAD, "output"].map((text) => ({ text }));
  const timed = dispatchRows(rows);
  const cells = rows.map((row) => [
    ...wordsOf(row).map((text, i) =>
      i > 2 && i < 6 ? number(text) : i === 6 && row.isBeaten ? { text, kind: "wrong" as const } : { text },
    ),
    row.checked === null ? { text: "" } : row.checked ? { text: "checked" } : { text: "wrong", kind: "wrong" as const },
  ]);
  return [
    section(
      "The device at its best",
      "Measured with small kernels, each checked.",
      tableOf([
        [{ text: "what" }, { text: "how fast" }],
        ...ceilingRows(ceilings).map((row) => row.map((text) => ({ text }))),
      ]),
    ),
    section(
      "Stages beside their limits",
      "A stage's limit is the largest of its terms, kernel by kernel; operations are counted in the shaders, bytes declared by the stages. A stage that beats its limit was measured again, by turns with the device; if it still does, the model is wrong.",
      rows.length > 0 ? tableOf([head, ...cells]) : "",
    ),
    foldedTable("What the limits are made of", termRows(rows)),
    section(
      "Dispatches one by one",
      "Each dispatch had a pass of its own, whose end was stamped; what that adds to a dispatch that does nothing is taken off.",
      timed.length > 1 ? tableOf(timed) : "",
    ),
    rows.length > 0 ? foldedTable("Kernels: what was counted", kernelRows(rows)) : "",
    notes.length > 0 ? section("Notes", notes.join(" · "), " ") : "",
  ];
}

/** The terms of each stage's limit, below the head. */
function termRows(rows: readonly SpreadsheetRow[]): Cell[][] {
  const head = ["stage", "size", ...TERMS.map((term) => `${term} µs`)].map((text) => ({ text }));
  const cells = rows.map(({ stage, variant, width, height, limit }) => [
    { text: `${stage} ${variant}` },
    { text: `${width}x${height}` },
    ...TERMS.map((term) => number(micros(limit.terms[term]))),
  ]);
  return [head, ...cells];
}

const DISPATCH_HEAD = [
  ...["stage", "size", "kernel", "dispatches", "of workgroups", "measured µs", "limit µs"],
  ...["of the limit", "beyond it µs", "should be spent on", "a stamp µs"],
];

/** The dispatches of all stages that have several, equal ones together; below the head. */
function dispatchRows(rows: readonly SpreadsheetRow[]): Cell[][] {
  const cells = rows.flatMap(({ stage, variant, width, height, dispatches }) =>
    (dispatches?.kernels ?? []).map((one) => [
      { text: `${stage} ${variant}` },
      { text: `${width}x${height}` },
      { text: one.kernel },
      ...[one.dispatches, one.workgroups].map((count) => number(String(count))),
      ...[one.us, one.limitUs].map((us) => number(micros(us))),
      number(one.us > 0 ? percent(one.limitUs / one.us) : ""),
      number(micros(Math.max(0, one.us - one.limitUs))),
      { text: one.term },
      number(micros(dispatches?.stampUs ?? 0)),
    ]),
  );
  return [DISPATCH_HEAD.map((text) => ({ text })), ...cells];
}

function kernelRows(rows: readonly SpreadsheetRow[]) {
  const head = [
    "stage",
    "size",
    "kernel",
    "dispatches",
    "workgroups",
    "of invocations",
    "limit µs",
    "term",
    "bytes",
    "f32",
    "i32",
    "min, max, logic",
    "roots and reciprocals",
    "accesses",
    "workgroup memory",
    "atomics",
  ];
  const cells = rows.flatMap((row) =>
    row.limit.kernels.map(({ kernel, dispatches, workgroups, workgroup, us, term, bytes, operations }) => [
      { text: `${row.stage} ${row.variant}` },
      { text: `${row.width}x${row.height}` },
      { text: kernel },
      ...[dispatches, workgroups, workgroup].map((count) => number(String(count))),
      number(micros(us)),
      { text: term },
      ...[bytes, ...Object.values(operations)].map((count) => number(perSecond(count / 1e9, "").replace("/s", ""))),
    ]),
  );
  return [head.map((text) => ({ text })), ...cells];
}
