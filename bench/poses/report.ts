import { machineLine, tableOf, textOfSection } from "../report/page.ts";
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
export function textOf({ machine, shiftS, recordings }: PosesReport): string {
  const late = shiftS === 0 ? "" : `; the recordings' poses taken ${shiftS} s later than their frames`;
  const table = tableOf<PoseRow>("Poses", recordings, {
    recording: ({ recording }) => recording,
    frames: ({ frames }) => `${frames}`,
    still: ({ still }) => `${still}`,
    moved: ({ moved }) => `${moved}`,
    "not ok": ({ lost }) => `${lost}`,
    "way m": ({ error }) => figure(error?.lengthM, 2),
    "ATE mm": ({ error }) => figure(error?.ateMm, 2),
    "farthest mm": ({ error }) => figure(error?.farthestMm, 2),
    "RPE mm": ({ error }) => figure(error?.rpeMm, 2),
    "RPE °": ({ error }) => figure(error?.rpeDeg, 3),
  });
  return [`${machineLine(machine)}${late}`, ...table.map(textOfSection)].join("\n\n");
}
