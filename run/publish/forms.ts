/** The forms in which depth is published, each on a topic of its own. */
export const FORMS = ["image", "compressedDepth", "compressedDepth-rvl", "points", "points-organised"] as const;
/** A form: sensor_msgs/Image, compressedDepth as PNG or RVL, sensor_msgs/PointCloud2 without or with the image's order. */
export type Form = (typeof FORMS)[number];
