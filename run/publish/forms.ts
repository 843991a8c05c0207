/** The forms in which depth is published, each on a topic of its own. */
export const FORMS = ["image", "compressedDepth", "compressedDepth-rvl", "points", "points-organised"] as const;
/** A form: sensor_msgs/Image, compressedDepth as PNG or RVL, sensor_msgs/PointCloud2 without or with the image's order. */
export type Form = (typeof FORMS)[number];

/** How depth is named and sent in a ROS graph. */
export interface PublishAs {
  /** "/camera/depth_filtered"; by the source's topic if not given. */
  readonly namespace?: string | undefined;
  /** The forms that are published; only images if not given. */
  readonly forms?: readonly Form[] | undefined;
  /** The messages' frame_id; the source's if not given. */
  readonly frameId?: string | undefined;
}
