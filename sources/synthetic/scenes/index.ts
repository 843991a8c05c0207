import { DESK_SCENE } from "./desk.ts";
import { PARCEL_SCENE } from "./parcel.ts";
import { ROOM_SCENE } from "./room.ts";

/** The scenes, by the names that the option `scene` takes. */
export const SCENES = { room: ROOM_SCENE, desk: DESK_SCENE, parcel: PARCEL_SCENE } as const;
/** The name of a synthetic scene. */
export type SceneName = keyof typeof SCENES;

/** The names of the views of all scenes. */
export type ViewName = { [S in SceneName]: keyof (typeof SCENES)[S]["views"] }[SceneName];
