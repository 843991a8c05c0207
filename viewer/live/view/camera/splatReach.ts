/** How far the picture's splats may reach, px: the usual, and from near, where it takes more memory (`maxReachPx` of dofSplat). */
const [USUAL_PX, NEAR_PX] = [32, 64];
/**
 * On a surface with noise on it a pixel's patch is drawn out to so many times its side, so that it meets its neighbours'. What reaches
 * too far is drawn smaller, and between the patches there would be gaps, dark before a dark ground.
 */
const DRAWN_OUT = 2.2;
/** A reach that has grown stays until patches are so much smaller again: each change makes memory anew. */
const STAYS = 0.8;

/** What the splats have to reach where a depth pixel's patch has a side of `patchPx` in the picture, and they reach `nowPx` so far. */
export function splatReachPx(patchPx: number, nowPx: number): number {
  const needed = DRAWN_OUT * patchPx;
  return needed > USUAL_PX * (nowPx > USUAL_PX ? STAYS : 1) ? NEAR_PX : USUAL_PX;
}
