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

const clear: Goal["applies"] = (set, row) => known(set, row) && !flies(row);
const flying: Goal["applies"] = (set, row) => known(set, row) && flies(row);
const kinect: Goal["applies"] = ({ sensor }, { figures }) => sensor === "kinect-v1" && figures.still !== null;

const goal = (
  what: string,
  [spatial, temporal]: readonly [number, number],
  unit: Goal["unit"],
  applies: Goal["applies"],
  value: (figures: Row["figures"]) => number | null | undefined,
): Goal => ({ what, spatial, temporal, unit, applies, value: ({ figures }) => value(figures) ?? null });

const GOALS: readonly Goal[] = [
  goal("flat RMSE, of raw", [0.35, 0.36], "×", clear, ({ truth }) => truth?.flat.rmseRatio),
  goal("flat RMSE with flying pixels, of raw", [0.27, 0.27], "×", flying, ({ truth }) => truth?.flat.rmseRatio),
  goal("edge RMSE, of raw", [0.28, 0.28], "×", clear, ({ truth }) => truth?.edge.rmseRatio),
  goal("flying pixels left", [0.003, 0.003], "%", flying, ({ truth }) => truth?.flying),
  goal("pixels lost where some fly", [0.025, 0.025], "%", flying, ({ lost }) => lost),
  goal(
    "flying pixels added",
    [0.0002, 0.0002],
    "%",
    clear,
    ({ truth }) => truth && (truth.flying ?? 0) - (truth.flyingRaw ?? 0),
  ),
  goal("bias", [0.2, 0.4], "mm", known, ({ truth }) => Math.abs(truth?.all.bias ?? 0)),
  goal("jitter, of raw", [0.26, 0.08], "×", filmed, ({ still }) => still?.jitterRatio),
  goal("jitter of a Kinect v1 at 30 Hz, of raw", [0.48, 0.12], "×", kinect, ({ still }) => still?.jitterRatio),
  goal("what just changed, off raw, 95 %", [15, 15], "mm", filmed, ({ still }) => still?.changedP95),
  goal("flat RMSE in the hand, of raw", [0.72, 0.55], "×", handheld, ({ truth }) => truth?.flat.rmseRatio),
  goal(
    "the camera's way in the hand, off by (ATE)",
    [0, 1.5],
    "mm",
    (set, row) => handheld(set, row) && row.kind === "temporal",
    ({ motion }) => motion?.camera?.ateMm,
  ),
  goal(
    "invented",
    [0, 0],
    "%",
    () => true,
    ({ invented }) => invented,
  ),
  goal(
    "stale",
    [0, 0],
    "%",
    (_, { figures }) => figures.still?.stale != null,
    ({ still }) => still?.stale,
  ),
  goal(
    "ghosts",
    [0, 0.001],
    "%",
    (_, { figures }) => figures.still?.ghost != null,
    ({ still }) => still?.ghost,
  ),
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
