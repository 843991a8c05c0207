// The memory layout of the WebAssembly form. Four cells along depth form a quad, with one vector of f32 per quantity.

/** Bytes of a quad's moments, and the byte offset of each moment. */
export const QUAD_MOMENTS = 176;
export const N = 0;
export const U = 16;
export const V = 32;
export const UU = 48;
export const UV = 64;
export const VV = 80;
export const R = 96;
export const UR = 112;
export const VR = 128;
export const RR = 144;
/** A lane of a tile's quad: all bits are set if the tile has pixels in the cell or beside it. */
export const NEAR = 160;

/** Bytes of a quad's residuals, which say how far its pixels lie off their planes, and the byte offsets of Σr, Σur and Σvr. */
export const QUAD_RESIDUALS = 48;
export const OFF = 0;
export const U_OFF = 16;
export const V_OFF = 32;

/** Bytes of the designs of a quad's fits, and the byte offsets: 1/Σ1, the mean u and v, and the inverse of the covariance of u and v. */
export const QUAD_DESIGNS = 96;
export const EACH = 0;
export const MEAN_U = 16;
export const MEAN_V = 32;
export const INVERSE_UU = 48;
export const INVERSE_UV = 64;
export const INVERSE_VV = 80;

/**
 * Bytes of a quad's planes, and the byte offsets: 1/depth at the column's centre, its growth per pixel to the right and down, the weight.
 */
export const QUAD_PLANES = 64;
export const INVERSE = 0;
export const ACROSS = 16;
export const DOWN = 32;
export const WEIGHT = 48;

/** Bytes of a cell's record (its planes of four adjacent columns), and of a quad's records. */
export const RECORD = 64;
export const QUAD_RECORDS = 256;

/**
 * Bytes of a cell's bin: (n u v uu) (uv vv left right) (r 2ur 2vr rr); and of a pixel's place: (1 u v uu) (uv vv left right) (1 2u 2v 1).
 */
export const BIN = 48;
export const PLACE = 48;
/** Bytes of the factors of one tap along depth, and of all five: the factors of n and r for r, and of n, r and rr for rr. */
export const TAP = 80;
export const QUAD_TAPS = 400;

/** The count of a pixel in a tile's lower half, where one in the upper half counts 1; more than the upper half has pixels. */
export const LOWER = 4096;

// A job's words after those of core/job.ts. Addresses:
export const JOB_SOURCE = 5;
export const JOB_SINK = 6;
export const JOB_ENTRIES = 7;
export const JOB_DEPTHS = 8;
export const JOB_PLACES = 9;
export const JOB_ACROSS = 10;
export const JOB_DOWN = 11;
export const JOB_TAPS = 12;
export const JOB_CELLS = 13;
export const JOB_NOTHING = 14;
// Sizes: bytes of a row of pixels, rows of pixels, the grid's, 64-bit words of a mask, blocks of 16 flags, and a part's rows of regions.
export const JOB_PITCH = 15;
export const JOB_HEIGHT = 16;
export const JOB_SPACE = 17;
export const JOB_COLUMNS = 18;
export const JOB_ROWS = 19;
export const JOB_QUADS = 20;
export const JOB_MASK_WORDS = 21;
export const JOB_BLOCKS = 22;
export const JOB_REGIONS = 23;
// f32:
export const JOB_RIDGE = 24;
export const JOB_THIN = 25;
export const JOB_SIGNIFICANCE = 26;
export const JOB_SLOPE = 27;
export const JOB_SIGMA = 28;
export const JOB_GROWTH = 29;
export const JOB_FARTHEST = 30;
export const JOB_REACH = 31;
export const JOB_WORDS = 32;

// The words of a scratch, addresses. First what belongs to one row at a time:
export const SCRATCH_BINS = 0;
export const SCRATCH_FLAGS = 1;
export const SCRATCH_RAW = 2;
export const SCRATCH_RECORDS = 3;
export const SCRATCH_RESIDUALS = 4;
export const SCRATCH_SUMS = 5;
// Then ring buffers of rows: the address of row r is the word r & 3 of four. Only two rows of `RING_GRID`, `RING_MASKS` and `RING_DESIGNS`
// are in use at a time: they take turns.
export const RING_GRID = 6;
export const RING_MASKS = 10;
export const RING_MIXED = 14;
export const RING_MIXED_MASKS = 18;
export const RING_PLANES = 22;
export const RING_DESIGNS = 26;
export const RING_MIXED_RESIDUALS = 30;
export const RING_ASKED = 34;
export const SCRATCH_WORDS = 38;
