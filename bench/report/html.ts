import { type Filling, html } from "../../viewer/report/html.ts";
import type { Mode, PeerResult, Report, Result, Size } from "../types.ts";
import { type Cell, foldedTable, linesOf, number, pageOf, section } from "./page.ts";
import { type Bar, barPlot, logLogPlot, ratioPlot, type Series } from "./plots.ts";
import {
  adapterLine,
  bandwidth,
  caseName,
  duration,
  gigabytesPerSecond,
  how,
  machineLine,
  micros,
  ofLimit,
} from "./words.ts";

/** Writes the report as a self-contained page without scripts, fonts or network access. */
export function htmlOf(report: Report): string {
  return pageOf("Depthloom bench", [machineLine(report.machine), adapterLine(report.adapter)], benchSections(report));
}

/** The sections of the page, for reports that have others as well. */
export function benchSections(report: Pick<Report, "results" | "peers" | "ratios" | "notes">): Filling[] {
  const { results, notes } = report;
  const colors = colorsOf(results);
  const mode: Mode = results.some((result) => result.mode === "robust") ? "robust" : "unchecked";
  const kernels = results.filter((result) => result.method === "pass" && result.mode === mode);
  const twins = results.filter((result) => result.method === "twin");
  return [
    tiles(kernels.length > 0 ? kernels : twins),
    overSize("Time of a frame over its size", kernels, colors, "time"),
    overSize("Bytes that must move, over the time", kernels, colors, "bandwidth"),
    stageBars(report, colors),
    timingCost(report, colors),
    overSize("CPU twins: time of a frame over its size", twins, colors, "time"),
    ratios(report, mode),
    foldedTable("Measurements", resultRows(results)),
    report.peers.length > 0 ? foldedTable("Peers", peerRows(report.peers)) : "",
    report.ratios.length > 0 ? foldedTable("Ratios", ratioRows(report.ratios)) : "",
    notes.length > 0 ? section("Notes", "", html`<p>${linesOf(notes)}</p>`) : "",
  ];
}

const perSecond = (gb: number) =>
  gb >= 1000 ? `${gb / 1000} TB/s` : gb >= 1 ? `${gb} GB/s` : `${Number((gb * 1000).toPrecision(3))} MB/s`;

type Colors = ReadonlyMap<string, string>;

/** The colour of each case, the same in every plot; grey for the device's own limits. */
function colorsOf(results: readonly Result[]): Colors {
  const colors = new Map<string, string>();
  let next = 0;
  for (const result of results) {
    const name = caseName(result);
    if (colors.has(name)) continue;
    const reference = result.stage === "copy" || result.stage === "empty";
    colors.set(name, reference ? "var(--reference)" : `var(--c${next++ % 8})`);
  }
  return colors;
}

/** The measured size that is nearest to a Kinect's. */
function usual(results: readonly Result[]): number {
  const sizes = results.map(({ elements }) => elements);
  return sizes.sort((a, b) => Math.abs(Math.log(a / 307200)) - Math.abs(Math.log(b / 307200)))[0] ?? 0;
}

/** One row per case, for its first kind of data. */
function firstOfEach(results: readonly Result[]): Result[] {
  const seen = new Map<string, Result>();
  for (const result of results) {
    const key = `${caseName(result)} ${result.elements} ${how(result)}`;
    if (!seen.has(key)) seen.set(key, result);
  }
  return [...seen.values()];
}

function tiles(results: readonly Result[]): Filling {
  const size = usual(results);
  const shown = firstOfEach(results).filter(({ elements, stage }) => elements === size && stage !== "empty");
  const tile = (result: Result) =>
    html`<div class="tile"><b>${duration(result.medianUs)}</b><span>${broken(caseName(result))}<br>${result.width} × ${result.height}</span></div>`;
  return html`<div class="tiles">${shown.map(tile)}</div>`;
}

/** A chain's name, which may be broken behind each "+". */
const broken = (name: string) => name.split("+").map((part, i) => (i === 0 ? part : html`+<wbr>${part}`));

function overSize(title: string, results: readonly Result[], colors: Colors, what: "time" | "bandwidth"): Filling {
  const rows = firstOfEach(results).sort((a, b) => a.elements - b.elements);
  const series = [...colors].flatMap(([name, color]): Series[] => {
    const own = rows.filter((result) => caseName(result) === name && (what === "time" || result.bytes > 0));
    const points = own.map((result) => {
      const y = what === "time" ? result.medianUs : gigabytesPerSecond(result);
      const words = `${duration(result.medianUs)}${result.bytes > 0 ? `, ${bandwidth(result)} GB/s` : ""}`;
      return { x: result.elements, y, title: `${name}, ${result.width} × ${result.height}: ${words}` };
    });
    return points.length > 0 ? [{ name, color, dashed: color === "var(--reference)", points }] : [];
  });
  const ticks = new Map(
    rows.map(({ elements, width, height }) => [elements, { at: elements, label: `${width}×${height}` }]),
  );
  const label = what === "time" ? duration : perSecond;
  const words =
    what === "time"
      ? "Medians, both axes logarithmic. Dashed: the device's own limits, a copy of the frame and a dispatch that does nothing."
      : "Every input read once and every output written once, over the median; the copy is what memory gives a shader.";
  return section(title, words, logLogPlot(series, { ticks: [...ticks.values()] }, { label }));
}

function stageBars({ results }: Pick<Report, "results">, colors: Colors): Filling {
  const size = usual(results);
  const shown = firstOfEach(results.filter(({ elements, method }) => elements === size && method === "pass"));
  const bar = (result: Result): Bar => ({
    label: `${caseName(result)}${result.mode === "unchecked" ? ", unchecked" : ""}`,
    color: colors.get(caseName(result)) ?? "var(--reference)",
    value: result.medianUs,
    low: result.p10Us,
    high: result.p90Us,
    text: duration(result.medianUs),
    faint: result.mode === "unchecked",
  });
  const [at] = shown;
  if (!at) return "";
  // The renderer takes so much longer than the filters that it gets a scale of its own.
  const draws = ({ stage }: Result) => stage.includes("dofSplat");
  const groups = [shown.filter((result) => !draws(result)), shown.filter(draws)].filter((group) => group.length > 0);
  const words =
    "Median; the whisker runs from the 10th to the 90th percentile of the trials. Each group has its own scale.";
  const plots = groups.map((group, i) => html`${i === 0 ? "" : html`<hr>`}${barPlot(group.map(bar))}`);
  return section(`Stage by stage at ${at.width} × ${at.height}`, words, plots);
}

function timingCost({ results }: Pick<Report, "results">, colors: Colors): Filling {
  const chains = results.filter(({ stage, method }) => stage.includes("+") && method !== "twin");
  const size = usual(chains);
  const shown = firstOfEach(chains.filter(({ elements, mode }) => elements === size && mode === chains[0]?.mode));
  const bars = shown.map((result) => ({
    label: how({ ...result, mode: null }),
    color: colors.get(caseName(result)) ?? "var(--reference)",
    value: result.medianUs,
    low: result.p10Us,
    high: result.p90Us,
    text: duration(result.medianUs),
  }));
  const groups = [...new Set(shown.map(caseName))].map((name) => {
    const own = bars.filter((_, i) => shown[i] && caseName(shown[i]) === name);
    return html`<p><b>${name}</b></p>${barPlot(own)}`;
  });
  const words =
    "The same stages in one pass, in a pass each, in a pass each with a stamp at its end, and a frame alone.";
  return section("What passes, stamps and submits cost", words, groups);
}

/** The peers in a plot for each size, the usual one first. Copies are limits, not competitors, and appear only in the table. */
function ratios({ ratios: all, results }: Pick<Report, "ratios" | "results">, mode: Mode): Filling {
  const copies = /^(our copy|device memcpy)/;
  const shown = all.filter((ratio) => !copies.test(ratio.against) && (ratio.mode ?? mode) === mode);
  const first = usual(results);
  const rank = ({ width, height }: Size) => (width * height === first ? 0 : width * height);
  const sizes = new Map(shown.sort((a, b) => rank(a) - rank(b)).map((one) => [`${one.width} × ${one.height}`, one]));
  const reach = Math.max(2, ...shown.map(({ ratio }) => Math.max(ratio, 1 / ratio)));
  const plots = [...sizes].map(([label, { width, height }]) => {
    const rows = shown.filter((one) => one.width === width && one.height === height);
    const marks = rows.map(({ name, against, data, ours, peer, ratio, ...one }) => ({
      label: `${caseName(one)} : ${against}${data === "structured" ? "" : `, ${data}`}`,
      ratio,
      title: `${name}: ${duration(ours)} against ${duration(peer)}`,
    }));
    return html`<p><b>${label}</b></p>${ratioPlot(marks, reach)}`;
  });
  const words = "Our time over theirs, same frames, same run. Left of 1× we are faster.";
  return section("Against others", words, plots);
}

function ratioRows(all: Report["ratios"]): Cell[][] {
  const rows = all.map(({ name, ours, peer, ratio }) => [
    { text: name },
    ...[micros(ours), micros(peer), ratio.toFixed(3)].map(number),
  ]);
  return [[{ text: "ratio" }, ...["ours µs", "theirs µs", "ours / theirs"].map(number)], ...rows];
}

function resultRows(results: readonly Result[]): Cell[][] {
  const head = [{ text: "stage" }, { text: "size" }, { text: "data" }, { text: "how" }];
  const numbers = ["median µs", "p10", "p90", "GB/s", "of the limit", "frames a stamp", "images"].map(number);
  const rows = results.map((result) => [
    { text: result.stage.includes("+") ? `${result.stage} (${result.variant})` : caseName(result) },
    { text: `${result.width}×${result.height}` },
    { text: result.data },
    { text: how(result) },
    ...[micros(result.medianUs), micros(result.p10Us), micros(result.p90Us), bandwidth(result)].map(number),
    number(ofLimit(result)),
    number(String(result.repeats)),
    number(String(result.images)),
    result.checked ? { text: "checked" } : { text: "wrong", kind: "wrong" as const },
  ]);
  return [[...head, ...numbers, { text: "output" }], ...rows];
}

function peerRows(peers: readonly PeerResult[]): Cell[][] {
  const head = [{ text: "peer" }, { text: "size" }, { text: "data" }];
  const numbers = ["median µs", "p10", "p90", "GB/s"].map(number);
  const rows = peers.map((peer) => [
    { text: peer.name },
    { text: `${peer.width}×${peer.height}` },
    { text: peer.data },
    ...[micros(peer.medianUs), micros(peer.p10Us), micros(peer.p90Us), bandwidth(peer)].map(number),
    { text: peer.comparison, ...(peer.agrees === false && { kind: "wrong" as const }) },
  ]);
  return [[...head, ...numbers, { text: "output against ours" }], ...rows];
}
