// Constants that the loops in TypeScript share with assembly/. Bytes, unless it says otherwise.

/** Voxels along an edge of a brick, and in all of it. */
export const EDGE = 8;
export const VOXELS = 512;
/** A brick has the distances of its voxels (i16), their weights (u16), and behind them their colours (u32), if the volume has colours. */
export const WEIGHTS = 1024;
export const COLOURS = 2048;
/** Distances are cut off at this many voxels. */
export const TRUNCATION = 4;
/** Voxels this deep behind the surface, in truncation distances, weigh nothing; from a quarter nearer on, they have their whole weight. */
export const DEEPEST = 0.75;
/** Distances are kept in units of the truncation distance over this. */
export const DISTANCE_UNITS = 32767.0;
/** The weight of a pixel seen from the front where the sensor is at its best. */
export const PIXEL_WEIGHT = 256;
/** Weights stop growing here, so that old observations fade and what has moved away is carved within some seconds. */
export const MOST_WEIGHT = 25600;
/** The greatest weight of a voxel's old colour in the mean with a new frame's colour: the colour can always change. */
export const MOST_COLOUR = 4096.0;
/** An entry of the list of bricks to update: the brick's address and its coordinates, four i32. */
export const ENTRY = 16;
/** How many entries of the list a thread takes at a time. */
export const PART = 64;
/** The words of a job behind its first ones: the arguments of `integrate`. */
export const ARGUMENTS = 7;
/** Voxels nearer to the surface than this share of the truncation distance are coloured: a vertex takes the colour of the nearest ones. */
export const COLOURED = 0.25;
/** Points nearer than this are not seen, m. */
export const NEAREST = 0.1;
/**
 * The high 16 bits of a pixel's fourth word are its weight; the low 16 bits are, in these units, the distance to the pixel's plane of a
 * point that lies 1 m before it along the optical axis on the pixel's ray. It is 1 at most in the middle of the image, and 2 at most
 * elsewhere.
 */
export const LEAN_UNITS = 32767.0;
/** Pixels to each side whose depths give a slope. */
export const REACH = 2;
/** Three such pixels lie across an edge where the outer two depths and twice the middle depth differ by more than this share of it. */
export const BEND = 0.02;
/** Pixels whose normal makes a smaller cosine with their ray are left out: depth is worst there. */
export const GRAZING = 0.15;
