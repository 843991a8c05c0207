// The memory of a pixel is a word: mean << 7 | count << 1 | up. The mean of its depth is in 1/512 of a unit. count is the number of frames
// in the mean, 0 if there is none. up says that the depth shown was the whole number above the mean, not below. Each tile of 8 × 8 pixels
// has a trend: the changes of its area (1/256 of a sigma) summed over frames, with less weight for older frames.
export const FRACTION_BITS = 9;
export const COUNT_BITS = 6;
export const MEAN_SHIFT = 7;
export const MOST = 63;
/** The most frames that count in a mean that was carried into another view. */
export const MOST_MOVED = 10;
/** The least share of the four neighbours that have to lie on a pixel's surface where a mean is carried to it. */
export const LEAST_SHARE = 0.2;
/**
 * A carried depth's correction along the pixel's ray is divided by the cosine between the ray and the old optical axis, which counts as at
 * least this.
 */
export const LEAST_ALONG = 0.3;
/** Points nearer than this are not projected, in units of depth. */
export const NEAREST = 1;
/** One unit of depth, in the unit of the mean. */
export const ONE = 512;
/** The depth shown moves when it is farther than this from the mean: half a unit, plus a quarter as hysteresis. */
export const HELD = 384;

/** The side of a tile in pixels. */
export const TILE = 8;
/** From a tile's centre to the next, two for a pixel. */
export const STEPS = 16;
/** One sigma, in the unit of a mark's change. */
export const SIGMA = 256;
/** A pixel whose change is at least this (four sigmas) has moved. */
export const JUMP = 1024;
/** The trend loses a quarter (2^-2) with each frame. */
export const FADE_BITS = 2;
/**
 * A mark is change << 11 | 1, so that one sum counts pixels too. An area is 3 × 3 tiles, weighted 1 2 1 both ways, and counts up to 1024
 * pixels.
 */
export const MARK_BITS = 11;
export const AREA = 1024;
/** The table of weights has an entry for every 2^4 pixels of an area. */
export const PIXELS_BITS = 4;
/**
 * A tile's gain of 1, as a whole number. A pixel between tiles mixes their gains by weights that are sixteenths across and sixteenths down,
 * so its gain of 1 is 256 times this number, which is exact in f32.
 */
export const WHOLE = 16384;
export const WHOLE_BITS = 14;
/** The largest mean: the depth 65535. */
export const MOST_MEAN = 33553920;
/** Values mixed from the four tiles around a pixel are this many times as large, because weights are sixteenths in both directions. */
export const MIXED = 256;
/** Twice a pixel's gain is its mixed gain times this: 2 / (256 · `WHOLE`). */
export const TWICE = 4.76837158203125e-7;
/** A mixed gain, shifted right by this, is an index from 0 to 256. */
export const FRAMES_BITS = 14;
/** The largest difference that counts; it is exact in f32. */
export const FARTHEST = 16777215;
/** Bytes of the record that the CPU's warp keeps of four pixels between its loops (assembly/warp.ts). */
export const PLACE_BYTES = 128;

// A job's words after those of core/job.ts: the step, addresses, f32 `JOB_LEAST_GAIN` (twice the parameter), the frame's size, and a part's
// rows, a multiple of `TILE`.
/** The step of the job: 0 makes carried words and the tiles' sums, 1 the means. */
export const JOB_STEP = 5;
export const JOB_SOURCE = 6;
export const JOB_BEFORE = 7;
export const JOB_AFTER = 8;
export const JOB_SINK = 9;
export const JOB_CARRIED = 10;
export const JOB_SUMS = 11;
export const JOB_GAINS = 12;
export const JOB_SCALES = 13;
export const JOB_FRAMES = 14;
export const JOB_MOTION = 15;
export const JOB_LEAST_GAIN = 16;
export const JOB_ROW = 17;
export const JOB_WIDTH = 18;
export const JOB_HEIGHT = 19;
export const JOB_ROWS = 20;
export const JOB_OFFSETS = 21;
export const JOB_SPANS = 22;
export const JOB_WORDS = 23;
