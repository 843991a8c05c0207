/** This many pixels of similar depth around a pixel make it part of a surface. */
export const CORNER = 9;
/** Remembered of a pixel that was removed; of one that stayed its depth is remembered, of an invalid one 0. */
export const REMOVED = 65535;
/** The step of a pixel that stayed is lengthened by 2^-`KEPT_BITS`, if its depth changed by no more than that. */
export const KEPT_BITS = 1;
/** The step of a pixel that was removed is shortened by 2^-`REMOVED_BITS`. */
export const REMOVED_BITS = 2;
