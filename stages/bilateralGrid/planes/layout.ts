// The memory layout of the WebAssembly form. Four cells along depth form a quad, with one vector of f32 per quantity.

/** Bytes of a quad's moments, and the byte offset of each moment. */
export const QUAD_MOMENTS = 160;
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
