import { fence, lamps, room, stage, type World } from "./worlds.ts";

/** One picture that is measured: a world, and the lens it is seen through. */
export interface View {
  readonly name: string;
  readonly world: keyof typeof WORLDS;
  readonly focusM: number;
  readonly fNumber: number;
  /** The depth has the holes a structured-light sensor leaves: what its projector does not reach, and speckles. */
  readonly holes?: true;
}

export const WORLDS = { room, fence, lamps, stage } satisfies Record<string, () => World>;

/**
 * The fixed set. At 480 × 360 with a sensor 24 mm high the lens has 26.25 mm; f/0.2 stands for the blur that a picture four
 * times as wide has at f/0.8, or for a phone's "portrait" setting.
 */
export const VIEWS: readonly View[] = [
  { name: "room, pendulum in focus", world: "room", focusM: 1.55, fNumber: 0.2 },
  { name: "room, table in focus", world: "room", focusM: 2.4, fNumber: 0.15 },
  { name: "room, wall in focus", world: "room", focusM: 4.1, fNumber: 0.1 },
  { name: "room, mild", world: "room", focusM: 2.4, fNumber: 0.6 },
  { name: "room with a sensor's holes", world: "room", focusM: 1.9, fNumber: 0.2, holes: true },
  { name: "fence blurred, picture in focus", world: "fence", focusM: 2.85, fNumber: 0.4 },
  { name: "fence wide open", world: "fence", focusM: 2.85, fNumber: 0.15 },
  { name: "fence in focus", world: "fence", focusM: 1.05, fNumber: 0.3 },
  { name: "lamps", world: "lamps", focusM: 1.7, fNumber: 0.25 },
  { name: "lamps, large discs", world: "lamps", focusM: 1.2, fNumber: 0.09 },
  { name: "cards, nearest in focus", world: "stage", focusM: 0.8, fNumber: 0.3 },
  { name: "cards, middle in focus", world: "stage", focusM: 1.7, fNumber: 0.2 },
  { name: "cards, wall in focus", world: "stage", focusM: 4.4, fNumber: 0.25 },
];
