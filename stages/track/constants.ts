/** Levels of the pyramid: 1/2, 1/4 and 1/8 of the frame's size, the finest first. */
export const LEVELS = 3;
/** Iterations at each level, the finest first; the coarsest runs first. */
export const ITERATIONS = [1, 1, 2] as const;
/**
 * At each level every n-th pixel across and down takes part; in a small frame more of them do. Denser sampling of the finest level gains
 * nothing.
 */
export const EVERY = [3, 2, 1] as const;
/** No pixels are left out at a level that has fewer than this. */
export const FEWEST_TAKING = 1000;
/** The level whose pixels decide whether the camera stands or moves. In a small frame the finest level decides. */
export const JUDGED = 1;

/**
 * Two weightings of the equations; both are solved, side by side. `calm` weights a residual by the sensor's noise (inverse variance). A
 * hand near the camera would then outweigh the room: at 0.6 m it has 23 times the weight of a wall at 2 m. `crowded` weights a pixel by the
 * area that it covers in space, and nearly ignores large residuals.
 */
export const GUESS = { calm: 0, crowded: 1 } as const;
export type Guess = (typeof GUESS)[keyof typeof GUESS];
/** The scene counts as crowded, for this number of frames, if the crowded guess explains this many times the calm guess's share of area. */
export const CROWDED = 1.05;
export const CROWDED_FRAMES = 8;
/** This ratio in place of `CROWDED` suffices if the camera moved and the calm guess says that it suddenly stands. */
export const STOPPED = 0.95;
/** During those frames the calm guess is taken only if it explains this many times the share. */
export const CALMED = 1.1;

/** The reach, in pixels to each side, of the pairs of pixels that give a slope, by level. */
export const REACHES = [3, 2, 2] as const;

/**
 * A partner's depth differs by at most this share of it, or by `SIGMAS` sigmas. The coarsest level begins with `WIDE`, which is halved in
 * each iteration.
 */
export const WIDE = 0.1;
export const NARROW = 0.03;

/**
 * A direction of motion whose eigenvalue is less than a share of the matrix's trace is held: the scene does not determine it. The share is
 * at least `WEAK`. Noise tilts even a bare wall's planes, by `TILT` times the noise over the width of a pixel of the finest level: the
 * share is also at least the square of that tilt. The share is at most `WEAKEST`: a room's weakest direction has about that share.
 */
export const WEAK = 1e-3;
export const TILT = 0.05;
export const WEAKEST = 0.02;
/** With fewer partners than this the equations are not solved. */
export const FEWEST = 100;
/**
 * The pose is lost if the share of partners falls below this share of the keyframe's first one, or below `VAGUE_PARTNERS` of it if the
 * share of explained pixels is below `LOST_EXPLAINED`. A wrong pose has few partners and explains few pixels. A right pose explains few
 * pixels where the sensor has more noise than was measured, as a stereo camera that moves fast; a new keyframe is needed then.
 */
export const LOST_PARTNERS = 0.3;
export const VAGUE_PARTNERS = 0.8;
export const LOST_EXPLAINED = 0.35;

/**
 * A frame becomes the keyframe only with at least `FEWEST` valid pixels, and with at least this share of those that the keyframe had, so
 * that tracking goes on after a covered lens. Each frame that has too few multiplies the required number by `PATIENCE`.
 */
export const SPARSE = 0.25;
export const PATIENCE = 0.95;
/**
 * After frames that were too empty the camera may be farther away than one alignment reaches: for this many frames the keyframe is kept,
 * and each alignment begins where the one before ended. Then the frame becomes the keyframe, and places begin anew. A pose
 * found in this way is trusted only if its share of partners is at least `LEFT_OVER` times the keyframe's first one, or `VAGUE_PARTNERS`
 * times where the pose explains less than the share `JUDGES` of the pixels.
 */
export const SEARCH = 5;

/**
 * The camera stands if the identity explains at least the share `STANDS` of the pixels that the estimated motion explains. The motion has
 * to explain at least the share `JUDGES` of all pixels: where noise is larger than was measured, identity and motion explain equally few.
 */
export const STANDS = 0.97;
export const JUDGES = 0.5;
/** The noise of neighbouring pixels is alike, so the uncertainty of a pose is this many times that of independent pixels. */
export const CORRELATED = 2.5;
/** A motion that moves the scene by less than this many times the pose's uncertainty does not show. */
export const SHOWN = 1;
/**
 * A camera that stood is let go only in the second frame in a row that shows motion, unless the motion is this many times the uncertainty:
 * a projector that wanders shifts single frames.
 */
export const WAITS = 3;
/** The camera is lost if it moved, and the pose's uncertainty is more than this share of the scene's distance. */
export const UNSURE = 0.01;
/**
 * A camera that stood in the frame before is taken to stand in this one, too, if fewer pixels than this were compared, or if the finest
 * level has fewer than `SMALL` (a frame of 160 × 120): so few pixels cannot tell slow motion from noise.
 */
export const FEWEST_JUDGED = 500;
export const SMALL = 80 * 60;
/** A camera that moved in the frame before is taken to stand only if it moves by less than this, in metres and radians. */
export const CALM_M = 0.0015;
export const CALM_TURN = 0.0006;
/** After this many calm frames in a row a new keyframe is made, at which the camera can stand. */
export const CALM_FRAMES = 5;
/**
 * A new keyframe is taken when the share of partners falls below this share of the keyframe's first one, or at this distance from it, in
 * metres and radians.
 */
export const LEFT_OVER = 0.7;
export const FAR_M = 0.15;
export const FAR_TURN = 0.17;
