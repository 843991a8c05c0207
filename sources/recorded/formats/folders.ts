import type { Format } from "../../format/format.ts";
import { icl } from "./icl/index.ts";
import { fakenect, nyu } from "./kinect/index.ts";
import { sevenScenes, stray, sun } from "./layouts/index.ts";
import { lerobot } from "./lerobot/index.ts";
import { npz } from "./npy/index.ts";
import { pair } from "./pair/index.ts";
import { png } from "./png/index.ts";
import { rosbag2 } from "./rosbag2/index.ts";
import { tum } from "./tum/index.ts";

/** All formats that are folders, the most certain to recognise first. */
export const formats: readonly Format[] = [
  tum,
  sevenScenes,
  nyu,
  fakenect,
  icl,
  stray,
  sun,
  lerobot,
  pair,
  png,
  npz,
  rosbag2,
];
