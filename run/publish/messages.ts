import { type DepthArray, type DepthFrame, image } from "../../core/frame.ts";
import { folderOfTopic } from "../../sources/format/roles.ts";
import { cloudMessage, cloudOf } from "../../write/cloud.ts";
import { compressedDepth, type Topic, type TopicMessage } from "../../write/frameMessages.ts";
import { Losses } from "../../write/losses.ts";
import { depthEncoder } from "../../write/mcap.ts";
import {
  bytesOf,
  cameraInfoMessage,
  imageMessage,
  metresMessage,
  type SchemaName,
  type Stamp,
  stampOf,
} from "../../write/ros2.ts";
import { inUnits } from "../../write/units.ts";
import type { Form } from "./forms.ts";

const MILLIMETRES = 0.001;

/** The namespace of the topics that are made of a depth topic: "/camera/depth/image_rect_raw" gives "/camera/depth_filtered". */
export const namespaceOf = (topic: string | undefined): string =>
  `${(topic && folderOfTopic(topic)) || "/depth"}_filtered`;

/** The time stamp and frame_id of messages made from a frame: the source's own where that is a ROS message. */
const headerOf = ({ origin, timestamp }: DepthFrame, frameId: string | undefined): Stamp => ({
  ...(origin?.stamp ?? stampOf(timestamp)),
  frameId: frameId ?? origin?.frameId,
});

/**
 * Makes ROS 2's messages of frames: camera_info, then depth in each form. An image has the source's encoding; what does not come from ROS
 * is sent in whole millimetres, as REP 118 says.
 */
export class RosMessages {
  readonly losses = new Losses();
  /** Depth in whole millimetres, of one frame after the other. */
  #whole = new Uint16Array();

  constructor(
    readonly namespace: string,
    readonly forms: readonly Form[] = ["image"],
    readonly frameId?: string | undefined,
  ) {}

  async of(frame: DepthFrame): Promise<TopicMessage[]> {
    const stamp = headerOf(frame, this.frameId);
    const info = { topic: this.#topic("camera_info", "CameraInfo"), data: cameraInfoMessage(stamp, frame.intrinsics) };
    let whole: DepthArray | undefined;
    // A new array for each frame would cost more than the conversion: its pages are made when they are written.
    const inMillimetres = () => {
      if (this.#whole.length !== frame.depth.data.length) this.#whole = new Uint16Array(frame.depth.data.length);
      whole ??= inUnits(frame, MILLIMETRES, this.losses, this.#whole);
      return whole;
    };
    const made = this.forms.map((form) => this.#message(form, stamp, frame, inMillimetres));
    return [info, ...(await Promise.all(made))];
  }

  #topic(name: string, type: string): Topic {
    return { topic: `${this.namespace}/${name}`, schema: `sensor_msgs/msg/${type}` as SchemaName };
  }

  async #message(form: Form, stamp: Stamp, frame: DepthFrame, inMillimetres: () => DepthArray): Promise<TopicMessage> {
    if (form === "points" || form === "points-organised") {
      const cloud = cloudOf(frame, form === "points-organised");
      return { topic: this.#topic(form.replace("-", "_"), "PointCloud2"), data: cloudMessage(stamp, cloud) };
    }
    const { depth, metresPerUnit, origin } = frame;
    if (form === "image" && origin?.encoding === "32FC1") {
      return { topic: this.#topic("image_raw", "Image"), data: metresMessage(stamp, depth, metresPerUnit) };
    }
    const whole = inMillimetres();
    if (form === "image") {
      const data = imageMessage(stamp, "16UC1", depth.shape, bytesOf(whole.data));
      return { topic: this.#topic("image_raw", "Image"), data };
    }
    const codec = await depthEncoder(form === "compressedDepth" ? "png" : "rvl");
    const topic = this.#topic("image_raw/compressedDepth", "CompressedImage");
    return { topic, data: await compressedDepth(stamp, image(whole.data, depth.shape), codec) };
  }
}
