import { BufferGeometry, Material, Vector3 } from "three";
import { expect, test } from "vitest";
import { ViewServer } from "../../run/serve/view.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { camerasIn } from "../../viewer/live/rig/rigCameras.ts";
import { DepthPoints, placeOf } from "../../viewer/three/depthPoints.ts";

// Several cameras in one space, where `align` says that they stand.

/** A camera 1 m to the right of the first one, 0.5 m below and 2 m in front of it, which looks to the left. */
const TO_FIRST = [0, 0, -1, 1, 0, 1, 0, 0.5, 1, 0, 0, 2];

test("points are placed by align's answer as it is: what a camera sees lies where the first camera sees it", () => {
  const points = new DepthPoints({ material: new Material(), spread: { value: 1 } }, { gpu: null });
  expect(points.geometry).toBeInstanceOf(BufferGeometry);
  points.place(TO_FIRST).updateMatrixWorld();
  // The scene's y and z are opposite to the camera's: 3 m before the second camera, 0.2 m to its right, 0.1 m down.
  const [x, y, z] = new Vector3(0.2, -0.1, -3).applyMatrix4(points.matrixWorld).toArray();
  expect([x, -y, -z].map((value) => Number(value.toFixed(6)))).toEqual([-2, 0.6, 2.2]);
  expect(points.scale.toArray().map((value) => Number(value.toFixed(6)))).toEqual([1, 1, 1]);
  // An object of any other kind is placed as the points are.
  const other = new Vector3(0.2, -0.1, -3).applyMatrix4(placeOf(TO_FIRST));
  expect(other.distanceTo(new Vector3(x, y, z))).toBeLessThan(1e-6);
  expect(() => points.place(null)).toThrow("align tells no place of this camera");
  expect(() => points.place(TO_FIRST.slice(1))).toThrow("12 numbers are needed");
});

test("the server of `view` names all cameras and their places in the page's address, which the page reads back", async () => {
  const shown = [0, 1, 2].map(() => syntheticRoom({ width: 16, height: 12, frames: 2 }));
  const places = shown.map(() => TO_FIRST);
  const server = new ViewServer(new Map([["/", Buffer.from("the page")]]), shown, () => {}, places);
  try {
    const { hash, search } = new URL(await server.open(0));
    expect(search).toBe("?rig");
    const cameras = camerasIn(hash);
    expect(cameras.map(({ toFirst }) => toFirst)).toEqual(places);
    expect(new Set(cameras.map(({ source }) => source)).size).toBe(3);
    for (const { source } of cameras) expect(source).toMatch(/^ws:\/\/127\.0\.0\.1:/);
  } finally {
    await server.close();
  }
});

test.each([
  ["{", "the address must name 1 to 16 cameras"],
  ["[]", "the address must name 1 to 16 cameras"],
  ['[{"source":"a.mcap"}]', "camera 1 of the address needs a source, and a place of 12 numbers"],
  [JSON.stringify([{ source: "a.mcap", toFirst: TO_FIRST.map(String) }]), "camera 1 of the address needs"],
])("refuses an address with the cameras %j", (cameras, why) => {
  expect(() => camerasIn(`#cameras=${encodeURIComponent(cameras)}`)).toThrow(why);
});
