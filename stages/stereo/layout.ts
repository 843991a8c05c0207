/** Depth is computed from disparities in this many parts of a pixel. */
export const PARTS = 256;
/** Disparities before the sub-pixel steps are counted in this many parts of a pixel. */
export const COARSE = 32;
/** The bit of a disparity that says: the pixel's cost is less than chance's. */
export const SURE = 32768;
/** The cost of a change of disparity by one px, and by more, along a path. */
export const SMALL_STEP = 10;
export const LARGE_STEP = 60;
/** A pixel whose costs add up to this for each path, or more, may be chance: the censuses of unrelated pixels differ by 31 on average. */
export const CHANCE = 26;
/** Contrast is judged over (2 · AROUND + 1)² pixels. */
export const AROUND = 6;
/**
 * What is added to the mean deviation of brightness, in eighths of a step of brightness times 169, so that noise of dark places stays
 * small.
 */
export const FLOOR = 21;
/** Contrast lies within ± this. */
export const MOST_CONTRAST = 511;
/**
 * The window of the sub-pixel steps reaches this far, with weights that fall from HALF + 1 to 1. Its pixels are on the centre's surface if
 * their disparity differs by less than REACH, in coarse parts.
 */
export const HALF = 9;
export const REACH = 48;
/** The number of sub-pixel steps, the longest step, and how far all together may lead, in parts of a pixel. */
export const STEPS = 2;
export const LONGEST = 128;
export const DRIFT = 384;
/** A pixel with fewer sure pixels of its surface in the window is left out: a speckle, or what chance found. */
export const FEWEST = 80;
