import { compaction } from "../compaction/study.ts";
import { type ListedStudy, listed } from "../study.ts";
import { stages } from "./stages.ts";

/** What a report measures, in its order. A study that is added here is measured, shown and compared. */
export const STUDIES: readonly ListedStudy[] = [listed(stages), listed(compaction)];
