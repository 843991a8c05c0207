import { atomics } from "../atomics/study.ts";
import { binning } from "../binning/study.ts";
import { ceilings } from "../ceilings/study.ts";
import { compaction } from "../compaction/study.ts";
import { reads } from "../reads/study.ts";
import { type ListedStudy, listed } from "../study.ts";
import { stages } from "./stages.ts";

/** The studies of a report, in its order. A study that is added here is measured, shown and compared. */
export const STUDIES: readonly ListedStudy[] = [
  listed(stages),
  listed(ceilings),
  listed(compaction),
  listed(atomics),
  listed(binning),
  listed(reads),
];

/** The study of this name. */
export function studyNamed(name: string): ListedStudy {
  const study = STUDIES.find((one) => one.name === name);
  if (!study) throw new Error(`there is no study "${name}"; there are ${STUDIES.map((one) => one.name).join(", ")}`);
  return study;
}
