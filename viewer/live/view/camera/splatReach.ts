/**
 * The reach of the picture's splats, px: the usual one, and a larger one for views from near, which needs more memory (`maxReachPx` of
 * dofSplat).
 */
const USUAL_PX = 32;
const NEAR_PX = 64;
/**
 * Noise tilts a pixel's patch and stretches it to this many times its side. A patch beyond the reach would be drawn smaller, and gaps would
 * appear between patches.
 */
const DRAWN_OUT = 2.2;
/** A large reach stays until patches are smaller by this factor: each change allocates memory. */
const STAYS = 0.8;

/** The reach that splats need, if a depth pixel's patch has a side of `patchPx` in the picture and the present reach is `nowPx`. */
export function splatReachPx(patchPx: number, nowPx: number): number {
  const needed = DRAWN_OUT * patchPx;
  return needed > USUAL_PX * (nowPx > USUAL_PX ? STAYS : 1) ? NEAR_PX : USUAL_PX;
}
