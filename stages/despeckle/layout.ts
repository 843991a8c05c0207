/** This many pixels of similar depth around a pixel make it part of a surface. */
export const CORNER = 9;
