import { ceilings } from "../ceilings/study.ts";
import { type ListedStudy, listed } from "../study.ts";
import { stages } from "./stages.ts";

/** The studies of a report, in its order. A study that is added here is measured, shown and compared. */
export const STUDIES: readonly ListedStudy[] = [listed(stages), listed(ceilings)];

/** The study of this name. */
export function studyNamed(name: string): ListedStudy {
  const study = STUDIES.find((one) => one.name === name);
  if (!study) throw new Error(`there is no study "${name}"; there are ${STUDIES.map((one) => one.name).join(", ")}`);
  return study;
}
