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
 * The window of the last sub-pixel step reaches HALF far, with weights that fall from HALF + 1 to 1; that of the steps before reaches NEAR
 * far, with the same weights. Its pixels are on the centre's surface if their disparity differs by less than REACH, in coarse parts.
 */
export const HALF = 9;
export const NEAR = 6;
export const REACH = 48;
/** The number of sub-pixel steps, the longest step, and how far all together may lead, in parts of a pixel. */
export const STEPS = 2;
export const LONGEST = 128;
export const DRIFT = 384;
/** A pixel with fewer sure pixels of its surface in the window is left out: a speckle, or what chance found. */
export const FEWEST = 80;

// The fast form's memory. Grey images and deviations have EDGE values more at both ends of a row; planes of disparities MARGIN.
export const EDGE = 8;
export const MARGIN = 16;
/** No disparity, in the plane that the winners are written to: more than any, without the bit PLANE_SURE. */
export const NONE = 16383;
export const PLANE_SURE = 16384;

// A job's words after those of core/job.ts: the step, a part's rows, the frame's size, a row's pixels (a multiple of 8), the search, and
// addresses: of both grey images, deviations, contrasts, and censuses; of costs, both sweeps' sums and their rows; of disparities before
// and after the median.
export const JOB_STEP = 5;
export const JOB_ROWS = 6;
export const JOB_WIDTH = 7;
export const JOB_HEIGHT = 8;
export const JOB_ROW = 9;
export const JOB_COUNT = 10;
export const JOB_FROM = 11;
export const JOB_PATHS = 12;
export const JOB_UNIQUENESS = 13;
export const JOB_SCALE = 14;
export const JOB_GREY = 15;
export const JOB_DEVIATIONS = 16;
export const JOB_CONTRASTS = 17;
export const JOB_CODES = 18;
export const JOB_COSTS = 19;
export const JOB_SUMS = 20;
export const JOB_SWEEPS = 21;
export const JOB_FOUND = 22;
export const JOB_MEDIANS = 23;
export const JOB_DEPTH = 24;
export const JOB_WORDS = 25;
