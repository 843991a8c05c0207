// Constants that the twin shares with assembly/. The kernels declare the same values in shaders/track/.

/** The scale of Geman and McClure's weights in metres: `FIT_M` + `FIT_PER_M2` · distance². */
export const FIT_M = 0.0025;
export const FIT_PER_M2 = 0.0025;
/** Two pixels whose depths (or inverse depths, per pixel of distance) differ by more than this share lie on different surfaces. */
export const SURFACE = 0.03;
/** Points nearer than this are not projected, in metres. */
export const NEAREST = 0.1;
/** The sigma that weights the equations, in metres: `NOISE_M` + `NOISE_PER_M2` · distance². */
export const NOISE_M = 0.0015;
export const NOISE_PER_M2 = 0.0025;
/** Residuals of more sigmas than this count less (Huber). */
export const HUBER = 1.5;
/** A partner lies within this many sigmas. */
export const SIGMAS = 8.0;

/**
 * Sums are whole numbers: the units of the matrix (of a pixel's weight at the scene's middle), the right side (distances are in the noise
 * at the middle), places and their squares (of the scene's radius), and areas.
 */
export const MATRIX_UNITS = 512.0;
export const SIDE_UNITS = 16384.0;
export const PLACE_UNITS = 16384.0;
export const SQUARE_UNITS = 512.0;
export const AREA_UNITS = 1024.0;
/**
 * The sums of one iteration by their index; their number is `SUMS`. First the upper triangle of the normal equations' matrix, row by row:
 * three rows of the turn, three of the shift. Then their right side, and what solve.wgsl says.
 */
export const RIGHT = 21;
export const PARTNERS = 27;
export const PLACES = 28;
export const SQUARES = 31;
export const ERRORS = 32;
export const VALID = 33;
export const SUMS = 34;
/** No pixel has more than this many times the weight of one at the middle, nor more pull than `MOST_PULL`, so that no sum overflows. */
export const MOST_WEIGHT = 256.0;
export const MOST_PULL = 2048.0;
/** Added to a number up to 2^22, this rounds it to a whole number, halves to the even one, and leaves it in the lowest bits. */
export const ROUNDING = 12582912.0;

/** The smallest cosine between a plane's normal and the ray to it. */
export const STEEPEST = 0.15;
/** Zeros surround each level's inverse depth, this many pixels wide: the pairs that give a pixel's slopes lie no farther from it. */
export const MARGIN = 4;
/** Bytes of the record that assembly/align.ts keeps of four pixels. */
export const PLACE_BYTES = 128;
/** Bytes of the sums of a row, four lanes to each. */
export const SUMS_BYTES = 528;
