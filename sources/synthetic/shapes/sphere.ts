import { ellipsoid } from "./ellipsoid.ts";
import type { Shape } from "./shape.ts";

/** A sphere around the origin. */
export const sphere = (radius: number): Shape => ellipsoid(radius, radius, radius);
