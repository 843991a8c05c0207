// What the twin and its fast form in assembly/ share: constants, and where what is where in memory.

/** Neighbours are one surface if their distances differ by less than this share: no number that whole millimetres meet. */
export const EDGE = 0.0203;
/** What a disc's radius must be for a run of two points and for one of four, in patches. */
export const RUN_OF_2 = 3.04;
export const RUN_OF_4 = 6.08;
/** Points of a run, at most. */
export const MOST = 4;
/** Metres: what is nearer is not drawn, what is farther counts as if it were there. */
export const NEAR = 0.03125;
export const FAR = 2047.0;
/** Of a patch, px: what is not this large is drawn as if it were. */
export const LEAST = 0.0625;
/** Pixels of the depth image: patches go on no farther across a hole. */
export const UNDER = 4;
/** Px: where a metre deeper moves less than this for an edge, it is as good as seen from the sensor's own place. */
export const STILL = 0.02;
/** A box as wide as a disc spreads has a standard deviation of q/√3 = r/2. */
export const BOX = 0.8660254;

/** Who leaves less room than this in a pixel takes it all. Weights add up to 1 only within 2%: no hole is left. */
export const CRUMB = 0.03;
/** A pixel has a distance if it has no more room than this: not 0.5, which whole patches on whole pixels would meet. */
export const UNDRAWN = 0.51;
/** Who finds more room than this is the first: a pixel without a distance is filled as it asks for. */
export const UNTOUCHED = 0.99;
/** What is in focus is filled so much less: its outline is a coverage, not a step. */
export const SHARP = 0.6;
/** What may stand for a pixel at least. */
export const OPAQUE = 0.000001;

/** A tile is 1 << TILE_BITS pixels wide and high: they and the splats on its list stay in a processor's cache. */
export const TILE_BITS = 6;
export const TILE = 1 << TILE_BITS;

// A view's numbers, f32: the pose, 4 × 4 by columns, then these; see camera.ts.
export const FOCAL_X = 16;
export const FOCAL_Y = 17;
export const CENTRE_X = 18;
export const CENTRE_Y = 19;
export const SENSOR_X = 20;
export const SENSOR_Y = 21;
export const SENSOR_CENTRE_X = 22;
export const SENSOR_CENTRE_Y = 23;
export const STEP_X = 24;
export const STEP_Y = 25;
export const POINT_SCALE = 26;
export const BLUR = 27;
export const INVERSE_FOCUS = 28;
export const UNIT = 29;
export const LONGEST_RUN = 30;
export const APERTURE_AREA = 31;
export const MAX_REACH = 32;
export const ZOOM = 33;
export const LAST_COLUMN = 34;
export const LAST_ROW = 35;
export const VIEW_NUMBERS = 36;

// A run's words: mean place, metres in the sensor's frame, and colour; distance from the view; the first point's pixel, row · 65536 +
// column; points; the first one's z.
export const MEAN_X = 0;
export const MEAN_Y = 1;
export const MEAN_Z = 2;
export const MEAN_COLOUR = 3;
export const RUN_DISTANCE = 4;
export const PIXEL = 5;
export const POINTS = 6;
export const FIRST_Z = 7;
export const RUN_FIELDS = 8;

// A splat's words: its centre, px; how far it reaches along and across, in patches, a disc in px; what a px to the right and one
// down are along, and what they are across; peak coverage, negative where the aperture is upside down; metres along the optical axis;
// the pixels of the picture that it may touch, 16 bits each: first column and row, last column and row; its light; and the slope of a
// disc's edge, 0 for a patch.
export const X = 0;
export const Y = 1;
export const ALONG = 2;
export const ACROSS = 3;
export const ALONG_X = 4;
export const ALONG_Y = 5;
export const ACROSS_X = 6;
export const ACROSS_Y = 7;
export const PEAK = 8;
export const DISTANCE = 9;
export const FIRST = 10;
export const LAST = 11;
export const RED = 12;
export const GREEN = 13;
export const BLUE = 14;
export const SLOPE = 15;
export const FIELDS = 16;

// Tables one behind the other: the light of each sRGB byte and where each one's light ends, f32; then the byte of the least light of
// each 4095th.
export const LIGHT_AT = 0;
export const ENDS_AT = 1024;
export const BYTES_AT = 2048;
export const TABLE_STEPS = 4095;
/** Of linear light, in the table of bytes that a picture is written by. */
export const LIGHT_STEPS = 65535;

// How a picture is developed, f32.
export const LIT_RED = 0;
export const LIT_GREEN = 1;
export const LIT_BLUE = 2;
export const LIT_FILL = 3;
export const LIT_BLUR = 4;
export const LIT_INVERSE_FOCUS = 5;
export const LIT_NUMBERS = 6;

/** Bytes of what is known of four runs side by side: assembly/place.ts says what. */
export const PLACES_BYTES = 352;

// A desk, a thread's own memory, in bytes: a film, bins to sort in, and the address of room for a list.
export const FILM_ROW = TILE * 20;
export const FILM_BYTES = TILE * FILM_ROW;
export const BINS = 2048;
export const DESK_BINS = FILM_BYTES;
export const DESK_SPARE = DESK_BINS + BINS * 4;
export const DESK_BYTES = DESK_SPARE + 4;

// A job's words after those of core/job.ts: the picture; where what is drawn from and to is; and a pixel of the background.
export const JOB_COLUMNS = 3;
export const JOB_WIDTH = 4;
export const JOB_HEIGHT = 5;
export const JOB_STARTS = 6;
export const JOB_RGBA = 7;
export const JOB_DEPTH = 8;
export const JOB_LIT = 9;
export const JOB_BYTES = 10;
export const JOB_EMPTY = 11;
export const JOB_EDGES = 12;
export const JOB_EDGES_END = 13;
export const JOB_WORDS = 14;
