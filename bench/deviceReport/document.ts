import type { Figures } from "../study.ts";
import type { Adapter } from "../types.ts";

/** Where a report was measured. */
export interface Environment {
  /** The program that measured, with its version: "Node 20.20.0", "Chrome 142 (Linux x86_64)". */
  readonly program: string;
  readonly system: string;
  /** Null where a browser does not tell. */
  readonly cpu: string | null;
  readonly cores: number;
  readonly memoryGb: number | null;
}

/** What a study found. */
export interface StudyReport {
  readonly name: string;
  readonly title: string;
  readonly question: string;
  /** The name of the study's parts: "lengths". */
  readonly unit: string;
  /** How many parts were measured, and how many there are. */
  readonly measured: number;
  readonly planned: number;
  /** Why nothing was measured; null if something was. */
  readonly leftOut: string | null;
  /** Whether every output that was checked was right; null if nothing was measured. */
  readonly right: boolean | null;
  readonly tookS: number;
  readonly figures: Figures;
  readonly notes: readonly string[];
  /** The measurements themselves; null if there are none. */
  readonly measurements: object | null;
}

/** The document of `--json`. */
export interface DeviceReport {
  /** The version of Depthloom. */
  readonly version: string;
  /** When the measurement began, in ISO 8601. */
  readonly date: string;
  readonly place: Environment;
  readonly adapter: Adapter;
  readonly budgetS: number;
  readonly tookS: number;
  /** Why the measurement ended early; null if it did not. */
  readonly endedEarly: string | null;
  readonly studies: readonly [StudyReport];
}

/** With less time than this many seconds everything is measured with few trials. */
const FEW_TRIALS_BELOW_S = 120;
export const hasFewTrials = (budgetS: number): boolean => budgetS < FEW_TRIALS_BELOW_S;

/** How much of a study was measured, in words. */
export function sampledWords(
  { measured, planned, unit, leftOut, tookS }: StudyReport,
  { budgetS }: DeviceReport,
): string {
  if (leftOut !== null) return `Left out: ${leftOut}`;
  if (measured === planned) return `All ${planned} ${unit}, in ${tookS} s.`;
  return `${measured} of ${planned} ${unit}, in ${tookS} s; a larger budget than ${budgetS} s measures more.`;
}

/** A report as text: a line for each figure. */
export function textOf(report: DeviceReport): string {
  const [study] = report.studies;
  return [
    `${study.title}: ${sampledWords(study, report)}`,
    ...Object.entries(study.figures).map(([name, value]) => `  ${name}: ${value}`),
    ...(study.right === false ? ["  WRONG: an output was not what it should be; see the notes"] : []),
    ...(report.endedEarly === null ? [] : [`Incomplete: ${report.endedEarly}`]),
  ].join("\n");
}
