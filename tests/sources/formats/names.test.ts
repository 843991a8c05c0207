import { expect, test } from "vitest";
import type { SeveralTopicsError } from "../../../core/severalTopics.ts";
import { isDepthByName, type Role, roleOf, roleOfTopic } from "../../../sources/format/roles.ts";
import { depthTopics } from "../../../sources/live/channels.ts";
import { isEye } from "../../../sources/messages/pair.ts";
import { colorPng, useFolder } from "../fixtures.ts";
import { mcapOf, readAll } from "../logs/files.ts";
import { rows16 } from "../logs/frames.ts";
import { ros2Image } from "../logs/messages.ts";
import { depths, many, opened } from "../opening.ts";

// What images are by their names: one rule for topics that are recorded, topics of a live stream and files.

const disk = useFolder();

const TOPICS: readonly (readonly [Role, string])[] = [
  // realsense-ros
  ["depth", "/camera/camera/depth/image_rect_raw"],
  ["aligned", "/camera/aligned_depth_to_color/image_raw"],
  ["aligned", "/camera/aligned_depth_to_infra1/image_raw"],
  ["color", "/camera/color/image_raw"],
  ["infrared", "/camera/infra1/image_rect_raw"],
  ["infrared", "/camera/ir/image_raw"],
  ["confidence", "/camera/confidence/image_raw"],
  ["depth", "/device_0/sensor_0/Depth_0/image/data"],
  ["infrared", "/device_0/sensor_0/Infrared_1/image/data"],
  ["color", "/device_0/sensor_1/Color_0/image/data"],
  // azure_kinect_ros_driver, iai_kinect2, openni2
  ["aligned", "/depth_to_rgb/image_raw"],
  ["color", "/rgb_to_depth/image_raw"],
  ["infrared", "/ir/image_raw"],
  ["infrared", "/ir_to_depth/image_raw"],
  ["depth", "/depth_to_ir/image_raw"],
  ["depth", "/kinect2/qhd/image_depth_rect"],
  ["color", "/kinect2/hd/image_color_rect"],
  ["infrared", "/kinect2/sd/image_ir"],
  ["aligned", "/camera/depth_registered/image"],
  ["aligned", "/camera/depth_registered/sw_registered/image_rect_raw"],
  ["infrared", "/camera/ir/image"],
  // Orbbec, ZED, OAK, Luxonis, Gazebo, TIAGo, HSR, Spot
  ["infrared", "/camera/left_ir/image_raw"],
  ["aligned", "/zed/zed_node/depth/depth_registered"],
  ["color", "/zed/zed_node/left/image_rect_color"],
  ["side", "/zed/zed_node/left/image_rect"],
  ["infrared", "/zed/zed_node/left/image_rect_gray"],
  ["confidence", "/zed/zed_node/confidence/confidence_map"],
  ["other", "/zed/zed_node/disparity/disparity_image"],
  ["unnamed", "/oak/stereo/image_raw"],
  ["side", "/oak/right/image_raw"],
  ["color", "/rgbd_camera/image"],
  ["depth", "/rgbd_camera/depth_image"],
  ["aligned", "/xtion/depth_registered/image_raw"],
  ["color", "/xtion/rgb/image_rect_color"],
  ["aligned", "/hsrb/head_rgbd_sensor/depth_registered/image_rect_raw"],
  ["color", "/hsrb/head_rgbd_sensor/rgb/image_rect_color"],
  ["depth", "/spot/depth/frontleft/image"],
  ["aligned", "/spot/depth_registered/frontleft/image"],
  // ifm3d, Basler, PMD, MESA
  ["ray", "/ifm3d/distance"],
  ["ray", "/ifm3d/camera/distance_image"],
  ["infrared", "/ifm3d/amplitude"],
  ["infrared", "/ifm3d/camera/raw_amplitude"],
  ["other", "/ifm3d/camera/normals"],
  ["depth", "/basler_tof/depth"],
  ["infrared", "/camera/intensity"],
  ["infrared", "/pico_flexx/image_mono8/amplitude"],
  ["ray", "/range/image_raw"],
  // Isaac, CARLA, Habitat, Foxglove
  ["depth", "/front_stereo_camera/depth"],
  ["depth", "/isaac/distance_to_image_plane"],
  ["ray", "/isaac/distance_to_camera"],
  ["labels", "/isaac/semantic_segmentation"],
  ["depth", "/carla/ego_vehicle/depth_front/image"],
  ["color", "/carla/ego_vehicle/rgb_front/image"],
  ["labels", "/carla/ego_vehicle/instance_segmentation_front/image"],
  ["unnamed", "/CAM_FRONT/image_rect_compressed"],
  ["labels", "/panoptic/image_raw"],
  // What people call robots and cameras says nothing of the images.
  ["depth", "/vision/depth"],
  ["depth", "/lidar/depth"],
  ["depth", "/alpha/depth"],
  ["depth", "/segway/depth"],
  ["depth", "/thermal/depth"],
  ["depth", "/velodyne/depth_image"],
  ["depth", "/short_range/depth"],
  ["depth", "/distance_camera/depth_image"],
  ["depth", "/depth_camera/depth/image"],
  ["color", "/depth_camera/rgb/image"],
  ["infrared", "/depth_camera/infra1/image"],
  ["unnamed", "/vision/image_raw"],
  ["unnamed", "/lidar/image"],
  ["unnamed", "/alpha/front/image"],
  // Colour beside depth in one name, filters, pictures of depth
  ["depth", "/kinect/rgb_depth/image_raw"],
  ["depth", "/robot/rgbd_depth/image"],
  ["aligned", "/camera/image_rgb_aligned_depth"],
  ["depth", "/intel/rgbdepth/image_raw"],
  ["filled", "/camera/depth_filtered/image"],
  ["depth", "/depth/filtered"],
  ["color", "/color/filtered"],
  ["color", "/camera/rgb_smooth/image"],
  ["other", "/camera/depth_colorized/image"],
  ["confidence", "/camera/depth_conf/image"],
  ["infrared", "/flir_boson/image"],
  ["other", "/stereo/disparity/image_raw"],
  ["side", "/stereo/left/image_visible"],
  ["other", "/oak/left/preview"],
  ["other", "/oak/left/depth_vis"],
  // A word far from the end
  ["infrared", "/tof/intensity/front/image_raw"],
  ["infrared", "/camera/amplitude/front/image_raw"],
  ["infrared", "/gray/cam/image_raw"],
  ["confidence", "/tof/confidence/front/image_raw"],
  ["other", "/tof/disparity/front/image_raw"],
  ["depth", "/intensity/front/depth/image_raw"],
];

test.each(TOPICS)("%s: %s, in each of its forms", (role, topic) => {
  const forms = ["", "/compressed", "/compressedDepth"].map((form) => roleOfTopic(`${topic}${form}`));
  expect(forms).toEqual([role, role, role]);
});

const BESIDE = "/reference/depth/image";

test("of each of them a recording says the same as a live stream: whether it is depth", async () => {
  const names = [BESIDE, ...TOPICS.map(([, topic]) => topic)];
  const message = ros2Image({ encoding: "16UC1", data: rows16(new Uint16Array(24).fill(1000)) });
  const log = await mcapOf(names.map((topic) => ({ topic, time: 1000, message })));
  const error: SeveralTopicsError = await readAll(log, "a.mcap").then(
    () => expect.unreachable(),
    (reason) => reason,
  );
  const recorded = error.topics.map(({ name }) => name);
  const schemaName = "sensor_msgs/msg/Image";
  const depthIn = (topics: readonly string[]) =>
    depthTopics(topics.map((topic, id) => ({ id, topic, encoding: "cdr", schema: "", schemaName })));
  // Of a live stream no pixel is known: lengths of rays are depth only where no other name says depth.
  const notDepth = names.filter((topic) => roleOfTopic(topic) === "ray" || !isDepthByName(roleOfTopic(topic)));
  const live = [names, notDepth].flatMap(depthIn).map(({ topic }) => topic);
  for (const [role, topic] of TOPICS) {
    // An image that its name says nothing of is depth where it has depth's encoding, which only a message tells.
    const isDepth = isDepthByName(role);
    expect([topic, live.includes(topic)]).toEqual([topic, isDepth]);
    expect([topic, recorded.includes(topic)]).toEqual([topic, isDepth || role === "unnamed"]);
  }
});

test("the two images of a stereo camera are known by their names, also where the camera's name says depth", () => {
  const eyes = TOPICS.filter(([, topic]) => isEye(topic)).map(([, topic]) => topic);
  expect(eyes).toContain("/depth_camera/infra1/image");
  expect(eyes).toContain("/oak/right/image_raw");
  expect(eyes).toContain("/stereo/left/image_visible");
  expect(eyes).toContain("/oak/left/preview");
  expect(eyes).not.toContain("/oak/left/depth_vis");
  expect(eyes).not.toContain("/zed/zed_node/left/image_rect_color");
});

test.each<[Role, string]>([
  ["depth", "depth/000001.png"],
  ["aligned", "aligned_depth_to_color/000001.png"],
  ["color", "rgb_to_depth/000001.png"],
  ["infrared", "ir_to_depth/000001.png"],
  ["depth", "depth_to_ir_0001.png"],
  ["depth", "lowresDepth_0001.png"],
  ["infrared", "depth_ir_0001.png"],
  ["depth", "ir_depth_0001.png"],
  ["color", "color_smooth_0001.png"],
  ["filled", "depth_filled/000001.png"],
  ["ray", "distance_to_camera_0001.npy"],
  ["depth", "distance_to_image_plane_0001.npy"],
  ["other", "depth_colorized/000001.png"],
  ["other", "depth_vis/000001.png"],
  ["other", "visualization/000001.png"],
  ["unnamed", "visible/000001.png"],
  ["labels", "masks/depth_000001.png"],
  ["confidence", "confidence/000001.png"],
  ["depth", "stereodepthimage_0001.png"],
  ["truth", "gt/0001.png"],
  ["unnamed", "0001.png"],
  ["color", "深度相机/彩色/0001.png"],
  ["depth", "深度/0001.png"],
])("%s: the file %s", (role, name) => expect(roleOf(name)).toBe(role));

test.each([
  ..."perspective gt ground dense refined smooth processed range distance".split(" ").map((name) => `${name}/#.png`),
  ..."gt fill dense range".split(" ").map((name) => `#_${name}.png`),
])("images of 8 bits in colour are depth's colour, although their name may also be depth's: %s", async (name) => {
  const named = (i: number) => name.replace("#", `${i}`);
  const { frames } = await opened(disk, {
    ...depths(2, (i) => (name.includes("/") ? `depth/${i}.png` : `${i}_depth.png`)),
    ...many(2, (i) => [named(i), colorPng(i + 3)]),
  });
  expect(frames.map(({ color }) => color?.data[0])).toEqual([3, 4]);
});

test.each([
  ["photo", "dense"],
  [undefined, "depth_filled"],
  [undefined, "infrared"],
])("%s is depth's colour, not %s", async (color, other) => {
  const { frames } = await opened(disk, {
    ...depths(2, (i) => `depth/${i}.png`),
    ...many(2, (i) => [`${other}/${i}.png`, colorPng(i + 50)]),
    ...(color && many(2, (i) => [`${color}/${i}.png`, colorPng(i + 3)])),
  });
  expect(frames.map((frame) => frame.color?.data[0])).toEqual(color ? [3, 4] : [undefined, undefined]);
});
