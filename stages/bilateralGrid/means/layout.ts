/** Words before cell 0 in a raw column. */
export const RAW_PAD = 3;
/** Columns of empty ranges on each side of the grid, so that no pass has to test where the grid ends. */
export const RANGE_PAD = 3;
/** The range of a column without valid pixels: first 65535, last 0. */
export const EMPTY_RANGE = 0x0000ffff;
