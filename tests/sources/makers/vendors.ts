import { CdrWriter } from "@foxglove/cdr";
import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg-serialization";
import protobuf from "protobufjs";
import descriptor from "protobufjs/ext/descriptor/index.js";
import { HEIGHT, LENS, WIDTH } from "../logs/frames.ts";
import type { Written } from "../logs/messages.ts";

// Messages as the camera makers' own recorders write them.

const utf8 = (text: string) => new TextEncoder().encode(text);

/** RealSense's SDK writes everything but images as texts. */
export const ros2Text = (text: string): Written => ({
  ...{ schema: "std_msgs/msg/String", language: "", definition: new Uint8Array(), encoding: "cdr" },
  data: new CdrWriter({ size: 64 + text.length }).string(text).data,
});

/** A RealSense stream's lens, as a text. */
export const lensText = (model = "Brown Conrady", coeffs = "0,0,0,0,0"): Written =>
  ros2Text(
    `width=${WIDTH};height=${HEIGHT};fx=${LENS.fx};ppx=${LENS.cx};fy=${LENS.fy};ppy=${LENS.cy};model=${model};coeffs=${coeffs}`,
  );

const HEADER = `${"=".repeat(80)}\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n`;
const IMAGE =
  "Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data\n";
const PROFILE =
  "std_msgs/Header header\nuint8 streamType\nuint8 format\nfloat32[9] rotationMatrix\nfloat32[3] translationMatrix\nuint16 width\nuint16 height\nuint16 fps\nfloat32[4] cameraIntrinsic\nfloat32[8] cameraDistortion\nuint8 distortionModel\n";
const PROPERTY = "std_msgs/Header header\nuint32 propertyId\nuint8[] data\nuint32 datasize\n";

/** A message of ROS 1 in the layout `real`, beside the definition that the file has for it. */
function ros1As(schema: string, real: string, said: string, message: object): Written {
  const header = { seq: 0, stamp: { sec: 1, nsec: 2 }, frame_id: "" };
  const data = new MessageWriter(parse(`${real}${HEADER}`)).writeMessage({ header, ...message });
  return { schema, language: "ros1msg", definition: utf8(said), encoding: "ros1", data };
}

/** Orbbec's image: its own definition leaves out `depth_units` behind the data and `pixel_bit_size` at the end. */
export const orbbecImage = (encoding: string, data: Uint8Array, step = data.length / HEIGHT): Written =>
  ros1As(
    "sensor_msgs/Image",
    `${IMAGE}float32 depth_units\nuint64 number\nuint8[] metadata\nuint32 metadatasize\nuint8 pixel_bit_size\n`,
    `${IMAGE}uint64 number\nuint8[] metadata\nuint32 metadatasize\n${HEADER}`,
    {
      ...{ height: HEIGHT, width: WIDTH, encoding, is_bigendian: 0, step, data, depth_units: 0, number: 7n },
      ...{ metadata: Uint8Array.of(1, 2, 3), metadatasize: 3, pixel_bit_size: 16 },
    },
  );

/** Orbbec's description of a stream, whose definition names the header without defining it. */
export const orbbecProfile = (
  distortion: readonly number[],
  model: number,
  mm: readonly number[] = [0, 0, 0],
): Written =>
  ros1As("custom_msg/OBStreamProfileInfo", PROFILE, PROFILE, {
    ...{ streamType: 3, format: 0, rotationMatrix: [1, 0, 0, 0, 1, 0, 0, 0, 1], translationMatrix: mm },
    ...{ width: WIDTH, height: HEIGHT, fps: 30, cameraIntrinsic: [LENS.fx, LENS.fy, LENS.cx, LENS.cy] },
    ...{ cameraDistortion: distortion, distortionModel: model },
  });

const DISPARITY =
  "std_msgs/Header header\nfloat64 zpd\nfloat64 zpps\nfloat32 baseline\nfloat64 fx\nuint8 bitSize\nfloat32 unit\nfloat32 minDisparity\nuint8 packMode\nfloat32 dispOffset\nint32 invalidDisp\nint32 dispIntPlace\nuint8 isDualCamera\n";
/** Orbbec's description of its disparities, with the distance of the two infrared cameras in mm. */
export const orbbecDisparity = (baseline: number, isDualCamera = 1): Written =>
  ros1As("custom_msg/DisparityParam", DISPARITY, DISPARITY, {
    ...{ zpd: 0, zpps: 0, baseline, fx: LENS.fx, bitSize: 14, unit: 1, minDisparity: 0, packMode: 0, dispOffset: 0 },
    ...{ invalidDisp: 0, dispIntPlace: 8, isDualCamera },
  });

export const orbbecProperty = (propertyId: number, value: Float32Array | Int32Array): Written =>
  ros1As("custom_msg/OBProperty", PROPERTY, PROPERTY, { propertyId, data: new Uint8Array(value.buffer), datasize: 4 });

const OAK = [
  `syntax = "proto3"; package dai.proto.common;
  message Timestamp { int64 sec = 1; int64 nsec = 2; }
  message FloatArray { repeated float values = 1; }
  message TransformationMatrix { repeated FloatArray arrays = 1; }
  message Point3f { float x = 1; float y = 2; float z = 3; }
  message Extrinsics { TransformationMatrix rotationMatrix = 1; Point3f translation = 2; int32 toCameraSocket = 4; int32 lengthUnit = 5; }
  message ImgTransformation { TransformationMatrix transformationMatrix = 1; TransformationMatrix sourceIntrinsicMatrix = 2;
    int32 distortionModel = 3; FloatArray distortionCoefficients = 4; uint32 srcWidth = 5; uint32 srcHeight = 6; Extrinsics extrinsics = 9; }`,
  `syntax = "proto3"; package dai.proto.img_frame;
  message ImgFrame { dai.proto.common.Timestamp ts = 1; Specs fb = 4; uint32 instanceNum = 8;
    dai.proto.common.ImgTransformation transformation = 9; bytes data = 11; }
  message Specs { int32 type = 1; uint32 width = 2; uint32 height = 3; uint32 stride = 4; }`,
  `syntax = "proto3"; package dai.proto.rgbd_data;
  message RGBDData { dai.proto.common.Timestamp ts = 1; dai.proto.img_frame.ImgFrame colorImgFrame = 4;
    dai.proto.img_frame.ImgFrame depthImgFrame = 6; }`,
];
const root = new protobuf.Root();
for (const text of OAK) protobuf.parse(text, root, { keepCase: true });
/** protobufjs' extension for descriptors; `Object` because its types leave out what is used here. */
const set = Object(root.resolveAll()).toDescriptor("proto3");
// It writes names as they are seen from the package; protoc writes them in full.
for (const file of set.file)
  for (const type of file.messageType)
    for (const field of type.field)
      if (field.typeName)
        field.typeName = `.${/\./.test(field.typeName) ? "dai.proto" : file.package}.${field.typeName}`;
const definition: Uint8Array = Object(descriptor).FileDescriptorSet.encode(set).finish();

/** A message of DepthAI: `ImgFrame` or `RGBDData`. */
export function oak(type: "img_frame.ImgFrame" | "rgbd_data.RGBDData", fields: object): Written {
  const schema = `dai.proto.${type}`;
  const data = root.lookupType(schema).encode(fields).finish();
  return { schema, language: "protobuf", definition, encoding: "protobuf", data };
}

/** Nine numbers as DepthAI's matrix. */
const oakMatrix = (m: readonly number[]) => ({
  arrays: [0, 3, 6].map((at) => ({ values: m.slice(at, at + 3) })),
});

/** An image of `type` (DepthAI's number for the pixel format) of a sensor with twice the image's size. */
export const oakFrame = (
  type: number,
  data: Uint8Array,
  instanceNum: number,
  x = 0,
  toImage: readonly number[] = [0.5, 0, 0, 0, 0.5, 0, 0, 0, 1],
) => ({
  ...{ ts: { sec: 1, nsec: 0 }, fb: { type, width: WIDTH, height: HEIGHT, stride: data.length / HEIGHT } },
  ...{ instanceNum, data },
  transformation: {
    sourceIntrinsicMatrix: oakMatrix([2 * LENS.fx, 0, 2 * LENS.cx, 0, 2 * LENS.fy, 2 * LENS.cy, 0, 0, 1]),
    transformationMatrix: oakMatrix(toImage),
    ...{ srcWidth: 2 * WIDTH, srcHeight: 2 * HEIGHT, distortionModel: 0 },
    extrinsics: {
      rotationMatrix: oakMatrix([1, 0, 0, 0, 1, 0, 0, 0, 1]),
      ...{ translation: { x, y: 0, z: 0 }, toCameraSocket: 0, lengthUnit: 1 },
    },
  },
});
