import { errorOf, type PlaneFit, planeOf } from "./plane.ts";
import type { Scene } from "./scene.ts";

/** A camera's scale is never wrong by more than this share: if the tape says so, it was laid on another plane. */
const MOST_WRONG = 0.1;

/** How to scale a scene so that its floor lies where a tape says, and the standard error of this as a share. */
export function scaleBy(floor: PlaneFit | undefined, floorMm: number | undefined) {
  const scale = floor && floorMm ? floorMm / 1000 / floor.offset : 1;
  const error = floor && floorMm ? errorOf(floor, (q) => planeOf(q).offset) / floor.offset : 0;
  return Math.abs(scale - 1) > MOST_WRONG ? { scale: 1, error: 0, isOff: true } : { scale, error, isOff: false };
}

/** A scene whose depths are scaled. */
export const scaled = (scene: Scene, by: number): Scene =>
  by === 1
    ? scene
    : {
        ...scene,
        z: scene.z.map((z) => z * by),
        spread: scene.spread.map((sigma) => sigma * by),
        // The tape tells the unit.
        assumed: scene.assumed?.filter((what) => what !== "unit"),
      };

/** Says that floor and tape differ too much. */
export const offTape = ({ offset }: PlaneFit, floorMm = 0): string =>
  `the floor is ${(1000 * offset).toFixed(0)} mm away, and ${floorMm} mm by the tape: name a pixel of the plane that the tape was laid on. ` +
  "Nothing was scaled";
