import { expect, test } from "vitest";
import { choose, depthTopics } from "../../../sources/live/channels.ts";

// Which of a server's topics are depth, and which topic of colour and of the lens belongs to one.

const channel = (topic: string, id: number, type = "Image") => ({
  ...{ id, topic, encoding: "cdr", schema: "" },
  schemaName: `sensor_msgs/msg/${type}`,
});
const images = (...topics: string[]) => topics.map((topic, id) => channel(topic, id));
const depthIn = (...topics: string[]) => depthTopics(images(...topics)).map(({ topic }) => topic);

test("each of several cameras has its own colour, lens and pair", () => {
  const channels = ["/front", "/rear"].flatMap((camera, i) => [
    channel(`${camera}/color/image_raw/compressed`, 10 * i, "CompressedImage"),
    channel(`${camera}/color/image_raw`, 10 * i + 1),
    channel(`${camera}/aligned_depth_to_color/image_raw`, 10 * i + 2),
    channel(`${camera}/aligned_depth_to_color/camera_info`, 10 * i + 3, "CameraInfo"),
    ...["infra1", "infra2"].flatMap((eye, j) => [
      channel(`${camera}/${eye}/image`, 10 * i + 2 * j + 4),
      channel(`${camera}/${eye}/camera_info`, 10 * i + 2 * j + 5, "CameraInfo"),
    ]),
  ]);
  for (const camera of ["/front", "/rear"])
    expect(choose(channels, `${camera}/aligned_depth_to_color/image_raw`)).toMatchObject({
      color: { topic: `${camera}/color/image_raw` },
      lens: { topic: `${camera}/aligned_depth_to_color/camera_info` },
      eyes: ["infra1", "infra2"].map((eye) => [{ topic: `${camera}/${eye}/image` }, {}]),
    });
});

test.each([
  ["an Azure Kinect", ["/depth/image_raw", "/depth_to_rgb/image_raw"], ["/rgb/image_raw", "/rgb_to_depth/image_raw"]],
  ["cameras that name colour before depth", ["/kinect/rgb_depth/image_raw"], ["/kinect/rgb/image_raw"]],
  ["a camera whose name says depth", ["/depth_camera/depth/image"], ["/depth_camera/rgb/image"]],
  [
    "colour that is offered as compressedDepth",
    ["/c/depth/image"],
    ["/c/color/image", "/c/color/image/compressedDepth"],
  ],
  ["infrared that is offered as compressedDepth", ["/c/depth/image"], ["/c/infra1/image/compressedDepth"]],
  [
    "images that say nothing",
    ["/oak/stereo/image/compressedDepth"],
    ["/oak/stereo/image", "/oak/rgb/image/compressedDepth"],
  ],
  ["a camera that is called long range", ["/camera/depth/image_rect_raw"], ["/long_range/image_raw"]],
  ["a camera that is called perspective", ["/camera/depth/image_rect_raw"], ["/perspective/image_raw"]],
  ["a lidar", ["/camera/depth/image_rect_raw", "/b/depth_filtered/image"], ["/ouster/range_image"]],
  ["a camera of rays", ["/ifm3d/distance"], ["/ifm3d/amplitude", "/ifm3d/rgb/image"]],
  // Depth's name also has a word of what is no depth, or of a side.
  ...[
    "/lidar_depth/image",
    "/sparse_depth/image",
    "/disparity_depth/image",
    "/camera/depth/valid/image_raw",
    "/camera/depth/image_raw_gray",
    "/depth/lidar",
    "/oak_left/stereo/image_raw/compressedDepth",
    "/left/stereo/image_raw/compressedDepth",
  ].map((topic) => [topic, [topic], ["/camera/color/image_raw", "/depth_camera/infra1/image"]]),
  ["two cameras and a lidar", ["/lidar_depth/image"], ["/zed/left/image_rect/compressedDepth", "/zed/rgb/image_rect"]],
] as [string, string[], string[]][])("depth is told from the other images of %s", (_, depth, others) => {
  expect(depthIn(...others, ...depth)).toEqual(depth);
});

test.each([
  ["infrared that is offered as compressedDepth", "/ir/image_raw/compressedDepth"],
  ["colour registered to depth", "/rgb_to_depth/image_raw"],
  ["infrared registered to depth", "/ir_to_depth/image_raw"],
])("%s is no depth, also where a server offers none", (_, topic) => {
  expect(depthIn(topic, "/rgb/image_raw")).toEqual([]);
});

test("a topic that is asked for as depth is not its own colour", () => {
  expect(choose(images("/rgbd/image"), "/rgbd/image")?.color).toBeUndefined();
});

test("colour that a driver has registered to depth is colour, whatever its name says of depth", () => {
  const topics = images("/depth/image_raw", "/rgb_to_depth/image_raw");
  expect(choose(topics, "/depth/image_raw")?.color?.topic).toBe("/rgb_to_depth/image_raw");
});
