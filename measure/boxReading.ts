import { cannotTell, type Reading } from "./reading.ts";
import type { Pixel } from "./scene.ts";

/** A box on the floor. */
export interface BoxReading {
  /** The pixel by which the box was named. */
  readonly at: Pixel;
  /** The longer side of the top, mm. */
  readonly length: Reading;
  /** The shorter side of the top, mm. */
  readonly width: Reading;
  /** The distance from the plane that the box stands on (the floor, a pallet, a ramp) to the middle of the top, mm. */
  readonly height: Reading;
  /** The corners of the top, in order around it, in metres in the camera's axes; empty if the outline cannot be told. */
  readonly corners: readonly (readonly [number, number, number])[];
  /** Whether the thing is no box. The sides are then those of the smallest cuboid around it, and each side says why. */
  readonly isCuboid?: true;
}

/** A box of which nothing can be told, and why. */
export function noBox(at: Pixel, why: string): BoxReading {
  const no = cannotTell("mm", why);
  return { at, length: no, width: no, height: no, corners: [] };
}
