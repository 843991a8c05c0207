import { ellipsoid } from "./ellipsoid.ts";
import type { Shape } from "./shape.ts";

export const sphere = (radius: number): Shape => ellipsoid(radius, radius, radius);
