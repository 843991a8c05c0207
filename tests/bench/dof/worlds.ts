import { type Frame, lookingAt } from "../../../sources/synthetic/geometry.ts";
import { bakeAll, type Lightmap } from "../../../sources/synthetic/lightmap.ts";
import { FURNITURE, movers, type Shadow, type Solid } from "../../../sources/synthetic/scene.ts";

/** What stands before the camera. The first solid is all around: every ray meets something. */
export interface World {
  readonly still: readonly Solid[];
  readonly moving: readonly Solid[];
  readonly shadows: readonly Shadow[];
  readonly maps: ReadonlyMap<Solid, Lightmap>;
  readonly camera: Frame;
}

/** The synthetic room, closer than the sensor of the recordings stands. */
export function room(): World {
  const { solids, shadows } = movers(1.2);
  const camera = lookingAt([0.1, -1.15, 0.9], [-0.1, -0.85, 3.2]);
  return { still: FURNITURE, moving: solids, shadows, maps: bakeAll(FURNITURE), camera };
}
