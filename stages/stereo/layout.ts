/** Depth is computed from disparities in this many parts of a pixel. */
export const PARTS = 256;
/** Disparities before the sub-pixel steps are counted in this many parts of a pixel. */
export const COARSE = 32;
/** The bit of a disparity that marks a pixel whose cost is below that of a match by chance. */
export const SURE = 32768;
/** The cost of a change of disparity by one px, and by more, along a path. */
export const SMALL_STEP = 10;
export const LARGE_STEP = 60;
/** A pixel whose costs add up to this for each path, or more, may be chance: the censuses of unrelated pixels differ by 31 on average. */
export const CHANCE = 24;
/** An invalid pixel with so many valid ones among the 25 around it gets their median. */
export const FILL = 20;
/** Contrast is judged over (2 · AROUND + 1)² pixels. */
export const AROUND = 6;
/**
 * Added to the sum of 169 deviations of brightness, in eighths of a step of brightness, so that noise in dark places is not divided by
 * next to nothing.
 */
export const FLOOR = 21;
/** Contrast lies within ± this. */
export const MOST_CONTRAST = 511;
/**
 * An arm of a pixel's surface is at most ARM long, and ends before a pixel whose disparity differs from its own by REACH coarse parts or
 * more.
 */
export const ARM = 5;
export const REACH = 48;
/** The longest sub-pixel step, in parts of a pixel. */
export const LONGEST = 256;
/**
 * A pixel counts as a speckle, or as found by chance, and is left out, if fewer than FEWEST sure pixels are gathered, of at most (2 · ARM +
 * 1)⁴, or if fewer than SHARE of 32 of them are sure.
 */
export const FEWEST = 3000;
export const SHARE = 14;
/**
 * Fewer than HIDDEN invalid pixels in a row can be hidden by the thing to their right, which is at least STEP parts of a px nearer. They
 * get the least disparity of the BACK pixels to their left: the last of those are drawn towards the thing.
 */
export const HIDDEN = 64;
export const STEP = 384;
export const BACK = 8;

// The fast form's memory. Grey images and deviations have EDGE values more at both ends of a row; planes of disparities PLANE_EDGE.
export const EDGE = 8;
export const PLANE_EDGE = 16;
/** The bytes that a path's record has beside its costs. */
export const RECORD = 16;
/** No disparity, in the plane that the winners are written to: a value above any disparity, without the bit PLANE_SURE. */
export const NONE = 16383;
export const PLANE_SURE = 16384;

// A job's words after those of core/job.ts. First come the step, a part's rows, the frame's size, a row's pixels (a multiple of 8) and the
// search. Then come addresses: of both grey images, deviations, contrasts and censuses; of costs, both sweeps' sums and their rows; of
// disparities before and after the median; of arms, and of what is gathered along rows, the first and the second time.
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
export const JOB_SHIFT = 15;
export const JOB_GREY = 16;
export const JOB_DEVIATIONS = 17;
export const JOB_CONTRASTS = 18;
export const JOB_CODES = 19;
export const JOB_COSTS = 20;
export const JOB_SUMS = 21;
export const JOB_SWEEPS = 22;
export const JOB_FOUND = 23;
export const JOB_MEDIANS = 24;
export const JOB_ARMS = 25;
export const JOB_GATHERED = 26;
export const JOB_DEPTH = 27;
export const JOB_WORDS = 28;
