import { describe, expect, test } from "vitest";
import { IDENTITY, rigid, turned } from "../../core/pose.ts";
import { type CameraPose, POSE_STATE } from "../../stages/core/pose.ts";
import { CameraPath } from "../../viewer/live/view/surface/cameraPath.ts";

// The path of the depth camera in the 3D picture: its segments, and the transform from the world to the sensor.

const lens = { fx: 100, fy: 100, cx: 49.5, cy: 39.5, width: 100, height: 80 };
const at = (x: number, state: CameraPose["state"] = POSE_STATE.moved, turn = 0): CameraPose => ({
  ...{ toWorld: turned([0, turn, 0], [x, 0, 0]), toBefore: IDENTITY, state },
  ...{ held: 0, partners: 1, recorded: false, uncertaintyM: 0, anew: false },
});
const begun: CameraPose = { ...at(0, POSE_STATE.still), partners: 0 };

/** The segments' ends along x. */
const xs = ({ way }: CameraPath) =>
  Array.from({ length: way.growing?.count ?? 0 }, (_, i) => [way.ends[6 * i], way.ends[6 * i + 3]]);

function pathOf(...poses: readonly CameraPose[]): CameraPath {
  const path = new CameraPath();
  for (const pose of poses) path.take(pose, lens);
  return path;
}

describe("the path of the depth camera", () => {
  test("grows when the camera moves, and not by its trembling", () => {
    const path = pathOf(begun, at(0.001), at(0.002), at(0.25), at(0.251), at(0.5));
    expect(xs(path)).toEqual([
      [0, 0.25],
      [0.25, 0.5],
    ]);
    expect(path.mark?.ends.length).toBe(48);
    expect(pathOf(begun, at(0, POSE_STATE.still)).mark).toBeUndefined();
  });

  test("stays in place in the world while the sensor moves on", () => {
    const path = pathOf(begun, at(0.25), at(1, POSE_STATE.moved, Math.PI / 2));
    const m = path.way.growing?.toSensor ?? rigid();
    // The camera looks along the world's x now, and the first place lies 1 m behind it.
    expect([m[3], m[7], m[11]].map((x) => Math.round(1000 * x) / 1000 + 0)).toEqual([0, 0, -1]);
  });

  test("has a gap where tracking was lost, and starts anew when tracking does", () => {
    const path = pathOf(begun, at(0.25), at(0.25, POSE_STATE.lost), at(0.5), at(0.75));
    expect(xs(path)).toEqual([
      [0, 0.25],
      [0.5, 0.75],
    ]);
    const { version } = path.way.growing ?? { version: 0 };
    path.take(begun, lens);
    expect(xs(path)).toEqual([]);
    expect(path.way.growing?.version).toBeGreaterThan(version);
  });
});
