import { html } from "../../viewer/report/html.ts";
import type { PeerResult, Ratio, Report, Result } from "../types.ts";
import { CHECKED, linesOf, pageOf, type Section, SPREAD, section, tableOf, textOfSection } from "./page.ts";
import { adapterLine, bandwidth, how, machineLine, micros } from "./words.ts";

type Measured = Pick<Report, "results" | "peers" | "ratios">;

/** The report of `bench` as a self-contained page without scripts, fonts or network access. */
export const stagePage = ({ machine, adapter, notes, ...measured }: Report): string =>
  pageOf(
    "Depthloom bench",
    [machineLine(machine), adapterLine(adapter)],
    [...stageTables(measured), notes.length > 0 && section("Notes", "", html`<p>${linesOf(notes)}</p>`)].map(
      (one) => one || "",
    ),
  );

/** The report of `bench` as text. */
export const stageText = ({ machine, adapter, notes, ...measured }: Report): string =>
  [
    `${machineLine(machine)}\n${adapterLine(adapter)}`,
    ...stageTables(measured).map(textOfSection),
    ...(notes.length > 0 ? [notes.join("\n")] : []),
  ].join("\n\n");

const sizeOf = ({ width, height }: { readonly width: number; readonly height: number }) => `${width}x${height}`;

/** The tables of the stages' times. */
export const stageTables = ({ results, peers, ratios }: Measured): Section[] => [
  ...tableOf<Result>("Stages", results, {
    stage: ({ stage }) => stage,
    variant: ({ variant }) => variant,
    size: sizeOf,
    data: ({ data }) => data,
    how,
    ...SPREAD,
    "GB/s": bandwidth,
    ...CHECKED,
  }),
  ...tableOf<PeerResult>("Peers", peers, {
    peer: ({ name }) => name,
    size: sizeOf,
    data: ({ data }) => data,
    ...SPREAD,
    "GB/s": bandwidth,
    output: ({ agrees }) => (agrees === null ? "" : agrees ? "agrees" : "wrong"),
    "against ours": ({ comparison }) => comparison,
  }),
  ...tableOf<Ratio>("Ratios", ratios, {
    ratio: ({ name }) => name,
    "ours µs": ({ ours }) => micros(ours),
    "theirs µs": ({ peer }) => micros(peer),
    "ours / theirs": ({ ratio }) => ratio.toFixed(3),
  }),
];
