/** The forms in which depth is published, each on a topic of its own. */
export const FORMS = ["image", "compressedDepth", "compressedDepth-rvl", "points", "points-organised"] as const;
export type Form = (typeof FORMS)[number];
