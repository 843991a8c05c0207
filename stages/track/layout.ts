/** Levels of the pyramid: 1/2, 1/4 and 1/8 of the frame's size, the finest first. */
export const LEVELS = 3;
/** Iterations at each level, the finest first; the coarsest runs first. */
export const ITERATIONS = [3, 2, 2] as const;
/** At each level every so many pixels across and down take part. More of the finest level gain nothing. */
export const EVERY = [3, 2, 1] as const;
/** The level at which the decision between standing and moving is taken. */
export const JUDGED = 1;

/** Two pixels whose depths (or inverse depths, per pixel of distance) differ by more than this share lie on different surfaces. */
export const SURFACE = 0.03;
/** How far a pair of pixels that gives a slope reaches to each side, by level. */
export const REACHES = [3, 2, 2] as const;
/** The smallest cosine between a plane's normal and the ray to it. */
export const STEEPEST = 0.15;
/** Nearer points have no place in the image, in metres. */
export const NEAREST = 0.1;

/** The noise that weighs the equations: `NOISE_M` metres and `NOISE_PER_M2` per m² of distance squared. */
export const NOISE_M = 0.0015;
export const NOISE_PER_M2 = 0.0025;
/** Residuals of more sigmas than this count less (Huber). */
export const HUBER = 1.5;
/** A partner lies within this share of its depth, or so many sigmas. The coarsest level begins with `WIDE`, halved in each iteration. */
export const WIDE = 0.1;
export const NARROW = 0.03;
export const SIGMAS = 8;
/** Residuals count in the root mean square with no more than this many sigmas. */
export const CAPPED = 3;

/** A direction of motion whose share in the trace of the equations is less than this is held: the scene does not show it. */
export const WEAK = 1e-3;
/** Fewer partners than this cannot tell six directions apart. */
export const FEWEST = 100;
/** A pose is lost if fewer than this share of what the keyframe had find a partner, or are explained by it. */
export const LOST_PARTNERS = 0.3;
export const LOST_EXPLAINED = 0.35;

/** The camera stands if standing explains this share of the pixels that the motion found explains. */
export const STANDS = 0.97;
/** It also stands, unless it moved before, if fewer pixels than this were counted: so few cannot tell slow motion from noise. */
export const FEWEST_JUDGED = 500;
/** A camera that moved stands only after a motion of less than this, in metres and radians. */
export const CALM_M = 0.0015;
export const CALM_TURN = 0.0006;
/** So many calm frames in a row make a new keyframe, at which the camera can stand. */
export const CALM_FRAMES = 5;
/** A new keyframe is taken at fewer partners than this share of what the keyframe had, or this far from it, in metres and radians. */
export const LEFT_OVER = 0.7;
export const FAR_M = 0.15;
export const FAR_TURN = 0.17;
