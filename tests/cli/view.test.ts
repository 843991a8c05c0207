import ndarray from "ndarray";
import { describe, expect, test } from "vitest";
import { orbitPose, quantileM } from "../../viewer/replay/view.ts";

const depthOf = (...values: number[]) => ndarray(new Uint16Array(values), [1, values.length]);

test.each([
  [[0, 0, 7], 0.5, 7],
  [[0, 1, 2, 3, 0, 0], 0.5, 2],
  [[4, 1, 3, 2], 0.5, 2],
  [[65535, 65535, 1], 0.5, 65535],
  [[4, 1, 3, 2], 0, 1],
  [[4, 1, 3, 2], 1, 4],
])("quantileM of the depths %j at %d is %i units", (values, share, units) => {
  expect(quantileM(depthOf(...values), 0.5, share)).toBe(units * 0.5);
});

describe("orbitPose's camera", () => {
  const seen = (pose: readonly number[], point: readonly number[]) =>
    [0, 1, 2].map((row) => [0, 1, 2, 3].reduce((sum, i) => sum + pose[i * 4 + row] * [...point, 1][i], 0));
  const close = (actual: readonly number[], expected: readonly number[]) =>
    expected.forEach((value, i) => {
      expect(actual[i]).toBeCloseTo(value, 9);
    });

  test("at yaw 0, pitch 0 and the middle's distance is the sensor", () => {
    close(seen(orbitPose({ yawDeg: 0, pitchDeg: 0, distanceM: 2 }, 2), [0.3, -0.4, 1.5]), [0.3, -0.4, 1.5]);
  });

  test.each([
    [30, -15, 2.5],
    [-170, 60, 0.4],
    [90, 0, 1],
  ])("%i° to the right and %i° up, %d m away, looks at the middle", (yawDeg, pitchDeg, distanceM) => {
    const pose = orbitPose({ yawDeg, pitchDeg, distanceM }, 2);
    close(seen(pose, [0, 0, 2]), [0, 0, distanceM]);
    const length = Math.hypot(...seen(pose, [1, 2, 4]).map((value, i) => value - seen(pose, [0, 0, 2])[i]));
    expect(length).toBeCloseTo(3, 9);
  });
});
