import { LensModel, type PlanePoint } from "../../core/calibration/lens.ts";
import { type Intrinsics, sameLens } from "../../core/frame.ts";

/** The warning about depth that counts as lengths of rays by its name, or by its data set's layout, alone. */
export const raysTold = (where: string, set?: string): string =>
  `${where}: ${set ? `as in ${set}` : "by its name"} its values are lengths of rays, which the lens turns into depth along the axis; rename it where they are depth`;

/** Makes a function that turns lengths of rays into depth along the axis, in place; its table is made anew only for another lens. */
export function rayTurner(): (lengths: Uint16Array, lens: Intrinsics) => void {
  let last: { readonly lens: Intrinsics; readonly rays: Float64Array } | undefined;
  return (lengths, lens) => {
    if (!last || !sameLens(last.lens, lens)) last = { lens, rays: rayLengths(lens) };
    // A pixel without a ray, NaN, becomes 0.
    for (let i = 0; i < lengths.length; i++) lengths[i] = Math.round(lengths[i] / last.rays[i]);
  };
}

/** The length of each pixel's ray that goes one unit along the axis. */
function rayLengths(lens: Intrinsics): Float64Array {
  const [model, point]: [LensModel, PlanePoint] = [new LensModel(lens), [0, 0]];
  return Float64Array.from({ length: lens.width * lens.height }, (_, i) => {
    model.unproject(i % lens.width, Math.floor(i / lens.width), point);
    return Math.hypot(point[0], point[1], 1);
  });
}
