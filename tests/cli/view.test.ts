import ndarray from "ndarray";
import { describe, expect, test } from "vitest";
import { fittingFovDeg, orbitPose, quantileM } from "../../viewer/replay/view.ts";

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

test("quantileM is undefined for a frame without a valid pixel", () => {
  expect(quantileM(depthOf(0, 0), 1, 0.5)).toBeUndefined();
});

describe("the field of view of replay's picture", () => {
  const intrinsics = { fx: 500, fy: 510, cx: 319, cy: 239, width: 640, height: 480 };

  test("is the sensor's own in a picture of the sensor's aspect ratio or a wider one", () => {
    expect(fittingFovDeg({ intrinsics }, { width: 1280, height: 720 })).toBe(0);
    expect(fittingFovDeg({ intrinsics }, { width: 320, height: 240 })).toBe(0);
  });

  test("grows in a narrower picture, until the sensor's width fits", () => {
    const picture = { width: 300, height: 600 };
    const focal = picture.height / 2 / Math.tan((fittingFovDeg({ intrinsics }, picture) * Math.PI) / 360);
    expect((640 / 500) * focal).toBeCloseTo(300, 9);
  });
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

  test("sees far things to its right when it is at the right, and high things as near when above", () => {
    // A camera at the right looks left, so that things far from the sensor are to the camera's right.
    close(seen(orbitPose({ yawDeg: 90, pitchDeg: 0, distanceM: 1 }, 2), [0, 0, 3]), [1, 0, 1]);
    close(seen(orbitPose({ yawDeg: 0, pitchDeg: 90, distanceM: 1 }, 2), [0, -0.5, 2]), [0, 0, 0.5]);
  });
});
