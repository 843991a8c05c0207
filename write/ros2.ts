import { CdrWriter } from "@foxglove/cdr";
import type { MotionSample } from "../core/extras.ts";
import type { DepthArray, DistortionModel, Intrinsics } from "../core/frame.ts";
import { SourceError } from "../core/source.ts";
import { FRAME_ID, headed } from "./cdr.ts";
import { quaternionOf } from "./quaternion.ts";

/**
 * Messages of ROS 2, in CDR, used for recordings and live streams. Every viewer reads them: Foxglove, Lichtblick and ROS' own tools. ROS's
 * own readers know neither JSON nor Foxglove's schemas, and refuse a bag as a whole for one topic in another encoding.
 */

const RULE = "=".repeat(80);
const also = (name: string, text: string) => `${RULE}\nMSG: ${name}\n${text}\n`;
const HEADER = `${also("std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id")}${also("builtin_interfaces/Time", "int32 sec\nuint32 nanosec")}`;
const VECTOR = also("geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z");
const QUATERNION = also("geometry_msgs/Quaternion", "float64 x\nfloat64 y\nfloat64 z\nfloat64 w");

/** The definition of each message type with those of the types in it. */
export const definitions = {
  "sensor_msgs/msg/Image": `std_msgs/Header header
uint32 height
uint32 width
string encoding
uint8 is_bigendian
uint32 step
uint8[] data
${HEADER}`,
  "realsense2_camera_msgs/msg/Metadata": `std_msgs/Header header
string json_data
${HEADER}`,
  "sensor_msgs/msg/Imu": `std_msgs/Header header
geometry_msgs/Quaternion orientation
float64[9] orientation_covariance
geometry_msgs/Vector3 angular_velocity
float64[9] angular_velocity_covariance
geometry_msgs/Vector3 linear_acceleration
float64[9] linear_acceleration_covariance
${VECTOR}${QUATERNION}${HEADER}`,
  "sensor_msgs/msg/CompressedImage": `std_msgs/Header header
string format
uint8[] data
${HEADER}`,
  "sensor_msgs/msg/CameraInfo": `std_msgs/Header header
uint32 height
uint32 width
string distortion_model
float64[] d
float64[9] k
float64[9] r
float64[12] p
uint32 binning_x
uint32 binning_y
sensor_msgs/RegionOfInterest roi
${HEADER}${also("sensor_msgs/RegionOfInterest", "uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify")}`,
  "sensor_msgs/msg/PointCloud2": `std_msgs/Header header
uint32 height
uint32 width
sensor_msgs/PointField[] fields
bool is_bigendian
uint32 point_step
uint32 row_step
uint8[] data
bool is_dense
${HEADER}${also("sensor_msgs/PointField", "string name\nuint32 offset\nuint8 datatype\nuint32 count")}`,
  "foxglove_msgs/msg/PointCloud": `builtin_interfaces/Time timestamp
string frame_id
geometry_msgs/Pose pose
uint32 point_stride
foxglove_msgs/PackedElementField[] fields
uint8[] data
${also("geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation")}${also("geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z")}${QUATERNION}${also("foxglove_msgs/PackedElementField", "string name\nuint32 offset\nuint8 type")}${also("builtin_interfaces/Time", "int32 sec\nuint32 nanosec")}`,
  "tf2_msgs/msg/TFMessage": `geometry_msgs/TransformStamped[] transforms
${also("geometry_msgs/TransformStamped", "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform")}${also("geometry_msgs/Transform", "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation")}${VECTOR}${QUATERNION}${HEADER}`,
  "std_msgs/msg/String": "string data\n",
  "std_msgs/msg/Float64": "float64 data\n",
  "std_msgs/msg/UInt64": "uint64 data\n",
} as const;

export type SchemaName = keyof typeof definitions;

/** A time stamp in ROS' form, and the frame that a message's header names; `FRAME_ID` where there is none. */
export interface Stamp {
  readonly sec: number;
  readonly nanosec: number;
  readonly frameId?: string | undefined;
}

/** Converts a time stamp in ms. Throws a `SourceError` for a time that ROS cannot express: before 1970 or after 2038. */
export function stampOf(ms: number): Stamp {
  const sec = Math.floor(ms / 1000);
  if (!(sec >= 0 && sec < 2 ** 31))
    throw new SourceError(
      `the time stamp ${ms} ms lies outside of what ROS can express (1970 to 2038) and cannot be written`,
    );
  const nanosec = Math.round((ms - sec * 1000) * 1e6);
  return nanosec < 1e9 ? { sec, nanosec } : { sec: sec + 1, nanosec: 0 };
}

export const nanosecondsOf = ({ sec, nanosec }: Stamp): bigint => BigInt(sec) * 1_000_000_000n + BigInt(nanosec);

/** The frame in which the camera's poses are. */
const WORLD_ID = "world";

/** Encodes an image. "16UC1" is in millimetres (REP 118). */
export function imageMessage(
  stamp: Stamp,
  encoding: "16UC1" | "rgba8" | "mono8" | "mono16",
  [height, width]: number[],
  data: Uint8Array,
) {
  const writer = headed(stamp, data.length).uint32(height).uint32(width).string(encoding);
  return writer
    .uint8(0)
    .uint32(data.length / height)
    .uint8Array(data, true).data;
}

/**
 * Encodes depth as an image in metres, NaN for no measurement, without a second copy of it. A reader that knows the unit restores the same
 * units.
 */
export function metresMessage(stamp: Stamp, { data, shape }: DepthArray, metresPerUnit: number): Uint8Array {
  const [height, width] = shape;
  const writer = headed(stamp, 0).uint32(height).uint32(width).string("32FC1").uint8(0);
  const head = writer.uint32(4 * width).uint32(4 * data.length).data;
  const message = new Uint8Array(head.length + 4 * data.length);
  message.set(head);
  const metres = new Float32Array(message.buffer, head.length);
  for (let i = 0; i < metres.length; i++) metres[i] = data[i] === 0 ? Number.NaN : data[i] * metresPerUnit;
  return message;
}

export const compressedMessage = (stamp: Stamp, format: string, data: Uint8Array): Uint8Array =>
  headed(stamp, data.length).string(format).uint8Array(data, true).data;

/** ROS' names of distortion models, and librealsense's where ROS has none. */
const MODELS: Readonly<Record<DistortionModel, string>> = {
  "brown-conrady": "plumb_bob",
  rational: "rational_polynomial",
  fisheye: "equidistant",
  "inverse-brown-conrady": "Inverse Brown Conrady",
  "modified-brown-conrady": "Modified Brown Conrady",
  rational6kt: "rational6kt",
};

export function cameraInfoMessage(
  stamp: Stamp,
  { fx, fy, cx, cy, width, height, distortion = [], distortionModel }: Intrinsics,
): Uint8Array {
  const model = distortionModel ?? (distortion.length > 5 ? "rational" : "brown-conrady");
  const writer = headed(stamp, 600).uint32(height).uint32(width).string(MODELS[model]);
  writer.float64Array([...distortion], true);
  writer.float64Array([fx, 0, cx, 0, fy, cy, 0, 0, 1]);
  writer.float64Array([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  writer.float64Array([fx, 0, cx, 0, 0, fy, cy, 0, 0, 0, 1, 0]);
  // No binning, and the region of interest is the whole image.
  for (let i = 0; i < 6; i++) writer.uint32(0);
  return writer.uint8(0).data;
}

/** Where a frame stands in its parent's: the upper three rows of a 4 × 4 matrix. */
export interface Transform {
  readonly parent: string;
  readonly child: string;
  readonly pose: ArrayLike<number>;
}

/** Encodes a message of `/tf` or `/tf_static`. */
export function transformsMessage({ sec, nanosec }: Stamp, transforms: readonly Transform[]): Uint8Array {
  const writer = new CdrWriter({ size: 256 * (1 + transforms.length) }).uint32(transforms.length);
  for (const { parent, child, pose } of transforms) {
    writer.int32(sec).uint32(nanosec).string(parent).string(child);
    for (const value of [pose[3], pose[7], pose[11], ...quaternionOf(pose)]) writer.float64(value);
  }
  return writer.data;
}

/** Encodes the camera's pose, the upper three rows of a 4 × 4 matrix, as the one transform of a message of `/tf`. */
export const poseMessage = (stamp: Stamp, pose: ArrayLike<number>): Uint8Array =>
  transformsMessage(stamp, [{ parent: WORLD_ID, child: FRAME_ID, pose }]);

export const stringMessage = (text: string): Uint8Array =>
  new CdrWriter({ size: 3 * text.length + 64 }).string(text).data;
export const float64Message = (value: number): Uint8Array => new CdrWriter({ size: 64 }).float64(value).data;
export const uint64Message = (value: number): Uint8Array => new CdrWriter({ size: 64 }).uint64(BigInt(value)).data;

/** Notes about a frame, as the ROS wrappers of RealSense and Orbbec write them. */
export function notesMessage(stamp: Stamp, notes: Readonly<Record<string, string>>): Uint8Array {
  const text = JSON.stringify(notes);
  return headed(stamp, 3 * text.length).string(text).data;
}

/** What one inertial sensor measured; a covariance that begins with -1 marks what the message lacks (sensor_msgs/Imu). */
export function imuMessage(stamp: Stamp, sensor: "accelerometer" | "gyroscope", xyz: MotionSample["xyz"]): Uint8Array {
  const writer = headed(stamp, 320);
  const put = (values: readonly number[], isThere: boolean) => {
    for (const value of values) writer.float64(isThere ? value : 0);
    for (let i = 0; i < 9; i++) writer.float64(i === 0 && !isThere ? -1 : 0);
  };
  put([0, 0, 0, 0], false);
  put(xyz, sensor === "gyroscope");
  put(xyz, sensor === "accelerometer");
  return writer.data;
}

export const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array | Uint16Array | Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
