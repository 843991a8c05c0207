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

/** Bytes of what a quad's pixels lie off their planes, and the byte offsets of Σr, Σur and Σvr. */
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

/** Bytes of a cell's bin: (n u v uu) (uv vv left right) (r ur vr rr). */
export const BIN = 48;
/** Bytes of the factors of one tap along depth, and of all five: the factors of n and r for r, and of n, r and rr for rr. */
export const TAP = 80;
export const QUAD_TAPS = 400;

/** The count of a pixel in a tile's lower half, where one in the upper half counts 1; more than the upper half has pixels. */
export const LOWER = 4096;
