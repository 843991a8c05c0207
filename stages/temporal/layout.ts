// The memory of a pixel is a word: mean << 7 | count << 1 | up. The mean of its depth is in 1/512 of a unit. count is the number of frames
// in the mean, 0 if there is none. up says that the depth shown was the whole number above the mean, not below. Beside each word lies a
// half word, the pixel's trend: the changes of its area (1/256 of a sigma) summed over frames, with less weight for older frames.
export const FRACTION_BITS = 9;
export const COUNT_BITS = 6;
export const MEAN_SHIFT = 7;
export const MOST = 63;
/** The most frames that count in a mean that was carried into another view. */
export const MOST_MOVED = 10;
/** The least share of the four neighbours that have to lie on a pixel's surface where a mean is carried to it. */
export const LEAST_SHARE = 0.2;
/**
 * A carried depth is corrected along the pixel's ray, divided by the cosine between the ray and the old optical axis, but by no less than
 * this.
 */
export const LEAST_ALONG = 0.3;
/** Points nearer than this are not projected, in units of depth. */
export const NEAREST = 1;
/** One unit of depth, in the unit of the mean. */
export const ONE = 512;
/** The depth shown moves when it is farther than this from the mean: half a unit, plus a quarter as hysteresis. */
export const HELD = 384;

/** A pixel's change is averaged over this many pixels on each side. */
export const REACH = 4;
/** One sigma, in the unit of a mark's change. */
export const SIGMA = 256;
/** A pixel whose change is at least this (four sigmas) has moved. */
export const JUMP = 1024;
/** The trend loses a quarter (2^-2) with each frame. */
export const FADE_BITS = 2;
/** A mark is change << 7 | 1, so that one sum counts pixels too, of which there are at most 81. */
export const MARK_BITS = 7;
/** The largest difference that counts; it is exact in f32. */
export const FARTHEST = 16777215;
/** Rows of marks, and of what is carried into another view, that the CPU keeps: a power of two, more than the nine of an area. */
export const KEPT = 16;
/** Bytes of the record that the CPU's warp keeps of four pixels between its loops (assembly/warp.ts). */
export const PLACE_BYTES = 112;

// A job's words after those of core/job.ts: addresses, f32 `JOB_LEAST_GAIN` (twice the parameter), the frame's size, and a part's rows.
export const JOB_SOURCE = 5;
export const JOB_BEFORE = 6;
export const JOB_AFTER = 7;
export const JOB_SINK = 8;
export const JOB_SCALES = 9;
export const JOB_WEIGHTS = 10;
export const JOB_ANSWERS = 11;
export const JOB_MOTION = 12;
export const JOB_LEAST_GAIN = 13;
export const JOB_ROW = 14;
export const JOB_WIDTH = 15;
export const JOB_HEIGHT = 16;
export const JOB_ROWS = 17;
export const JOB_WORDS = 18;
