// Numbers that the twin shares with its form in assembly/. Those of the kernels are in shaders/track/.

/** The scale of Geman and McClure's weights, at hand and per m² of distance squared, in metres. */
export const FIT_M = 0.0025;
export const FIT_PER_M2 = 0.0025;
/** Two pixels whose depths (or inverse depths, per pixel of distance) differ by more than this share lie on different surfaces. */
export const SURFACE = 0.03;
/** Nearer points have no place in the image, in metres. */
export const NEAREST = 0.1;
/** The noise that weighs the equations: `NOISE_M` metres and `NOISE_PER_M2` per m² of distance squared. */
export const NOISE_M = 0.0015;
export const NOISE_PER_M2 = 0.0025;
/** Residuals of more sigmas than this count less (Huber). */
export const HUBER = 1.5;
/** A partner lies within so many sigmas. */
export const SIGMAS = 8.0;

/** The smallest cosine between a plane's normal and the ray to it. */
export const STEEPEST = 0.15;
/** The width of the zeros around a level's inverse depth, px: no pair reaches farther from its pixel. */
export const MARGIN = 4;
