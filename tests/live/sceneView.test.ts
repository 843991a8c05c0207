import { PerspectiveCamera, Vector3 } from "three/webgpu";
import { expect, test } from "vitest";
import { SceneView } from "../../viewer/live/panes/probe/sceneView.ts";
import { Rig } from "../../viewer/live/view/camera/rig.ts";
import { fakeDocument } from "./fakeDocument.ts";
import { Pad } from "./hand.ts";
import { snapshotOf } from "./snapshots.ts";

const pointing = { tool: undefined, wantsArea: undefined, take() {}, takeArea() {}, over() {}, away() {} };

test("a click while a newer frame comes takes the pixel in that frame, and none where that cannot be read either", async () => {
  fakeDocument();
  const canvas = Object.assign(new Pad(), { clientWidth: 400, after() {} }).element;
  let failing = 1;
  const sight = {
    camera: () => new PerspectiveCamera(),
    pick: async () => {
      if (failing-- > 0) throw new Error("a newer frame was submitted");
      return 2;
    },
    pointAt: () => new Vector3(0, 0, -2),
  };
  const view = new SceneView(canvas, sight, pointing, () => snapshotOf(() => 2000));
  const there = { u: 16, v: 12 };
  expect(await view.pixelAt(0.5, 0.5)).toEqual(there);
  expect(await view.pixelAt(0.5, 0.5)).toEqual(there);
  failing = 2;
  expect(await view.pixelAt(0.5, 0.5)).toBeUndefined();
});

test("a click takes the pixel that the picture shows, though the camera moves on while the distance is looked up", async () => {
  fakeDocument();
  const canvas = Object.assign(new Pad(), { clientWidth: 400, after() {} }).element;
  const rig = new Rig(() => true);
  rig.resize(4, 3);
  // The camera of the picture on the screen, which was made from the sensor's place.
  const shot = rig.camera.clone();
  let distanceM = 2;
  const sight = {
    camera: () => shot,
    async pick() {
      await Promise.resolve();
      shot.copy(rig.camera, false);
      return distanceM;
    },
    pointAt: (...place: Parameters<Rig["pointAt"]>) => rig.pointAt(...place),
  };
  const view = new SceneView(canvas, sight, pointing, () => snapshotOf(() => 2000));
  rig.orbit(0.02, 0, rig.pointAt(0.5, 0.5, 0.01));
  rig.update(0);
  rig.update(50);
  expect(await view.pixelAt(0.5, 0.5)).toEqual({ u: 16, v: 12 });
  // From a place of its own the camera sees no pixel where nothing was measured.
  distanceM = 0;
  expect(await view.pixelAt(0.5, 0.5)).toBeUndefined();
});
