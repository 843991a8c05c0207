/**
 * The background colour, sRGB from 0 to 1; the same as `--scene` in the style sheet. The background is dark in a light page too, so that
 * holes never look like bright surfaces.
 */
export const GROUND = [0.043, 0.051, 0.063] as const satisfies readonly [red: number, green: number, blue: number];
