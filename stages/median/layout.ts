/** Bytes on either side of a plane's rows: they hold the columns outside the image. */
export const MARGIN = 32;

/** Planes of scratch memory: the values of a sorted column and its parity; for 5×5 also those of two merged columns. */
export const SIZE3_COLUMN = 4;
export const SIZE5_COLUMN = 6;
export const SIZE5_PAIR = 11;
/** Size 3 keeps a line that its median would move by more than this share of the depth, 2^-5. */
export const THIN_BITS = 5;
