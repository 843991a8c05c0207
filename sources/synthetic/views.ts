import type { Vec3 } from "./geometry.ts";

/** Places to look from: where the camera is, and what it looks at. */
export const VIEWS = {
  /** From the door, all of it. */
  room: { eye: [0, -1.35, 0], target: [0, -0.8, 3.2] },
  /** The table with what is on it, as one sits before it. */
  desk: { eye: [-0.45, -1.15, 2.15], target: [-0.7, -0.68, 3.2] },
  /** The ring on its pedestal, at arm's length. */
  close: { eye: [0.55, -1.1, 1.05], target: [0.74, -0.93, 1.62] },
  /** Wall and sideboard, across the room. */
  wall: { eye: [-0.3, -1.6, 0.6], target: [-0.55, -1.35, 5] },
  /** From under the ceiling, straight down but for a little. */
  overhead: { eye: [0, -2.55, 2.6], target: [0, 0, 2.9] },
} as const satisfies Record<string, { readonly eye: Vec3; readonly target: Vec3 }>;

export type ViewName = keyof typeof VIEWS;
