import { at } from "../../../core/geometry.ts";
import { lamp } from "../light.ts";
import { plain, stripes } from "../materials.ts";
import { box, room } from "../shapes/box.ts";
import { type Scene, solid } from "./scene.ts";

/** A box on the floor: its length, width and height in metres, its middle, and its turn in radians. */
const parcel = (name: string, [l, w, h]: readonly [number, number, number], x: number, z: number, yaw: number) =>
  solid(
    name,
    box([-l / 2, -h, -w / 2], [l / 2, 0, w / 2]),
    at([x, 0, z], yaw),
    stripes("x", l / 2, "#b88b5a", "#b5875a"),
  );

/** Two parcels on a floor, whose sizes are known: 400 × 300 × 200 mm in the middle of the view, and 250 × 180 × 120 mm. */
export const PARCEL_SCENE = {
  name: "synthetic parcel",
  still: [
    solid("walls", room([-2, -2.6, -2], [2, 0, 2]), at([0, 0, 0]), plain("#cfd3d6")),
    parcel("parcel", [0.4, 0.3, 0.2], 0, 0.25, 0.35),
    parcel("small parcel", [0.25, 0.18, 0.12], 0.47, 0.05, -0.6),
  ],
  movers: () => ({ solids: [], shadows: [] }),
  lighting: {
    lamps: [lamp(3, "#fff4e0", 3, [0.4, -2.55, 0.2], [0.8, 0, 0.8], [0, 1, 0])],
    bounce: lamp(3, "#eef0f2", 1.5, [0, -2.55, 0], [3, 0, 3], [0, 1, 0]),
    ambient: [0.2, 0.2, 0.205],
  },
  tour: { middle: [0, -1.1, 0.25], radii: [0.8, 0.3, 0.6] },
  views: {
    /** As a camera on a stand over a table for packing sees them. */
    over: { eye: [0, -1.3, -0.3], target: [0, -0.2, 0.25] },
  },
} as const satisfies Scene;
