/** Bytes on either side of a plane's rows: they hold the columns outside the image. */
export const MARGIN = 32;

/** Planes of scratch memory: the values of a sorted column and its parity; for 5×5 also those of two merged columns. */
export const SIZE3_COLUMN = 4;
export const SIZE5_COLUMN = 6;
export const SIZE5_PAIR = 11;

/** The median leaves a line alone that it would move by more than this share of the depth, 2^-5. */
export const THIN_BITS = 5;
/** The eight neighbours of a pixel, clockwise: two bits each, 0 for −1, 1 for 0, 2 for 1. */
export const AROUND_X = 0x06a4;
export const AROUND_Y = 0x6a40;
/** A word about a pixel's neighbours: a bit for each that has its depth, four bits for the number of nearer ones, then of farther ones. */
export const NEARER = 0x100;
export const FARTHER = 0x1000;
/** At least this many pixels around a line lie all before it or all behind it. */
export const OTHERS = 4;
