import { axesOn, flatOf, solidOf } from "../../../../measure/axes.ts";
import type { PlaneReading } from "../../../../measure/planeReading.ts";
import type { Direction } from "../camera/views.ts";
import type { Segments } from "./guides.ts";

/** The grid's half width, m; and the largest distance of its middle from the sensor along the sensor's axis, m. */
const HALF_M = 3;
const FAR_M = 5;
/** Lines of whole metres, and finer ones between them. */
const [WHOLE, FINE]: readonly Segments["color"][] = [
  [0.95, 0.75, 0.43, 0.9],
  [0.6, 0.68, 0.8, 0.4],
];
/** The grid lies above the floor by this and by this many times the floor's own roughness, m, so that noise does not hide it. */
const ABOVE_M = 0.004;
const ROUGH = 2;
/** The grid stays where it is until the floor is found turned by this, radians, or shifted by this, m. */
const TURNED = 0.004;
const SHIFTED = 0.006;

/** A plane by its unit normal towards the sensor and the sensor's distance, m. */
interface Plane {
  readonly normal: readonly [number, number, number];
  readonly offset: number;
}

/**
 * A grid on a plane, in the sensor's axes: lines of whole metres, counted from the point below the sensor, and four parts to each metre. It
 * lies around the place that the sensor looks at.
 */
export function gridOn({ normal, offset }: Plane, above: number): readonly Segments[] {
  const axes = axesOn({ normal, offset });
  // Where the sensor's axis meets the plane; a plane that it meets far away or nowhere has its grid before the sensor.
  const meets = normal[2] < 0 ? -offset / normal[2] : FAR_M;
  const [u, v] = flatOf(axes, [0, 0, Math.min(FAR_M, meets)]).map(Math.round);
  const lines: [whole: number[], fine: number[]] = [[], []];
  const at = (a: number, b: number) => solidOf(axes, [a, b]).map((value, k) => value + above * normal[k]);
  for (let quarter = -4 * HALF_M; quarter <= 4 * HALF_M; quarter++) {
    const t = quarter / 4;
    const ends = lines[quarter % 4 === 0 ? 0 : 1];
    ends.push(...at(u + t, v - HALF_M), ...at(u + t, v + HALF_M), ...at(u - HALF_M, v + t), ...at(u + HALF_M, v + t));
  }
  return lines.map((ends, k) => ({ ends: new Float32Array(ends), color: [WHOLE, FINE][k] }));
}

/** The direction straight down onto a plane. The camera has no roll; seen from nearly above, it keeps the sensor's right on the right. */
export function downOnto({ normal: [x, y, z] }: Pick<Plane, "normal">): Direction {
  // In Three.js' axes the way down is (−x, y, z).
  const level = Math.hypot(x, z);
  return level < 0.05 ? { yaw: 0, pitch: -Math.PI / 2 } : { yaw: Math.atan2(x, -z), pitch: Math.asin(y) };
}

/** The floor that the page has found: a grid on it, and the view from straight above. */
export class FoundFloor {
  #plane: Plane | undefined;
  #grid: readonly Segments[] = [];
  /** Whether somebody looks for the floor now, and whether the grid is wanted. */
  isKnown: () => boolean = () => false;
  isShown: () => boolean = () => false;
  /** The picture has to be drawn again. */
  onChange: () => void = () => {};
  /** Moves the camera to the view from above. */
  lookDown: () => void = () => {};

  /** Takes the floor as it was found in the newest frame; `undefined` if there is none. */
  take(found: Pick<PlaneReading, "normal" | "distance" | "rmsMm"> | undefined): void {
    const before = this.#plane;
    const plane = found && { normal: found.normal, offset: (found.distance.value ?? 0) / 1000 };
    const turned = plane && before && Math.hypot(...plane.normal.map((value, k) => value - before.normal[k]));
    if (plane && before && (turned ?? 0) < TURNED && Math.abs(plane.offset - before.offset) < SHIFTED) return;
    if (!plane && !before) return;
    this.#plane = plane;
    this.#grid = found && plane ? gridOn(plane, ABOVE_M + (ROUGH * found.rmsMm) / 1000) : [];
    this.onChange();
  }

  /** The grid's lines, while they are wanted. */
  get guides(): readonly Segments[] {
    return this.isKnown() && this.isShown() ? this.#grid : NONE;
  }

  /** The direction of the view from straight above. */
  get down(): Direction | undefined {
    return this.#plane && this.isKnown() ? downOnto(this.#plane) : undefined;
  }
}

const NONE: readonly Segments[] = [];
