/** Levels of the pyramid: 1/2, 1/4 and 1/8 of the frame's size, the finest first. */
export const LEVELS = 3;
/** Iterations at each level, the finest first; the coarsest runs first. */
export const ITERATIONS = [1, 1, 2] as const;
/** At each level every so many pixels across and down take part, of a small frame more. More of the finest level gain nothing. */
export const EVERY = [3, 2, 1] as const;
/** No pixels are left out at a level that has fewer than this. */
export const FEWEST_TAKING = 1000;
/** The level at which the decision between standing and moving is taken; of a small frame the finest. */
export const JUDGED = 1;

/**
 * What an alignment takes the scene for. Both are tried, side by side. `calm`: what is measured best counts most, by the sensor's noise. A
 * hand near the camera would then outweigh the room: 0.6 m away it has 23 times the weight of a wall at 2 m. `crowded`: surfaces count by
 * their area in space, as pixels see them, and what does not fit hardly counts.
 */
export const GUESS = { calm: 0, crowded: 1 } as const;
export type Guess = (typeof GUESS)[keyof typeof GUESS];
/** The scene is crowded if that guess explains so many times the share of area, and for some frames afterwards. */
export const CROWDED = 1.05;
export const CROWDED_FRAMES = 8;
/** So many times are enough if a camera that moved would stand all at once by the other guess. */
export const STOPPED = 0.95;
/** In these frames the scene is calm only if that guess explains so many times the share. */
export const CALMED = 1.1;

/** How far a pair of pixels that gives a slope reaches to each side, by level. */
export const REACHES = [3, 2, 2] as const;

/** A partner lies within this share of its depth, or `SIGMAS` sigmas. The coarsest level begins with `WIDE`, halved in each iteration. */
export const WIDE = 0.1;
export const NARROW = 0.03;

/** A direction of motion whose share in the trace of the equations is less than this is held: the scene does not show it. */
export const WEAK = 1e-3;
/** Fewer partners than this cannot tell six directions apart. */
export const FEWEST = 100;
/** A pose is lost if fewer than this share of what the keyframe had find a partner, or are explained by it. */
export const LOST_PARTNERS = 0.3;
export const LOST_EXPLAINED = 0.35;

/** The camera stands if standing explains this share of the pixels that the motion found explains. */
export const STANDS = 0.97;
/**
 * It also stands, unless it moved before, if fewer pixels than this were counted, or if the finest level has fewer pixels than `SMALL` (a
 * frame of 160 × 120): so few cannot tell slow motion from noise.
 */
export const FEWEST_JUDGED = 500;
export const SMALL = 80 * 60;
/** A camera that moved stands only after a motion of less than this, in metres and radians. */
export const CALM_M = 0.0015;
export const CALM_TURN = 0.0006;
/** After this many calm frames in a row a new keyframe is made, at which the camera can stand. */
export const CALM_FRAMES = 5;
/** A new keyframe is taken at fewer partners than this share of what the keyframe had, or this far from it, in metres and radians. */
export const LEFT_OVER = 0.7;
export const FAR_M = 0.15;
export const FAR_TURN = 0.17;
