import { expect, test } from "vitest";
import { openRecording } from "../../../sources/index.ts";
import { type Entry, mcapOf } from "../logs/files.ts";
import { ros2Depth, ros2Transform } from "../logs/messages.ts";

// A camera on a robot: fixed and moving transforms are links of one chain, and the pose is in the farthest frame.

const at = (topic: string, time: number, message: Entry["message"]): Entry => ({ topic, time, message });
const link = (topic: string, time: number, parent: string, child: string, t: readonly number[], q = [0, 0, 0, 1]) =>
  at(topic, time, ros2Transform(parent, child, t, q));
const image = (i: number) => at("/depth", 1000 + 40 * i, ros2Depth(i, "lens"));

async function places(entries: readonly Entry[]) {
  await using recording = await openRecording(
    new File([await mcapOf([0, 1, 2, 3].map(image).concat(entries))], "a.mcap"),
  );
  const poses = await Promise.all([0, 1, 2, 3].map((i) => recording.pose(i)));
  return poses.map((m) => m && [m[3], m[7], m[11]].map((value) => Number(value.toFixed(6))));
}

// Along x by a metre each 40 ms; the base is turned by a quarter about z; the camera is 0.2 m before it.
const QUARTER = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
const fixed = [
  link("/tf_static", 1000, "base", "mount", [0.2, 0, 0]),
  link("/tf_static", 1000, "mount", "lens", [0, 0, 0.1]),
];
const moving = [0, 1, 2, 3].map((i) => link("/tf", 1000 + 40 * i, "odom", "base", [i, 0, 0], QUARTER));

test("fixed links between the moving base and the camera count", async () => {
  expect(await places([...fixed, ...moving])).toEqual([0, 1, 2, 3].map((i) => [i, 0.2, 0.1]));
});

test("several moving links are chained, and rare ones interpolated", async () => {
  const map = [link("/tf", 1000, "map", "odom", [0, 10, 0]), link("/tf", 1160, "map", "odom", [0, 14, 0])];
  expect(await places([...fixed, ...moving, ...map])).toEqual([0, 1, 2, 3].map((i) => [i, 10.2 + i, 0.1]));
});

test("a chain that only has fixed links is no pose, one that goes round ends, and a pause has none", async () => {
  expect(await places(fixed)).toEqual([undefined, undefined, undefined, undefined]);
  expect(await places([...fixed, ...moving, link("/tf", 1000, "lens", "odom", [9, 9, 9])])).toEqual(
    [0, 1, 2, 3].map((i) => [i, 0.2, 0.1]),
  );
  expect(await places([...fixed, moving[0]])).toEqual([[0, 0.2, 0.1], undefined, undefined, undefined]);
});
