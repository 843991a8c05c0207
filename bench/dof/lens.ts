import type { Camera } from "../../stages/dofSplat/camera.ts";

/** A ray's point on the lens, in units of its radius, and its offset in the pixel, ±0.5 px. */
export interface LensPoint {
  readonly x: number;
  readonly y: number;
  readonly u: number;
  readonly v: number;
}

/**
 * The lens parameters that move a point's image: a ray through (x, y) on the lens meets the film `blur · (inverseFocus − 1/z)` · (x, y) px
 * off.
 */
export type ThinLens = Pick<Camera, "blur" | "inverseFocus">;

/** How far in px a ray through the rim of the lens moves the image of a point at distance `z`; negative in front of the focus. */
export const disparity = ({ blur, inverseFocus }: ThinLens, z: number): number => blur * (inverseFocus - 1 / z);

const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** 1/p and 1/p² of the plastic number p, for the R2 sequence (Roberts 2018). */
const R2_U = 0.7548776662466927;
const R2_V = 0.5698402909980532;

/**
 * `count` points spread evenly over the lens (Vogel 1979) and, independently, over the pixel. Set 1 is rotated against set 0, so that both
 * together are twice as many points, as evenly spread.
 */
export function lensPoints(count: number, set: 0 | 1 = 0): LensPoint[] {
  return Array.from({ length: count }, (_, i) => {
    const radius = Math.sqrt((i + 0.5) / count);
    const angle = (i + 0.5 * set) * GOLDEN_ANGLE + set * Math.PI;
    return {
      x: radius * Math.cos(angle),
      y: radius * Math.sin(angle),
      u: ((0.5 + R2_U * (i + 1 + set * count)) % 1) - 0.5,
      v: ((0.5 + R2_V * (i + 1 + set * count)) % 1) - 0.5,
    };
  });
}
