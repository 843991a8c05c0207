import { findPlane } from "./find.ts";
import { type PlaneReading, readPlane } from "./planes.ts";
import { cannotTell, type Reading, reading } from "./reading.ts";
import { pixelsIn, type Rect, type Scene, sigmaAt } from "./scene.ts";

/** The readings of a rectangle of the image. */
export interface RegionReading extends Rect {
  /** The share of the region's pixels that have a steady depth. */
  readonly valid: Reading;
  /** The median distance along the camera's axis, mm. */
  readonly distance: Reading;
  /** The plane through the region, by a robust fit; `null` if there is none, and `why` says so. */
  readonly plane: PlaneReading | null;
  /** Why there is no plane. */
  readonly why?: string;
}

/** A plane is one if at least this share of the region's pixels belong to it. */
const MOST_OF = 0.5;
const MOST = 40_000;

/** Reads a region; `accuracy` is the share of the distance by which the camera may be wrong as a whole. */
export function readRegion(scene: Scene, rect: Rect, accuracy = 0): RegionReading {
  const { pixels, all } = pixelsIn(scene, rect, MOST);
  const { x, y, width, height } = rect;
  const valid =
    all > 0 ? reading(pixels.length / all, Number.NaN, "1") : cannotTell("1", "the region lies outside of the image");
  if (pixels.length === 0) {
    const why = all > 0 ? "no pixel of the region has a steady depth" : "the region lies outside of the image";
    return { x, y, width, height, valid, distance: cannotTell("mm", why), plane: null, why };
  }
  const depths = Float64Array.from(pixels, (i) => scene.z[i]).sort();
  const middle = depths[depths.length >> 1];
  const plane = findPlane(scene, pixels);
  const flat = plane && plane.share >= MOST_OF;
  // Noise that neighbours share does not average out over them; a median has π / 2 times a mean's variance.
  const alike = Math.max(1, 81 * (scene.noise?.grain ?? 1 / 9) ** 2);
  const area = width * height * (pixels.length / Math.max(1, all));
  const white = sigmaAt(scene, middle) * Math.sqrt((Math.PI / 2) * Math.min(1, alike / area));
  const step = (scene.noise?.stepMm(middle) ?? 1) / 1000 / Math.sqrt(12);
  const noise = Math.hypot(
    white / Math.sqrt(scene.frames),
    step * Math.min(1, step / (depths[depths.length - 1] - depths[0] + 1e-9)),
  );
  const error = Math.hypot(noise, (accuracy * middle) / 1.96);
  const known = scene.noise !== undefined;
  return {
    ...{ x, y, width, height, valid },
    distance: reading(
      middle * 1000,
      known ? error * 1000 : Number.NaN,
      "mm",
      known ? undefined : "the noise could not be measured",
    ),
    plane: flat ? readPlane(plane, accuracy) : null,
    ...(!flat && {
      why: plane
        ? `only ${Math.round(plane.share * 100)} % of the region lie on one plane`
        : "no plane fits the region",
    }),
  };
}
