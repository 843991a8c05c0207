import { aligned } from "../fidelity/report.ts";
import { machineLine } from "../report/words.ts";
import type { Machine } from "../types.ts";
import type { TrajectoryError } from "./trajectory.ts";

/** The result of tracking one recording's camera. */
export interface PoseRow {
  readonly recording: string;
  readonly frames: number;
  /** The number of frames that have both a tracked and a true pose. */
  readonly scored: number;
  /** The numbers of frames for which `track` found that the camera stood or moved, or found no pose. */
  readonly still: number;
  readonly moved: number;
  readonly lost: number;
  /** `null` where no pose was found that has a true one beside it. */
  readonly error: TrajectoryError | null;
}

/** The document of `bench poses --json`. */
export interface PosesReport {
  readonly machine: Machine;
  /** The true poses are taken this many seconds after their frames. */
  readonly shiftS: number;
  readonly recordings: readonly PoseRow[];
}

const figure = (x: number | null | undefined, digits: number) => (x == null ? "–" : x.toFixed(digits));

/** The report as aligned text. */
export function tableOf({ machine, shiftS, recordings }: PosesReport): string {
  const head = ["recording", "frames", "still", "moved", "not ok", "way m", "ATE mm", "farthest mm", "RPE mm", "RPE °"];
  const rows = recordings.map(({ recording, frames, still, moved, lost, error }) => [
    ...[recording, `${frames}`, `${still}`, `${moved}`, `${lost}`],
    ...[figure(error?.lengthM, 2), figure(error?.ateMm, 2), figure(error?.farthestMm, 2)],
    ...[figure(error?.rpeMm, 2), figure(error?.rpeDeg, 3)],
  ]);
  const late = shiftS === 0 ? "" : `; the recordings' poses taken ${shiftS} s later than their frames`;
  return `${machineLine(machine)}${late}\n\n${aligned([head, ...rows])}`;
}
