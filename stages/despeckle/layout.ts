/** This many pixels of similar depth around a pixel make it part of a surface. */
export const CORNER = 9;
/** The memory of a valid pixel holds its depth without the last two bits, whether it was removed, and whether the answer waits. */
export const DEPTH = 0xfffc;
export const REMOVED = 1;
export const WAITS = 2;
/** The middle of the depths that share one remembered value, above the least of them. */
export const MIDDLE = 2;
/** The step of a pixel that stayed is lengthened by 2^-`KEPT_BITS`, if its depth changed by no more than that. */
export const KEPT_BITS = 1;
/** The step of a pixel that was removed is shortened by 2^-`REMOVED_BITS`; an answer waits if depth changed by no more than that. */
export const REMOVED_BITS = 2;
