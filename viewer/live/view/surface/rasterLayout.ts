// The layout that raster.ts and its fast form, assembly/raster.ts, share.

/** Points nearer to the lens than this are not drawn, m. */
export const NEAR = 0.02;

// A view's numbers, f32: rows of the clip matrix for x, y and w, four numbers each; the middle of the image; how points grow.
export const ROW_X = 0;
export const ROW_Y = 4;
export const ROW_W = 8;
export const LEFT = 12;
export const TOP = 13;
export const GROWTH = 14;
export const VIEW_NUMBERS = 15;

/** Bytes that four points need between two steps. */
export const SCRATCH_BYTES = 80;
