/** Disparities are counted in this many parts of a pixel. */
export const PARTS = 256;
/** The cost of a change of disparity by one px, and by more, along a path. */
export const SMALL_STEP = 10;
export const LARGE_STEP = 60;
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
 * The window of the sub-pixel steps reaches this far; its pixels are on the centre's surface if their disparity differs by less than REACH.
 */
export const HALF = 7;
export const REACH = 384;
/** The number of sub-pixel steps, the longest step, and how far all together may lead, in parts of a pixel. */
export const STEPS = 4;
export const LONGEST = 128;
export const DRIFT = 384;
/** A pixel with fewer pixels of its surface in the window is a speckle. */
export const FEWEST = 40;
/** A pixel is invalid whose windows differ by this many quarters of their energy, or more; 4 are images that have nothing in common. */
export const MOST_DIFFERENT = 3;
