import type { Row } from "./measure.ts";
import { LENGTHS_PX, type ReliefRow } from "./relief.ts";
import type { DataSet } from "./sets.ts";

/** The goals of the default chain. Each goal applies to some sets, without or with the temporal filter. */
interface Goal {
  readonly what: string;
  readonly spatial: number;
  readonly temporal: number;
  /** In millimetres, or as a share. */
  readonly unit: "mm" | "%" | "×";
  applies(set: Pick<DataSet, "sensor">, row: Row): boolean;
  value(row: Row): number | null;
}

/** A goal on a set, reached or missed. */
export interface Verdict {
  readonly set: string;
  readonly what: string;
  readonly chain: string;
  readonly goal: string;
  readonly value: number | null;
  readonly unit: Goal["unit"];
  readonly reached: boolean;
}

/** Recordings with a truth whose sensor has flying pixels of its own, and those whose sensor has none. */
const flies = ({ figures }: Row) => (figures.truth?.flyingRaw ?? 0) > 0.01;
const known = (set: Pick<DataSet, "sensor">, { figures }: Row) => set.sensor === undefined && figures.truth !== null;
const filmed = (set: Pick<DataSet, "sensor">, { figures }: Row) => set.sensor === undefined && figures.still !== null;

const handheld = ({ sensor }: Pick<DataSet, "sensor">, { figures }: Row) =>
  sensor === "kinect-v1" && figures.motion !== null;

const GOALS: readonly Goal[] = [
  {
    what: "flat RMSE, of raw",
    ...{ spatial: 0.35, temporal: 0.36, unit: "×" },
    applies: (set, row) => known(set, row) && !flies(row),
    value: ({ figures }) => figures.truth?.flat.rmseRatio ?? null,
  },
  {
    what: "flat RMSE with flying pixels, of raw",
    ...{ spatial: 0.27, temporal: 0.27, unit: "×" },
    applies: (set, row) => known(set, row) && flies(row),
    value: ({ figures }) => figures.truth?.flat.rmseRatio ?? null,
  },
  {
    what: "edge RMSE, of raw",
    ...{ spatial: 0.28, temporal: 0.28, unit: "×" },
    applies: (set, row) => known(set, row) && !flies(row),
    value: ({ figures }) => figures.truth?.edge.rmseRatio ?? null,
  },
  {
    what: "flying pixels left",
    ...{ spatial: 0.003, temporal: 0.003, unit: "%" },
    applies: (set, row) => known(set, row) && flies(row),
    value: ({ figures }) => figures.truth?.flying ?? null,
  },
  {
    what: "pixels lost where some fly",
    ...{ spatial: 0.025, temporal: 0.025, unit: "%" },
    applies: (set, row) => known(set, row) && flies(row),
    value: ({ figures }) => figures.lost,
  },
  {
    what: "flying pixels added",
    ...{ spatial: 0.0002, temporal: 0.0002, unit: "%" },
    applies: (set, row) => known(set, row) && !flies(row),
    value: ({ figures: { truth } }) => (truth ? (truth.flying ?? 0) - (truth.flyingRaw ?? 0) : null),
  },
  {
    what: "bias",
    ...{ spatial: 0.2, temporal: 0.4, unit: "mm" },
    applies: known,
    value: ({ figures }) => Math.abs(figures.truth?.all.bias ?? 0),
  },
  {
    what: "jitter, of raw",
    ...{ spatial: 0.26, temporal: 0.08, unit: "×" },
    applies: filmed,
    value: ({ figures }) => figures.still?.jitterRatio ?? null,
  },
  {
    what: "jitter of a Kinect v1 at 30 Hz, of raw",
    ...{ spatial: 0.48, temporal: 0.12, unit: "×" },
    applies: ({ sensor }, { figures }) => sensor === "kinect-v1" && figures.still !== null,
    value: ({ figures }) => figures.still?.jitterRatio ?? null,
  },
  {
    what: "what just changed, off raw, 95 %",
    ...{ spatial: 15, temporal: 15, unit: "mm" },
    applies: filmed,
    value: ({ figures }) => figures.still?.changedP95 ?? null,
  },
  {
    what: "flat RMSE in the hand, of raw",
    ...{ spatial: 0.72, temporal: 0.55, unit: "×" },
    applies: handheld,
    value: ({ figures }) => figures.truth?.flat.rmseRatio ?? null,
  },
  {
    what: "the camera's way in the hand, off by (ATE)",
    ...{ spatial: 0, temporal: 1.5, unit: "mm" },
    applies: (set, row) => handheld(set, row) && row.kind === "temporal",
    value: ({ figures }) => figures.motion?.camera?.ateMm ?? null,
  },
  {
    what: "invented",
    ...{ spatial: 0, temporal: 0, unit: "%" },
    applies: () => true,
    value: ({ figures }) => figures.invented,
  },
  {
    what: "stale",
    ...{ spatial: 0, temporal: 0, unit: "%" },
    applies: (_, { figures }) => figures.still?.stale != null,
    value: ({ figures }) => figures.still?.stale ?? null,
  },
  {
    what: "ghosts",
    ...{ spatial: 0, temporal: 0.001, unit: "%" },
    applies: (_, { figures }) => figures.still?.ghost != null,
    value: ({ figures }) => figures.still?.ghost ?? null,
  },
];

/** How far the default chain reaches its goals on a set. */
export function verdictsOf(set: Pick<DataSet, "name" | "sensor">, rows: readonly Row[]): Verdict[] {
  const own = rows.filter(
    (row): row is Row & { kind: "spatial" | "temporal" } => row.kind === "spatial" || row.kind === "temporal",
  );
  return own.flatMap((row) => [
    ...GOALS.filter((goal) => goal.applies(set, row)).map((goal): Verdict => {
      const [value, limit] = [goal.value(row), goal[row.kind]];
      const { what, unit } = goal;
      return {
        ...{ set: set.name, what, unit, chain: row.chain, value },
        goal: `≤ ${valueText(limit, unit)}`,
        reached: value === null || value <= limit + 1e-9,
      };
    }),
    ...planeVerdict(set, row),
  ]);
}

/** A filtered floor must be flatter than raw, but not flatter than the real one. */
function planeVerdict(set: Pick<DataSet, "name" | "sensor">, { figures, chain }: Row): Verdict[] {
  const { plane } = figures;
  if (set.sensor !== undefined || !plane?.reference) return [];
  const [least, most] = [plane.reference, plane.reference * 1.28];
  return [
    {
      ...{ set: set.name, what: "distance to the largest plane", unit: "mm", chain, value: plane.out },
      goal: `${least.toFixed(1)} to ${most.toFixed(1)} mm`,
      reached: plane.out >= least - 0.05 && plane.out <= most,
    },
  ];
}

/** For waves of 5 σ, 16 px and longer: the smallest share kept of any of them. */
export function reliefVerdicts(rows: readonly ReliefRow[]): Verdict[] {
  return rows.flatMap(({ wall, chain, kind, heightSigma, kept }): Verdict[] => {
    if (heightSigma !== 5 || (kind !== "spatial" && kind !== "temporal")) return [];
    const limit = kind === "spatial" ? 0.85 : 0.8;
    const value = Math.min(...kept.filter((_, k) => (LENGTHS_PX[k] ?? 0) >= 16));
    const common = { set: wall, what: "waves of 5 σ from 16 px kept", unit: "%", chain, value } as const;
    return [{ ...common, goal: `≥ ${valueText(limit, "%")}`, reached: value >= limit }];
  });
}

export function valueText(value: number | null, unit: Goal["unit"]): string {
  if (value === null) return "";
  if (unit === "%") return `${Number((100 * value).toPrecision(3))} %`;
  return unit === "mm" ? `${Number(value.toPrecision(3))} mm` : value.toFixed(3);
}
