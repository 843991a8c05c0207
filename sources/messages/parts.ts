import { type Camera, cameraOf } from "./camera.ts";
import type { Message } from "./log.ts";
import { oakParts, partOf } from "./oak.ts";
import { IMAGE_TYPES, numbersOf, objectOf } from "./picture.ts";

// Some messages have images in their fields: realsense2_camera_msgs/RGBD and rtabmap_msgs/RGBDImage have colour and depth, raw or packed,
// each with its CameraInfo beside it ("depth", "depth_compressed" and "depth_camera_info").

/** Types of messages that have no images in their fields, by their packages. */
const WITHOUT =
  /^(std_msgs|tf2?_msgs|tf|nav_msgs|geometry_msgs|diagnostic_msgs|rosgraph_msgs|rcl_interfaces|sensor_msgs|foxglove)\//;

/** Whether the images of a type's messages are known by looking into one. */
export const mayHaveParts = (type: string): boolean => !WITHOUT.test(type) && !IMAGE_TYPES.includes(type);

/** The fields of a message that are images; "" where the message itself is. */
export function partsOf(type: string, message: Message): readonly string[] {
  const oak = oakParts(type, message);
  if (oak) return oak;
  return mayHaveParts(type) && !isPicture(message)
    ? Object.keys(message).filter((name) => isPicture(objectOf(message[name])))
    : [""];
}

/** Whether fields are those of an image that is there: wrappers leave one of a raw and a packed image empty. */
function isPicture({ data, encoding, format, width, height }: Message): boolean {
  const isFull = ArrayBuffer.isView(data) ? data.byteLength > 0 : data !== undefined && data !== "";
  return (
    isFull && (typeof format === "string" || (typeof encoding === "string" && Number(width) > 0 && Number(height) > 0))
  );
}

/** The lens of the image in a field: that of the CameraInfo beside it whose name has most in common with the field's. */
export function cameraOfPart(message: Message, part: string, topic: string, where: string): Camera | undefined {
  const word = part.replace(/_?(compressed|raw|image).*$/i, "").toLowerCase();
  const infos = Object.keys(message).filter(
    (name) => numbersOf(objectOf(message[name]).k ?? objectOf(message[name]).K)[0] > 0,
  );
  const name =
    infos.find((one) => word !== "" && one.toLowerCase().includes(word)) ?? (infos.length === 1 ? infos[0] : undefined);
  return name === undefined ? undefined : cameraOf(partOf(message, name), `${topic}, ${name}`, where, []);
}
