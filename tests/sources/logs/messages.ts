import { CdrWriter } from "@foxglove/cdr";
import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg-serialization";
import protobuf from "protobufjs";
import { knownDefinition } from "../../../sources/messages/known.ts";
import { depthUnits, HEIGHT, K, rows16, WIDTH } from "./frames.ts";

/** A message, with the schema of its type. */
export interface Written {
  readonly schema: string;
  readonly language: string;
  readonly definition: Uint8Array;
  readonly encoding: string;
  readonly data: Uint8Array;
}

/** The placeholders that the writers below put for a message's own time stamp. */
const STAMPS = { cdr: [12, 34], ros1: [1, 2] } as const;

/** A message's bytes, with the time of its recording as its own time stamp where the placeholder is. */
export function stamped({ encoding, schema, data }: Written, ms: number): Uint8Array {
  if ((encoding !== "cdr" && encoding !== "ros1") || !schema.startsWith("sensor_msgs/")) return data;
  const bytes = Uint8Array.from(data);
  const view = new DataView(bytes.buffer);
  const [sec, nsec] = STAMPS[encoding];
  if (bytes.length < 12 || view.getUint32(4, true) !== sec || view.getUint32(8, true) !== nsec) return data;
  const seconds = Math.floor(ms / 1000);
  view.setUint32(4, seconds, true);
  view.setUint32(8, Math.round((ms - 1000 * seconds) * 1e6), true);
  return bytes;
}

interface ImageFields {
  readonly encoding: string;
  readonly data: Uint8Array;
  readonly step?: number;
  readonly bigEndian?: boolean;
  readonly frameId?: string | undefined;
}

const utf8 = (text: string) => new TextEncoder().encode(text);

// ROS 2

const ros2 = (type: string, data: Uint8Array): Written => ({
  schema: type.replace("/", "/msg/"),
  language: "ros2msg",
  definition: utf8(knownDefinition(type) ?? ""),
  encoding: "cdr",
  data,
});

const headed = (frameId = "") => new CdrWriter({ size: 1024 }).int32(12).uint32(34).string(frameId);

export const ros2Image = ({ encoding, data, step = data.length / HEIGHT, bigEndian = false, frameId }: ImageFields) =>
  ros2(
    "sensor_msgs/Image",
    headed(frameId)
      .uint32(HEIGHT)
      .uint32(WIDTH)
      .string(encoding)
      .uint8(Number(bigEndian))
      .uint32(step)
      .uint8Array(data, true).data,
  );

/** The depth image of a frame, in millimetres. */
export const ros2Depth = (index: number, frameId?: string) =>
  ros2Image({ encoding: "16UC1", data: rows16(depthUnits(index)), frameId });

export const ros2Compressed = (format: string, data: Uint8Array, frameId?: string) =>
  ros2("sensor_msgs/CompressedImage", headed(frameId).string(format).uint8Array(data, true).data);

/** A packet of a video, as Foxglove's schema has it. */
export const ros2Video = (format: string, data: Uint8Array): Written => ({
  ...{ schema: "foxglove_msgs/msg/CompressedVideo", language: "ros2msg", encoding: "cdr" },
  definition: utf8(
    `builtin_interfaces/Time timestamp\nstring frame_id\nuint8[] data\nstring format\n${"=".repeat(80)}\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n`,
  ),
  data: new CdrWriter({ size: 256 + data.length })
    .int32(1)
    .uint32(2)
    .string("")
    .sequenceLength(data.length)
    .uint8Array(data)
    .string(format).data,
});

export interface LensFields {
  readonly d?: readonly number[];
  readonly model?: string;
  readonly k?: readonly number[];
  readonly p?: readonly number[];
  readonly frameId?: string;
  /** The size of the whole sensor, px. */
  readonly width?: number;
  readonly height?: number;
  readonly binning?: readonly [x: number, y: number];
  readonly roi?: readonly [x: number, y: number, width: number, height: number];
}

export function ros2Lens(fields: LensFields = {}) {
  const { d = [], model = "plumb_bob", k = K, p = [], frameId, width = WIDTH, height = HEIGHT } = fields;
  const { binning = [0, 0], roi = [0, 0, 0, 0] } = fields;
  const writer = headed(frameId).uint32(height).uint32(width).string(model);
  writer
    .float64Array([...d], true)
    .float64Array([...k])
    .float64Array([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  writer.float64Array(p.length === 12 ? [...p] : new Array(12).fill(0));
  for (const value of [...binning, roi[0], roi[1], roi[3], roi[2]]) writer.uint32(value);
  return ros2("sensor_msgs/CameraInfo", writer.uint8(0).data);
}

/** One transform: the child's position and rotation (a quaternion) in the parent's frame. */
export function ros2Transform(parent: string, child: string, t: readonly number[], q: readonly number[]) {
  const writer = new CdrWriter({ size: 512 }).sequenceLength(1).int32(0).uint32(0).string(parent).string(child);
  for (const value of [...t, ...q]) writer.float64(value);
  return ros2("tf2_msgs/TFMessage", writer.data);
}

// ROS 1

const HEADER = `${"=".repeat(80)}\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n`;
const ROI = `${"=".repeat(80)}\nMSG: sensor_msgs/RegionOfInterest\nuint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify\n`;
const XYZ = `${"=".repeat(80)}\nMSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n${"=".repeat(80)}\nMSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w\n`;
const ROS1: Record<string, string> = {
  "sensor_msgs/Image": `Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data\n${HEADER}`,
  "sensor_msgs/CompressedImage": `Header header\nstring format\nuint8[] data\n${HEADER}`,
  "sensor_msgs/CameraInfo": `Header header\nuint32 height\nuint32 width\nstring distortion_model\nfloat64[] D\nfloat64[9] K\nfloat64[9] R\nfloat64[12] P\nuint32 binning_x\nuint32 binning_y\nRegionOfInterest roi\n${HEADER}${ROI}`,
  "std_msgs/Float32": "float32 data\n",
  "diagnostic_msgs/KeyValue": "string key\nstring value\n",
  "realsense2_camera_msgs/Metadata": `Header header\nstring json_data\n${HEADER}`,
  "sensor_msgs/Imu": `Header header\nVector3 angular_velocity\nfloat64[9] angular_velocity_covariance\nVector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance\n${HEADER}${XYZ}`,
  "geometry_msgs/Transform": `Vector3 translation\nQuaternion rotation\n${XYZ}`,
};

/** A message of ROS 1, by ROS's own definition, written by @foxglove/rosmsg-serialization. */
export function ros1(type: string, message: object): Written {
  const data = new MessageWriter(parse(ROS1[type])).writeMessage(message);
  return { schema: type, language: "ros1msg", definition: utf8(ROS1[type]), encoding: "ros1", data };
}

export const ros1Image = ({
  encoding,
  data,
  step = data.length / HEIGHT,
  bigEndian = false,
  frameId = "",
}: ImageFields) =>
  ros1("sensor_msgs/Image", {
    header: { seq: 0, stamp: { sec: 1, nsec: 2 }, frame_id: frameId },
    ...{ height: HEIGHT, width: WIDTH, encoding, is_bigendian: Number(bigEndian), step, data },
  });

export const ros1Depth = (index: number) => ros1Image({ encoding: "16UC1", data: rows16(depthUnits(index)) });

export const ros1Lens = () =>
  ros1("sensor_msgs/CameraInfo", {
    ...{ header: { seq: 0, stamp: { sec: 1, nsec: 2 }, frame_id: "" }, height: HEIGHT, width: WIDTH },
    ...{ distortion_model: "plumb_bob", D: [0, 0, 0, 0, 0], K, R: new Array(9).fill(0), P: new Array(12).fill(0) },
    ...{ binning_x: 0, binning_y: 0, roi: { x_offset: 0, y_offset: 0, height: 0, width: 0, do_rectify: false } },
  });

// Foxglove

const PROTO = `syntax = "proto3"; package foxglove;
message Time { int64 seconds = 1; int32 nanos = 2; }
message RawImage { Time timestamp = 1; string frame_id = 7; fixed32 width = 2; fixed32 height = 3; string encoding = 4; fixed32 step = 5; bytes data = 6; }
message CompressedImage { Time timestamp = 1; string frame_id = 4; bytes data = 2; string format = 3; }
message CameraCalibration { Time timestamp = 1; string frame_id = 9; fixed32 width = 2; fixed32 height = 3; string distortion_model = 4;
  repeated double D = 5; repeated double K = 6; repeated double R = 7; repeated double P = 8; }`;

const { root } = protobuf.parse(PROTO, { keepCase: true });

/** The descriptor set of these messages, written field by field: what `protoc --descriptor_set_out` gives. */
function descriptorSet(): Uint8Array {
  const TYPES: Record<string, number> = { double: 1, int64: 3, int32: 5, fixed32: 7, string: 9, bytes: 12 };
  const file = protobuf.Writer.create().uint32(10).string("foxglove.proto").uint32(18).string("foxglove");
  for (const type of root.lookup("foxglove") instanceof protobuf.Namespace
    ? ["Time", "RawImage", "CompressedImage", "CameraCalibration"]
    : []) {
    const message = protobuf.Writer.create().uint32(10).string(type);
    for (const field of root.lookupType(`foxglove.${type}`).fieldsArray) {
      const one = protobuf.Writer.create().uint32(10).string(field.name).uint32(24).int32(field.id);
      one
        .uint32(32)
        .int32(field.repeated ? 3 : 1)
        .uint32(40)
        .int32(TYPES[field.type] ?? 11);
      if (!(field.type in TYPES)) one.uint32(50).string(`.foxglove.${field.type}`);
      message.uint32(18).bytes(one.finish());
    }
    file.uint32(34).bytes(message.finish());
  }
  return protobuf.Writer.create().uint32(10).bytes(file.finish()).finish();
}

/** A message of Foxglove's schemas, in protobuf or JSON. */
export function foxglove(
  type: "RawImage" | "CompressedImage" | "CameraCalibration",
  fields: object,
  how: "protobuf" | "json",
): Written {
  const schema = `foxglove.${type}`;
  if (how === "json") {
    const text = JSON.stringify(fields, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
    );
    return {
      schema,
      language: "jsonschema",
      definition: utf8('{"type":"object"}'),
      encoding: "json",
      data: utf8(text),
    };
  }
  const data = root.lookupType(schema).encode(fields).finish();
  return { schema, language: "protobuf", definition: descriptorSet(), encoding: "protobuf", data };
}

/** The head of a ROS message. */
export const header = { seq: 0, stamp: { sec: 1, nsec: 2 }, frame_id: "" };
const [TURN, PUSH] = ["angular_velocity", "linear_acceleration"];

/** What an inertial sensor measures: a turn about x, rad/s, and a push along y, m/s²; a covariance below 0 says that there is no push. */
export const imu = (turn: number, push: number, certain = 0) =>
  ros1("sensor_msgs/Imu", {
    header,
    [TURN]: { x: turn, y: 0, z: 0 },
    [`${TURN}_covariance`]: new Array(9).fill(0),
    [PUSH]: { x: 0, y: push, z: 0 },
    [`${PUSH}_covariance`]: [certain, ...new Array(8).fill(0)],
  });
