import { atomics } from "./atomics.ts";
import { binning } from "./binning.ts";
import { compaction } from "./compaction.ts";
import { limits } from "./limits.ts";
import { stages } from "./stages.ts";
import { type ListedStudy, listed } from "./study.ts";

/** What a report measures, in its order. A study that is added here is measured, shown and compared. */
export const STUDIES: readonly ListedStudy[] = [
  listed(stages),
  listed(limits),
  listed(compaction),
  listed(atomics),
  listed(binning),
];
