import { choice, eased, expert, fromView, labelled, number, type ParametersOf, vector } from "../core/parameters.ts";

/** Factors of the picture's width, height and reach at the governor's levels; `thinning` acts at the levels between. */
const SIZES = { 1: 0.85, 2: 0.7, 4: 0.6, 5: 0.5 };

/** The parameters. */
export const schema = {
  width: eased(fromView(number(1280, { min: 1, max: 4096, step: 1 }, "width of the picture, px")), SIZES, {
    says: (used, asked) => (2 * used === asked ? "half size" : `${Math.round((100 * used) / asked)} % of the size`),
  }),
  height: eased(fromView(number(720, { min: 1, max: 4096, step: 1 }, "height of the picture, px")), SIZES),
  maxReachPx: fromView(
    eased(
      number(32, { min: 4, max: 128, step: 1 }, "no splat reaches farther from its centre, px; sets the memory"),
      SIZES,
    ),
  ),
  listEntries: labelled(
    "Room for splats in tiles",
    expert(number(0, { min: 0, max: 2 ** 30, step: 1 }, "room in the tiles' lists; 0: as much as can be needed")),
  ),
  focusM: fromView(number(1.5, { min: 0.05, max: 1000, live: true }, "distance in focus, m")),
  fNumber: fromView(
    number(2.8, { min: 0, max: 1000, live: true }, "aperture, the focal length over its diameter; 0: a pinhole"),
  ),
  sensorHeightMm: fromView(number(24, { min: 1, max: 100, live: true }, "height of the camera's sensor, mm")),
  blades: fromView(number(0, { min: 0, max: 12, step: 1 }, "blades of the aperture; fewer than 5: it is round")),
  focalLengthMm: fromView(
    number(
      0,
      { min: 0, max: 1000, live: true },
      "focal length of the lens, mm; 0: the one whose field of view on the sensor is the picture's",
    ),
  ),
  verticalFovDeg: fromView(
    number(0, { min: 0, max: 150, live: true }, "vertical field of view, degrees; 0: the depth camera's own"),
  ),
  pointScale: labelled(
    "Patch size",
    number(1, { min: 0.1, max: 10, live: true }, "size of a point's patch; 1: the depth pixel it came from"),
  ),
  fill: labelled(
    "Close gaps",
    number(
      0.9,
      { min: 0, max: 1, live: true },
      "how much of a pixel the nearest splats may stand for where nothing covers it",
    ),
  ),
  longestRun: labelled(
    "Blurred pixels drawn as one",
    expert(
      number(
        4,
        { min: 1, max: 4, step: 1, live: true },
        "pixels of a row that far out of focus become one splat, at most; 1: each its own",
      ),
    ),
  ),
  thinning: labelled(
    "Points drawn as one",
    eased(
      expert(
        choice(
          1,
          [1, 2, 4],
          "n × n pixels on one surface become one point, their mean, n times as wide; 1: each its own",
          {
            live: true,
          },
        ),
      ),
      { 3: 2 },
      { cpuOnly: true, says: (used) => `${used} × ${used} points as one` },
    ),
  ),
  background: vector([0, 0, 0], "colour where nothing is, sRGB 0 to 1"),
  pose: vector(
    [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
    "depth camera to view, 4 × 4 by columns; x right, y down, z forward",
  ),
};
export type Parameters = ParametersOf<typeof schema>;
