import type { Intrinsics } from "../frame.ts";
import type { Extrinsics } from "./register.ts";

/** Formulas from 11-bit disparity to metres, as libfreenect's documentation and NYU's toolbox publish them for their Kinects. */
const FORMULAS = {
  libfreenect: (disparity: number) => 1 / (3.3309495161 - 0.0030711016 * disparity),
  NYU: (disparity: number) => 351.3 / (1092.5 - disparity),
};
/** The name of one of the formulas. */
export type KinectFormula = keyof typeof FORMULAS;

/** The value that the sensor gives where it measures nothing. */
export const NOTHING = 2047;
/** Beyond this distance one step of disparity is a third of a metre; NYU's toolbox has the same limit. */
const FARTHEST_M = 10;

/** Millimetres for each value of a Kinect v1's 11-bit disparity; 0 where it measures nothing. */
export const disparityTable = (by: KinectFormula): Uint16Array =>
  new Uint16Array(NOTHING + 1).map((_, value) => {
    const metres = FORMULAS[by](value);
    return value < NOTHING && metres > 0 && metres <= FARTHEST_M ? Math.round(metres * 1000) : 0;
  });

/** The intrinsics of NYU v2's Kinect from its toolbox (camera_params.m); depth and colour camera each have their own distortion. */
export const DEPTH_LENS: Intrinsics = {
  fx: 582.62448167737955,
  fy: 582.69103270988637,
  cx: 313.04475870804731,
  cy: 238.44389626620386,
  width: 640,
  height: 480,
  distortion: [
    -0.099897236553084481, 0.39065324602765344, 0.0019290592870229277, -0.0019422022475975055, -0.51031725053400578,
  ],
};
export const COLOR_LENS: Intrinsics = {
  fx: 518.85790117450188,
  fy: 519.46961112127485,
  cx: 325.58244941119034,
  cy: 253.73616633400465,
  width: 640,
  height: 480,
  distortion: [
    0.20796615318809061, -0.58613825163911781, 0.00072231363135888329, 0.0010479627195765181, 0.49856986684705107,
  ],
};
/**
 * From depth to colour. The toolbox has all signs reversed, which leaves a projection the same; here z is positive in front of the cameras.
 */
export const BETWEEN: Extrinsics = {
  rotation: [
    ...[0.99997798940829263, -0.0050359919480810989, -0.0043196624923060242],
    ...[0.0050518419386157446, 0.99998051861143999, 0.0036662365748484798],
    ...[0.0043011152014118693, -0.0036879781309514218, 0.99998394948385538],
  ],
  translation: [-0.025031875059141302, 0.00029342312935846411, -0.00066238747008330102],
};
