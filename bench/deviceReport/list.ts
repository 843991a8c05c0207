import { atomics } from "./atomics.ts";
import { binning } from "./binning.ts";
import { ceilings } from "./ceilings.ts";
import { compaction } from "./compaction.ts";
import { reads } from "./reads.ts";
import { stages } from "./stages.ts";
import { type ListedStudy, listed } from "./study.ts";

/** What a report measures, in its order. A study that is added here is measured, shown and compared. */
export const STUDIES: readonly ListedStudy[] = [
  listed(stages),
  listed(ceilings),
  listed(compaction),
  listed(atomics),
  listed(binning),
  listed(reads),
];
