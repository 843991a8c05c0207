import { machineLine, pageOf, type Section, tableOf, textOfSection } from "../report/page.ts";
import type { Machine } from "../types.ts";
import type { CurvedRow } from "./curved.ts";
import { THINGS } from "./curvedScene.ts";
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
}

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
  ["lost %", ({ lost }) => share(lost)],
  ["invented %", ({ invented }) => share(invented)],
  ["jitter ×", ({ still }) => times(still?.jitterRatio)],
  ["jitter rms ×", ({ still }) => times(still?.jitterRmsRatio)],
  ["changing ×", ({ still }) => times(of(still?.changed, still?.changedRaw))],
  ["grain ×", ({ still }) => times(of(still?.grain, still?.grainRaw))],
  ["changed p95 mm", ({ still }) => mm(still?.changedP95)],
  ["ghost %", ({ still }) => share(still?.ghost)],
  ["stale %", ({ still }) => share(still?.stale)],
  ["change mm", ({ motion }) => mm(motion?.changeMm)],
  ["ATE mm", ({ motion }) => mm(motion?.camera?.ateMm)],
  ["RPE mm", ({ motion }) => mm(motion?.camera?.rpeMm)],
  ["not ok", ({ motion }) => (motion?.lost ? `${motion.lost}` : "")],
];

/** The tables: each set's figures without the columns that are empty for the set, and the figures of the filters alone. */
function tablesOf({ sets, curved, relief }: FidelityReport): Section[] {
  const filter = ({ chain }: { readonly chain: string }) => chain;
  return [
    ...sets.flatMap(({ name, width, height, frames, rows }) => {
      const shown = COLUMNS.filter(([, cell]) => rows.some(({ figures }) => cell(figures) !== ""));
      const cells = shown.map(([head, cell]) => [head, ({ figures }: Row) => cell(figures)] as const);
      return tableOf<Row>(`${name}: ${frames} frames of ${width}x${height}`, rows, {
        filter,
        ...Object.fromEntries(cells),
      });
    }),
    ...tableOf<CurvedRow>("Curved things", curved, {
      camera: ({ camera }) => camera,
      filter,
      ...Object.fromEntries(
        THINGS.flatMap((thing) => [
          [`${thing} mm`, ({ things }: CurvedRow) => mm(things[thing].rms)],
          [`${thing} bend °`, ({ things }: CurvedRow) => things[thing].bend.toFixed(1)],
        ]),
      ),
    }),
    ...tableOf<ReliefRow>("Share of waves that is kept", relief, {
      wall: ({ wall }) => wall,
      filter,
      height: ({ heightSigma }) => `${heightSigma} σ`,
      ...Object.fromEntries(
        LENGTHS_PX.map((length, k) => [`${length} px`, ({ kept }: ReliefRow) => kept[k].toFixed(2)]),
      ),
    }),
  ];
}

/** The report as aligned text. */
export function textOf(report: FidelityReport): string {
  const chains = report.chains.map(({ name, what }) => `${name}: ${what}`);
  return [machineLine(report.machine), chains.join("\n"), ...tablesOf(report).map(textOfSection)].join("\n\n");
}

/** The report as a self-contained page. */
export function pageOfFidelity(report: FidelityReport): string {
  const chains = report.chains.map(({ name, what }) => `${name}: ${what}`);
  return pageOf("How true filtered depth is", [machineLine(report.machine), ...chains], tablesOf(report));
}
