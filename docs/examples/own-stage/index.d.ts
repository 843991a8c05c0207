import type { StageFactory } from "depthloom/stage";

/** Keeps the middle of the image. */
export const crop: StageFactory<{ shape: "rectangle" | "circle"; marginPx: number }>;
/** The stages that `depthloom replay --use depthloom-crop` takes. */
export const stages: readonly StageFactory[];
