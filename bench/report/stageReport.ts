import { html } from "../../core/html.ts";
import type { PeerResult, Ratio, Report, Result } from "../types.ts";
import {
  adapterLine,
  bandwidth,
  CHECKED,
  caseName,
  duration,
  how,
  linesOf,
  machineLine,
  micros,
  ofLimit,
  type Part,
  pageOf,
  type Section,
  SPREAD,
  section,
  tableOf,
  textOfSection,
} from "./page.ts";
import { barPlot, linesOver } from "./plots.ts";

type Measured = Pick<Report, "results" | "peers" | "ratios">;

/** The report of `bench` as a self-contained page without scripts, fonts or network access. */
export const stagePage = ({ machine, adapter, notes, ...measured }: Report): string =>
  pageOf(
    "Depthloom bench",
    [machineLine(machine), adapterLine(adapter)],
    [...stageParts(measured), notes.length > 0 && section("Notes", "", html`<p>${linesOf(notes)}</p>`)].map(
      (one) => one || "",
    ),
  );

/** The report of `bench` as text. */
export const stageText = ({ machine, adapter, notes, ...measured }: Report): string =>
  [
    `${machineLine(machine)}\n${adapterLine(adapter)}`,
    ...tables(measured).map(textOfSection),
    ...(notes.length > 0 ? [notes.join("\n")] : []),
  ].join("\n\n");

/** Plots and tables of the stages' times. */
export const stageParts = (measured: Measured): Part[] => [...plots(measured.results), ...tables(measured)];

const sizeOf = ({ width, height }: { readonly width: number; readonly height: number }) => `${width}x${height}`;

const tables = ({ results, peers, ratios }: Measured): Section[] => [
  ...tableOf<Result>("Stages", results, {
    stage: ({ stage }) => stage,
    variant: ({ variant }) => variant,
    size: sizeOf,
    data: ({ data }) => data,
    how,
    ...SPREAD,
    "GB/s": bandwidth,
    "of the limit": ofLimit,
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

/** The measured size that is nearest to a Kinect's. */
const usual = (results: readonly Result[]): number =>
  results
    .map(({ elements }) => elements)
    .sort((a, b) => Math.abs(Math.log(a / 307200)) - Math.abs(Math.log(b / 307200)))[0] ?? 0;

/** One row for each case and size, for its first kind of data. */
function firstOfEach(results: readonly Result[]): Result[] {
  const seen = new Map<string, Result>();
  for (const result of results) {
    const key = `${caseName(result)} ${result.elements}`;
    if (!seen.has(key)) seen.set(key, result);
  }
  return [...seen.values()];
}

function plots(results: readonly Result[]): Part[] {
  const mode = results.some((result) => result.mode === "robust") ? "robust" : "unchecked";
  const kernels = firstOfEach(results.filter((result) => result.method === "pass" && result.mode === mode));
  const twins = firstOfEach(results.filter(({ method }) => method === "twin"));
  const size = usual(kernels);
  const here = kernels.filter(({ elements }) => elements === size);
  // The renderer takes so much longer than the filters that it gets a scale of its own.
  const groups = [false, true].map((draws) => here.filter(({ stage }) => stage.includes("dofSplat") === draws));
  const bars = groups.map((group) => {
    const each = group.map((result, i) => ({
      label: caseName(result),
      color: `var(--c${i % 8})`,
      value: result.medianUs,
      low: result.p10Us,
      high: result.p90Us,
      text: duration(result.medianUs),
    }));
    return each.length > 0 ? barPlot(each) : "";
  });
  const over = {
    x: ({ elements }: Result) => elements,
    name: caseName,
    tick: (pixels: number) =>
      sizeOf([...kernels, ...twins].find(({ elements }) => elements === pixels) ?? { width: pixels, height: 1 }),
    dashed: (name: string) => name === "copy" || name === "empty",
  };
  const whisker = "Median; the whisker runs from the 10th to the 90th percentile of the trials.";
  return [
    linesOver("Time of a frame over its size", kernels, over),
    section(`Stage by stage, ${here[0] ? sizeOf(here[0]) : ""}`, whisker, bars),
    linesOver("CPU twins: time of a frame over its size", twins, over),
  ];
}
