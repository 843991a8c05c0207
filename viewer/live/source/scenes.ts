import type { SyntheticOptions } from "../../../sources/index.ts";

/** A synthetic scene that the viewer offers. */
export interface OfferedScene {
  /** What the menu and the masthead call it. */
  readonly title: string;
  readonly hint: string;
  readonly options: SyntheticOptions;
}

/**
 * The synthetic scenes, by the names that `?source=` has for them. The desk comes first: it is near, and the noise of its sensor is
 * another in each frame (Khoshelham and Elberink 2012; Nguyen, Izadi and Lovell 2012), so that one sees at once what the filters do. Most
 * of the room's noise stays where it is.
 */
export const OFFERED = {
  desk: {
    title: "Synthetic desk",
    hint: "Ray-traced hands, plant and globe, with the noise that was measured of a Kinect v1",
    options: { scene: "desk", sensor: "kinect-v1" },
  },
  room: {
    title: "Synthetic room",
    hint: "A ray-traced room, seen by a simulated Kinect v1 whose noise mostly stays where it is",
    options: { scene: "room" },
  },
} as const satisfies Record<string, OfferedScene>;
export type OfferedName = keyof typeof OFFERED;

/** What is seen where nobody has chosen. */
export const FIRST: OfferedName = "desk";

/** The name of a scene's recording. */
export const nameOfScene = (scene: OfferedName): string => OFFERED[scene].title.toLowerCase();

/** The scene that an address's `source` asks for, if it asks for one; `synthetic` is the room. */
export function sceneAsked(source: string): OfferedName | undefined {
  if (source === "synthetic") return "room";
  return Object.hasOwn(OFFERED, source) ? (source as OfferedName) : undefined;
}

/** The scene whose recording has this name. */
export const sceneNamed = (name: string): OfferedName | undefined =>
  (Object.keys(OFFERED) as OfferedName[]).find((scene) => nameOfScene(scene) === name);
