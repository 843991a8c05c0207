// Constants and memory layouts that the twin and its fast form in assembly/ share.

/** Neighbours lie on one surface if their distances differ by less than this share. The odd value keeps whole millimetres off the limit. */
export const EDGE = 0.0203;
/** Most points of a run. */
export const MOST = 4;
/** A run needs a disc radius of this many patches per point. */
export const RUN_RADIUS = 1.52;
/** m: nearer points are not drawn; farther points sort as if they were at FAR. */
export const NEAR = 0.03125;
export const FAR = 2047.0;
/** px: the smallest size of a patch. */
export const LEAST = 0.0625;
/** px of the depth image: how far a patch may extend across a hole. */
export const UNDER = 4;
/** px: an edge that moves less than this looks as it does from the sensor itself. */
export const STILL = 0.02;
/** √3 / 2: a box of half width BOX · r has the standard deviation of a disc of radius r. */
export const BOX = 0.8660254;

/** A splat that would leave less room than this in a pixel takes all of it: weights add up to 1 only within 2 %, and no hole may remain. */
export const CRUMB = 0.03;
/** A pixel with more room than this has no distance. Not 0.5, where whole patches end exactly and rounding would decide. */
export const UNDRAWN = 0.51;
/** The first splat of a pixel finds more room than this. A pixel without a distance is filled as its first splat requires. */
export const UNTOUCHED = 0.99;
/** In focus `fill` counts only by this factor, since a sharp outline has pixels that really are covered in part. */
export const SHARP = 0.6;
/** The smallest coverage that may count as a full pixel. */
export const OPAQUE = 0.000001;

/** px: width and height of the kernels' tiles. */
export const TILE = 16;
/** The twin's tiles are 1 << CPU_TILE_BITS pixels wide and high: their pixels and their lists' splats stay in a processor's cache. */
export const CPU_TILE_BITS = 6;
export const CPU_TILE = 1 << CPU_TILE_BITS;

// A camera's numbers, f32: the pose, 4 × 4 by columns, then these; `writeCamera` writes them (camera.ts).
export const FOCAL_X = 16;
export const FOCAL_Y = 17;
export const CENTRE_X = 18;
export const CENTRE_Y = 19;
export const SENSOR_X = 20;
export const SENSOR_Y = 21;
export const SENSOR_CENTRE_X = 22;
export const SENSOR_CENTRE_Y = 23;
export const POINT_SCALE = 24;
export const BLUR = 25;
export const INVERSE_FOCUS = 26;
export const UNIT = 27;
export const LONGEST_RUN = 28;
export const THINNING = 29;
export const APERTURE_AREA = 30;
export const LAST_COLUMN = 31;
export const LAST_ROW = 32;
export const MAX_REACH = 33;
export const ZOOM = 34;
export const STEP_X = 35;
export const STEP_Y = 36;
export const CAMERA_NUMBERS = 37;

// A run's words in assembly/: mean position, metres in the sensor's frame; mean colour; distance from the camera, m; the first point's
// pixel, row · 65536 + column; number of points; the first point's z.
export const RUN_DISTANCE = 4;
export const RUN_FIELDS = 8;

// A splat's words: `Node` of accumulate.wgsl (outline, axes, light), its distance along the optical axis, m, and the first column and row
// and the last column and row of the pixels that it may touch, 16 bits each. The last word is not used. The kernels keep a splat in 32
// bytes, and accumulate.wgsl makes a node of the splat in each tile that the splat touches. Here each splat is kept as its node, for which
// the CPU's memory has room.
export const X = 0;
export const Y = 1;
export const REACH_ALONG = 2;
export const REACH_ACROSS = 3;
export const ALONG_X = 4;
export const ALONG_Y = 5;
export const ACROSS_X = 6;
export const ACROSS_Y = 7;
export const RED = 8;
export const GREEN = 9;
export const BLUE = 10;
export const PEAK = 11;
export const DISTANCE = 12;
export const FIRST = 13;
export const LAST = 14;
export const FIELDS = 16;

// Byte offsets of three tables (light.ts): LIGHT and ENDS, 256 f32 each, and BYTES, one byte for each of TABLE_STEPS + 1 steps of light.
export const LIGHT_AT = 0;
export const ENDS_AT = 1024;
export const BYTES_AT = 2048;
export const TABLE_STEPS = 4095;
/** Steps of linear light in the table that a picture's pixels are looked up in (ENCODED in light.ts). */
export const LIGHT_STEPS = 65535;

// The numbers of a film (camera.ts), f32.
export const LIT_RED = 0;
export const LIT_GREEN = 1;
export const LIT_BLUE = 2;
export const LIT_FILL = 3;
export const LIT_BLUR = 4;
export const LIT_INVERSE_FOCUS = 5;
export const LIT_NUMBERS = 6;

/** Points that take all steps to a splat before the next points do, so that what a step leaves for the next stays in a cache. */
export const BATCH = 256;

// Byte offsets in a thread's scratch memory. While it draws: the film of a tile, bins to sort in, and the address of spare room for a list.
// While it makes splats: the distance, pixel and longest run of a batch's points and of four points to each side, the batch's runs and
// their `FourRuns`, all in the film's place; and the bytes that the splats which this thread has made take in the list of each tile.
export const FILM_ROW = CPU_TILE * 20;
export const FILM_BYTES = CPU_TILE * FILM_ROW;
const BINS = 2048;
export const SCRATCH_BINS = FILM_BYTES;
export const SCRATCH_SPARE = SCRATCH_BINS + BINS * 4;
export const SCRATCH_PIXELS = (BATCH + 8) * 4;
export const SCRATCH_LENGTHS = SCRATCH_PIXELS * 2;
export const SCRATCH_RUNS = SCRATCH_PIXELS * 3;
export const SCRATCH_PLACES = SCRATCH_RUNS + (BATCH + 4) * RUN_FIELDS * 4;
export const SCRATCH_SIZES = SCRATCH_SPARE + 4;
/** A picture has 4096 × 4096 pixels at most. */
export const SCRATCH_BYTES = SCRATCH_SIZES + (4096 >> CPU_TILE_BITS) * (4096 >> CPU_TILE_BITS) * 4;

// A job's words after those of core/job.ts: the step that the parts are of, and what the steps read.
export const JOB_STEP = 5;
// Steps: the splats of a batch of points are made, splats are added to the lists of some rows of tiles, or a tile is drawn.
export const MAKE = 0;
export const LIST = 1;
export const DRAW = 2;
// The picture's size in tiles and pixels, and addresses.
export const JOB_COLUMNS = 6;
export const JOB_WIDTH = 7;
export const JOB_HEIGHT = 8;
export const JOB_STARTS = 9;
export const JOB_RGBA = 10;
export const JOB_DEPTH = 11;
export const JOB_LIT = 12;
export const JOB_BYTES = 13;
export const JOB_EDGES = 14;
// Addresses, and the size of the depth image (JOB_SENSOR), px.
export const JOB_CAMERA = 15;
export const JOB_POINTS = 16;
export const JOB_SENSOR = 17;
export const JOB_SENSOR_WIDTH = 18;
export const JOB_SENSOR_HEIGHT = 19;
export const JOB_TABLES = 20;
export const JOB_SPLATS = 21;
export const JOB_MARKS = 22;
export const JOB_VISIBLE = 23;
// Each frame's own: a pixel of the background, the end of the edges, and the number of points.
export const JOB_EMPTY = 24;
export const JOB_EDGES_END = 25;
export const JOB_COUNT = 26;
// The address of the first row of tiles of each part of LIST, and the end of the last.
export const JOB_CUTS = 27;
export const JOB_WORDS = 28;
