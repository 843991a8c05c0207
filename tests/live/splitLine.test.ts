import { PerspectiveCamera, Vector3 } from "three/webgpu";
import { expect, test } from "vitest";
import { lineOf, shareAt } from "../../viewer/live/view/pick/splitLine.ts";

// Where the divider between raw and filtered depth is seen, and what share a drag of it sets.

const plane = { intrinsics: { fx: 40, fy: 40, cx: 31.5, cy: 23.5, width: 64, height: 48 }, distanceM: 2 };

/** A camera with the sensor's field of view, at its place or moved from there and looking at the scene's middle. */
function cameraAt(...place: [x: number, y: number, z: number]): PerspectiveCamera {
  const camera = new PerspectiveCamera((360 / Math.PI) * Math.atan(24 / 40), 64 / 48, 0.02, 100);
  camera.position.set(...place);
  camera.lookAt(new Vector3(0, 0, -2));
  camera.updateMatrixWorld();
  return camera;
}

test("the divider is upright from edge to edge of the image, seen from the sensor's own place", () => {
  for (const at of [0, 0.25, 0.5, 1]) {
    const [top, bottom] = lineOf(cameraAt(0, 0, 0), plane, at) ?? [];
    expect(top?.[0]).toBeCloseTo(at, 6);
    expect(top?.[1]).toBeCloseTo(0, 6);
    expect(bottom?.[0]).toBeCloseTo(at, 6);
    expect(bottom?.[1]).toBeCloseTo(1, 6);
  }
});

test("a divider that is dragged to the place where it is seen keeps its share, from any camera", () => {
  for (const camera of [cameraAt(0, 0, 0), cameraAt(1, 0.4, 0.3), cameraAt(-1.2, -0.5, -0.2)]) {
    for (const at of [0.1, 0.5, 0.83]) {
      const [top, bottom] = lineOf(camera, plane, at) ?? [];
      if (!top || !bottom) throw new Error("it is before the camera");
      // Perspective: each end is taken at its own height, not half way down.
      expect(shareAt(camera, plane, 0, top)).toBeCloseTo(at, 6);
      expect(shareAt(camera, plane, 1, bottom)).toBeCloseTo(at, 6);
    }
  }
});

test("a drag beyond the image sets the divider to its edge, and a divider behind the camera has no line", () => {
  expect(shareAt(cameraAt(0, 0, 0), plane, 0.5, [-0.5, 0.5])).toBe(0);
  expect(shareAt(cameraAt(0, 0, 0), plane, 0.5, [1.5, 0.5])).toBe(1);
  const turned = cameraAt(0, 0, 0);
  turned.lookAt(new Vector3(0, 0, 2));
  turned.updateMatrixWorld();
  expect(lineOf(turned, plane, 0.5)).toBeUndefined();
});
