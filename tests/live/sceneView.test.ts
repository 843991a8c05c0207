import { PerspectiveCamera, Vector3 } from "three/webgpu";
import { expect, test } from "vitest";
import { SceneView } from "../../viewer/live/panes/probe/sceneView.ts";
import { fakeDocument } from "./fakeDocument.ts";
import { Pad } from "./hand.ts";
import { snapshotOf } from "./snapshots.ts";

test("a click while a newer frame comes takes the pixel in that frame, and none where that cannot be read either", async () => {
  fakeDocument();
  const pointing = { wantsArea: undefined, take() {}, takeArea() {}, over() {}, away() {} };
  const canvas = Object.assign(new Pad(), { clientWidth: 400, after() {} }).element;
  let failing = 1;
  const sight = {
    camera: () => new PerspectiveCamera(),
    pick: async () => {
      if (failing-- > 0) throw new Error("a newer frame was submitted");
      return 2;
    },
    pointAt: () => new Vector3(0, 0, -2),
    moved: () => false,
  };
  const view = new SceneView(canvas, sight, pointing, () => snapshotOf(() => 2000));
  const there = { u: 16, v: 12 };
  expect(await view.pixelAt(0.5, 0.5)).toEqual(there);
  expect(await view.pixelAt(0.5, 0.5)).toEqual(there);
  failing = 2;
  expect(await view.pixelAt(0.5, 0.5)).toBeUndefined();
});
