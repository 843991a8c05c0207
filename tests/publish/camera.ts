import { setTimeout as pause } from "node:timers/promises";
import { type DepthFrame, image } from "../../sources/index.ts";
import type { SchemaName } from "../../write/ros2.ts";
import type { Bridge } from "./bridge.ts";

// A depth camera of a ROS graph, which publishes as soon as somebody listens.

export const TOPIC = "/camera/depth/image_rect_raw";
export const TOPICS: Readonly<Record<string, SchemaName>> = {
  "/camera/depth/camera_info": "sensor_msgs/msg/CameraInfo",
  [TOPIC]: "sensor_msgs/msg/Image",
};
export const PIXELS = { width: 16, height: 12 };

/** A stamp whose nanoseconds a time in ms cannot hold. */
export function stampOf(index: number) {
  const nanoseconds = 250_000_001 + index * 33_333_331;
  return { sec: 1_790_000_000 + Math.floor(nanoseconds / 1e9), nanosec: nanoseconds % 1e9 };
}
const headerOf = (index: number) => ({ stamp: stampOf(index), frame_id: "camera_depth_optical_frame" });

/** The lens of `depthOf`, whatever the size. */
const LENS = { fx: 20, fy: 21, cx: 7.5, cy: 5.5 };

/** What the camera sees in frame `index`; one pixel has no measurement. */
export function depthOf(index: number, size = PIXELS): DepthFrame {
  const data = Uint16Array.from({ length: size.width * size.height }, (_, i) =>
    i === 0 ? 0 : 1000 + index + (i % 97),
  );
  const { sec, nanosec } = stampOf(index);
  return {
    depth: image(data, [size.height, size.width]),
    metresPerUnit: 0.001,
    intrinsics: { ...LENS, ...size },
    timestamp: sec * 1000 + nanosec / 1e6,
    index,
  };
}

export function infoOf(index: number, size = PIXELS, { fx, fy, cx, cy } = LENS) {
  const roi = { x_offset: 0, y_offset: 0, height: 0, width: 0, do_rectify: false };
  const k = [fx, 0, cx, 0, fy, cy, 0, 0, 1];
  const matrices = { d: [], k, r: [1, 0, 0, 0, 1, 0, 0, 0, 1], p: [fx, 0, cx, 0, 0, fy, cy, 0, 0, 0, 1, 0] };
  return {
    header: headerOf(index),
    ...size,
    distortion_model: "plumb_bob",
    ...matrices,
    binning_x: 0,
    binning_y: 0,
    roi,
  };
}

export function imageOf(index: number, { metres = false, depth = depthOf(index).depth } = {}) {
  const values = metres ? Float32Array.from(depth.data, (mm) => (mm === 0 ? Number.NaN : mm / 1000)) : depth.data;
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const [rows = 0, columns = 0] = depth.shape;
  const step = bytes.length / rows;
  const size = { height: rows, width: columns };
  return { header: headerOf(index), ...size, encoding: metres ? "32FC1" : "16UC1", is_bigendian: 0, step, data: bytes };
}

/**
 * Publishes `count` frames to all subscribers. The first is repeated until it has come back, as a latched topic's is: whoever has just
 * subscribed may not be ready yet.
 */
export async function play(
  bridge: Bridge,
  count: number,
  { topic = TOPIC, metres = false, everyMs = 5, isReady = () => bridge.heard.length > 0, size = PIXELS } = {},
): Promise<void> {
  const publish = (index: number) => {
    bridge.publish("/camera/depth/camera_info", infoOf(index, size));
    bridge.publish(topic, imageOf(index, { metres, depth: depthOf(index, size).depth }));
    return pause(everyMs);
  };
  do await publish(0);
  while (!isReady());
  for (let index = 1; index < count; index++) await publish(index);
}
