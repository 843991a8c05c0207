import { machineLine } from "../report/words.ts";
import type { Machine } from "../types.ts";
import type { CurvePoint } from "./curve.ts";
import { WAVE } from "./curve.ts";
import type { CurvedRow } from "./curved.ts";
import { THINGS } from "./curvedScene.ts";
import { type Verdict, valueText } from "./goals.ts";
import type { Row } from "./measure.ts";
import { LENGTHS_PX, type ReliefRow } from "./relief.ts";

/** The document of `bench fidelity --json`. */
export interface FidelityReport {
  readonly machine: Machine;
  readonly chains: readonly { readonly name: string; readonly what: string; readonly kind: string }[];
  readonly sets: readonly {
    readonly name: string;
    readonly width: number;
    readonly height: number;
    readonly frames: number;
    readonly rows: readonly Row[];
  }[];
  readonly curved: readonly CurvedRow[];
  readonly relief: readonly ReliefRow[];
  readonly curves: readonly { readonly wall: string; readonly points: readonly CurvePoint[] }[];
  readonly goals: readonly Verdict[];
}

export type Cells = readonly (readonly string[])[];

const times = (x: number | null | undefined) => (x == null ? "" : x.toFixed(3));
const share = (x: number | null | undefined) => (x == null ? "" : Number((100 * x).toPrecision(3)).toString());
const mm = (x: number | null | undefined) => (x == null ? "" : x.toFixed(Math.abs(x) < 10 ? 2 : 1));
const of = (a: number | null | undefined, b: number | null | undefined) => (a == null || !b ? null : a / b);

/** A column's head, and the figure of a filter that it shows. */
const COLUMNS: readonly (readonly [head: string, cell: (row: Row["figures"]) => string])[] = [
  ["flat ×", ({ truth }) => times(truth?.flat.rmseRatio)],
  ["edge ×", ({ truth }) => times(truth?.edge.rmseRatio)],
  ["bias mm", ({ truth }) => mm(truth?.all.bias)],
  ["flying %", ({ truth }) => share(truth?.flying)],
  ["edge px", ({ truth }) => mm(truth?.edgeWidth.out)],
  ["between %", ({ between }) => share(between.out)],
  ["lost %", ({ lost }) => share(lost)],
  ["invented %", ({ invented }) => share(invented)],
  ["jitter ×", ({ still }) => times(still?.jitterRatio)],
  ["jitter rms ×", ({ still }) => times(still?.jitterRmsRatio)],
  ["changing ×", ({ still }) => times(of(still?.changed, still?.changedRaw))],
  ["grain ×", ({ still }) => times(of(still?.grain, still?.grainRaw))],
  ["changed p95 mm", ({ still }) => mm(still?.changedP95)],
  ["ghost %", ({ still }) => share(still?.ghost)],
  ["stale %", ({ still }) => share(still?.stale)],
  ["plane mm", ({ plane }) => mm(plane?.out)],
  ["change mm", ({ motion }) => mm(motion?.changeMm)],
  ["ATE mm", ({ motion }) => mm(motion?.camera?.ateMm)],
  ["RPE mm", ({ motion }) => mm(motion?.camera?.rpeMm)],
  ["not ok", ({ motion }) => (motion?.lost ? `${motion.lost}` : "")],
];

/** A set's figures, without columns that are empty for it. */
export function setCells(rows: readonly Row[]): Cells {
  const columns = COLUMNS.filter(([, cell]) => rows.some(({ figures }) => cell(figures) !== ""));
  return [
    ["", ...columns.map(([head]) => head)],
    ...rows.map(({ chain, figures }) => [chain, ...columns.map(([, cell]) => cell(figures))]),
  ];
}

export function curvedCells(rows: readonly CurvedRow[]): Cells {
  const head = ["camera", "filter", ...THINGS.flatMap((thing) => [`${thing} mm`, "bend °"])];
  return [
    head,
    ...rows.map(({ camera, chain, things }) => [
      camera,
      chain,
      ...THINGS.flatMap((thing) => [mm(things[thing].rms), things[thing].bend.toFixed(1)]),
    ]),
  ];
}

export function reliefCells(rows: readonly ReliefRow[]): Cells {
  const head = ["wall", "filter", "height", ...LENGTHS_PX.map((length) => `${length} px`)];
  return [
    head,
    ...rows.map(({ wall, chain, heightSigma, kept }) => [
      wall,
      chain,
      `${heightSigma} σ`,
      ...kept.map((k) => k.toFixed(2)),
    ]),
  ];
}

export function curveCells(points: readonly CurvePoint[]): Cells {
  const head = ["filter", "setting", "jitter ×", `${WAVE.heightSigma} σ, ${WAVE.lengthPx} px kept`];
  return [
    head,
    ...points.map(({ family, setting, jitter, kept }) => [family, setting, times(jitter), kept.toFixed(2)]),
  ];
}

export function goalCells(goals: readonly Verdict[]): Cells {
  const rows = goals.map(({ set, what, chain, goal, value, unit, reached }) => [
    ...[set, what, chain, goal, valueText(value, unit)],
    reached ? "reached" : "MISSED",
  ]);
  return [["on", "what", "filter", "goal", "is", ""], ...rows];
}

/** The report as aligned text. */
export function tableOf({ machine, chains, sets, curved, relief, curves, goals }: FidelityReport): string {
  const parts = [machineLine(machine), chains.map(({ name, what }) => `${name}: ${what}`).join("\n")];
  for (const { name, width, height, frames, rows } of sets) {
    parts.push(`${name}: ${frames} frames of ${width}x${height}\n${aligned(setCells(rows))}`);
  }
  if (curved.length > 0) parts.push(`curved things\n${aligned(curvedCells(curved))}`);
  if (relief.length > 0) parts.push(`share of waves that is kept\n${aligned(reliefCells(relief))}`);
  for (const { wall, points } of curves) parts.push(`jitter against detail: ${wall}\n${aligned(curveCells(points))}`);
  if (goals.length > 0) parts.push(`goals\n${aligned(goalCells(goals))}`);
  return parts.join("\n\n");
}

/** Rows of a table as text, each column as wide as its widest cell. */
export function aligned(rows: Cells): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
