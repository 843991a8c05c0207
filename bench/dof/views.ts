import { fence, lamps, room, stage, type World } from "./worlds.ts";

export const WORLDS = { room, fence, lamps, stage } satisfies Record<string, () => World>;

/** A picture that is measured: a world, and the lens that shows it. */
export interface View {
  readonly name: string;
  readonly world: keyof typeof WORLDS;
  readonly focusM: number;
  readonly fNumber: number;
  /** Whether depth has a structured-light sensor's holes: what its projector does not reach, and speckles. */
  readonly holes?: true;
  /** The factor on the number of rays that is needed until the truth shows no grain: small lights have large discs. */
  readonly rays?: number;
}

/**
 * The fixed set of views. At 480 × 360 with a sensor 24 mm high the lens has 26.25 mm; f/0.2 gives the blur, in pixels, that f/0.8 gives in
 * a picture four times as wide.
 */
export const VIEWS: readonly View[] = [
  { name: "room, pendulum in focus", world: "room", focusM: 1.55, fNumber: 0.2 },
  { name: "room, table in focus", world: "room", focusM: 2.4, fNumber: 0.15 },
  { name: "room, wall in focus", world: "room", focusM: 4.1, fNumber: 0.1 },
  { name: "room, stopped down", world: "room", focusM: 2.4, fNumber: 0.6 },
  { name: "room with a sensor's holes", world: "room", focusM: 1.9, fNumber: 0.2, holes: true },
  { name: "fence, picture in focus", world: "fence", focusM: 2.85, fNumber: 0.4 },
  { name: "fence, wide open", world: "fence", focusM: 2.85, fNumber: 0.15 },
  { name: "fence in focus", world: "fence", focusM: 1.05, fNumber: 0.3 },
  { name: "lamps", world: "lamps", focusM: 1.7, fNumber: 0.25, rays: 2 },
  { name: "lamps, large discs", world: "lamps", focusM: 1.2, fNumber: 0.09, rays: 4 },
  { name: "cards, nearest in focus", world: "stage", focusM: 0.8, fNumber: 0.3 },
  { name: "cards, middle in focus", world: "stage", focusM: 1.7, fNumber: 0.2 },
  { name: "cards, wall in focus", world: "stage", focusM: 4.4, fNumber: 0.25 },
];
