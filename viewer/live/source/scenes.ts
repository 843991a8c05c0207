import type { SyntheticOptions } from "../../../sources/index.ts";

/**
 * The synthetic scenes, by their names in `?source=`; menu and masthead show the `title`. The desk comes first, since it shows at once what
 * filters do: it is near, and its sensor's noise differs from frame to frame (Khoshelham and Elberink 2012; Nguyen, Izadi and Lovell 2012).
 * Most of the room's noise stays where it is.
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
  scan: {
    title: "Desk to scan",
    hint: "The ray-traced desk, around which a hand carries the camera in a closed loop of twenty seconds",
    options: { scene: "desk", sensor: "kinect-v1", cameraMotion: "orbit" },
  },
} as const satisfies Record<string, { title: string; hint: string; options: SyntheticOptions }>;
export type OfferedName = keyof typeof OFFERED;

/** The scene that the viewer opens with. */
export const FIRST: OfferedName = "desk";
/** From this many threads on, half of which paint, a scene plays 60 frames a second instead of 30. */
const FAST_FROM = 8;

/** A scene's options on a machine with this many threads. */
export const optionsOf = (scene: OfferedName, threads: number): SyntheticOptions => ({
  ...OFFERED[scene].options,
  ...(scene === FIRST && threads >= FAST_FROM && { fps: 60 }),
});

/** The name of a scene's recording. */
export const nameOfScene = (scene: OfferedName): string => OFFERED[scene].title.toLowerCase();

/** The scene that `?source=` names, if it names one; `synthetic` means the room. */
export function sceneAsked(source: string): OfferedName | undefined {
  if (source === "synthetic") return "room";
  return Object.hasOwn(OFFERED, source) ? (source as OfferedName) : undefined;
}

/** The scene whose recording has this name. */
export const sceneNamed = (name: string): OfferedName | undefined =>
  (Object.keys(OFFERED) as OfferedName[]).find((scene) => nameOfScene(scene) === name);
