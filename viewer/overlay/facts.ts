/** The facts below the table, in order: what each one says, for its tooltip. */
export const FACTS = {
  dropped: "Frames that came while an earlier one was still computed, and were left out",
  unreadable: "Frames that could not be read",
  "full tiles": "Tiles of the picture whose lists were full: the picture has holes there",
  fps: "Frames that come out each second",
  reduced: "What the picture has less of, to save time",
  motion: "How the depth camera moved since the frame before; “unknown” where depth does not tell",
  camera: "From capture until the sender sends the frame",
  wire: "From sending to arrival, or from capture where the sender does not say when it sent",
  "capture to picture": "From capture until the picture shows it: camera, wire, and everything here",
} as const;

/** The columns of the table, and what each one says. */
export const columns = (budgetMs: number): readonly (readonly [head: string, says: string])[] => [
  ["stage, in ms", "Times are in milliseconds"],
  [`of ${budgetMs.toFixed(1)} ms`, "p50 (dark) and p95 (pale) as a share of the time that a frame may take"],
  ["p50", "Half of the frames took no longer than this, ms"],
  ["p95", "95 of 100 frames took no longer than this, ms"],
  ["p99", "99 of 100 frames took no longer than this, ms"],
  ["max", "The slowest frame, ms"],
  ["share", "p50 as a share of the time that a frame may take"],
  ["over", "The share of frames that took longer than a frame may take"],
];
