import type { Checked } from "./checked.ts";
import { cannotTell, type Reading, spellReading, type Unit } from "./reading.ts";

/** A number of a check, for people: as the command line, the page and the viewer show it. */
export interface Figure {
  readonly name: string;
  readonly reading: Reading;
  /** The number's expected value, or the way it is computed. */
  readonly note: string;
}

const known = (value: number | null, unit: Unit, why: string): Reading =>
  value === null ? cannotTell(unit, why) : { value, plusMinus: null, unit };
const NO_WALL = "point the camera at a flat wall";

/** The numbers of a check, in the order in which people look at them. */
export function figuresOf(checked: Checked): Figure[] {
  const {
    frames,
    tool,
    temporal,
    wall,
    missing,
    late,
    driftMm,
    bowlMm,
    sidewaysMm,
    bump,
    stripes,
    grain,
    noise,
    rim,
    colour,
  } = checked;
  const { laserMw, exposureUs, gain } = checked;
  const figure = (name: string, reading: Reading, note = ""): Figure => ({ name, reading, note });
  const usual = wall?.usualRmsMm ? `usually ${wall.usualRmsMm.toFixed(2)} mm, and below twice as much` : "";
  // How far a desk lies from a plane says nothing about a camera.
  const onWall = (value: number | null, unit: Unit, why: string) =>
    wall ? known(value, unit, why) : known(null, unit, NO_WALL);
  const [few, more] = ["too few pixels have a depth", "needs 2 frames"];
  return [
    figure("wall", known(wall?.distanceMm ?? null, "mm", NO_WALL), wall ? `tilted by ${wall.tiltDeg.toFixed(1)}°` : ""),
    figure("fill rate", known(tool.fillRate, "%", few), "usually above 90 % of a wall"),
    figure("plane fit rms", onWall(tool.planeFitRmsMm, "mm", few), usual),
    figure("rms of the distance", onWall(tool.planeFitRmsPercent, "%", few)),
    figure("sub-pixel rms", onWall(tool.subpixelRmsPx, "px", "needs the baseline")),
    figure("Z accuracy", onWall(tool.zAccuracyPercent, "%", "needs the true distance")),
    figure("temporal noise", known(temporal.toolPercent, "%", more), "counted as RealSense’s tool does"),
    figure("noise on valid pixels", known(temporal.validPercent, "%", temporal.toolPercent === null ? more : few)),
    figure(
      "grain",
      known(grain, "1", frames < 3 ? "needs 3 frames" : "something moves, or too few pixels have a depth"),
      "the share of the noise that is left in the mean of 9 × 9 pixels",
    ),
    ...noise.flatMap(({ atM, sigmaMm, stepMm }) => [
      figure(`noise at ${atM} m`, { value: sigmaMm, plusMinus: null, unit: "mm" }, `step ${stepMm.toFixed(2)} mm`),
    ]),
    figure("missing frames", known(missing, "1", ""), `of ${frames}, usually below 2 %`),
    figure("late frames", known(late, "1", "")),
    figure("drift", known(driftMm, "mm", "needs 8 frames of one distance"), "usually below 0.15 % of the distance"),
    figure(
      "bend at the corners",
      known(bowlMm, "mm", "no wall fills the picture"),
      "usually below 0.8 % of the distance",
    ),
    figure(
      "bend from side to side",
      known(sidewaysMm, "mm", "no wall fills the picture"),
      "usually below 0.8 % of the distance",
    ),
    figure(
      "largest bump",
      known(bump?.mm ?? null, "mm", "no wall fills the picture"),
      bump ? `around ${Math.round(bump.x)},${Math.round(bump.y)}, usually below 0.5 % of the distance` : "",
    ),
    figure("stripes", known(stripes, "1", "needs a wall and 3 frames"), "of the noise, usually below 50 %"),
    ...(laserMw === null ? [] : [figure("laser", known(laserMw, "mW", ""), "as the camera notes it")]),
    ...(exposureUs === null
      ? []
      : [figure("exposure", known(exposureUs, "µs", ""), gain === null ? "as the camera notes it" : `gain ${gain}`)]),
    ...(colour
      ? [
          figure("colour beside depth", colour.x, "to the right, usually below 1.5 px"),
          figure("colour below depth", colour.y, "usually below 1.5 px"),
        ]
      : []),
    figure(
      "worst part of the rim",
      known(rim?.lost ?? null, "1", "no wall fills the picture"),
      rim ? `without depth, more than the middle; ${rim.noisier.toFixed(1)} times its noise` : "",
    ),
  ];
}

/** A figure as a row of texts. */
export const spellFigure = ({ name, reading, note }: Figure): readonly [name: string, value: string, note: string] => [
  name,
  spellReading(reading),
  note,
];
