import { expect, test } from "vitest";
import { Lineup } from "../../pipeline/lineup.ts";
import { fillHoles } from "../../stages/index.ts";
import { Photo } from "../../viewer/live/show/photo.ts";
import { createStore } from "../../viewer/live/state/settings.ts";

// The look of a photo by one switch, and the way back.

function page(hasColor = true) {
  const store = createStore("cpu");
  const pipeline = new Lineup([fillHoles()]);
  pipeline.configure("fillHoles", { enabled: false });
  let drawn = 0;
  const shown = { hasColor };
  const photo = new Photo(
    store,
    pipeline,
    () => shown.hasColor,
    () => drawn++,
  );
  const reach = () => pipeline.stages[0]?.parameters.reachPx;
  const now = () => ({ ...store.now, filled: pipeline.isEnabled("fillHoles"), reach: reach() });
  return { store, pipeline, photo, now, shown, drawn: () => drawn };
}

test("Photo shows the camera's colours through the lens, whole, with large holes filled and nothing else; a second press goes back", () => {
  const { photo, now, drawn } = page();
  const before = now();
  photo.toggle();
  expect(now()).toEqual({
    ...before,
    ...{ color: "camera", lens: "lens", detail: 1, split: false, frustum: false, path: false, filled: true },
    reach: 64,
  });
  expect([photo.isOn, drawn()]).toEqual([true, 1]);
  photo.toggle();
  expect([now(), photo.isOn, drawn()]).toEqual([before, false, 2]);
});

test("what the user changes meanwhile stays, and so does a filter that was on before", () => {
  const { photo, store, pipeline, now } = page();
  pipeline.configure("fillHoles", { enabled: true });
  photo.toggle();
  store.update({ color: "normal", fNumber: 4 });
  pipeline.stages[0]?.set({ reachPx: 20 });
  photo.toggle();
  expect(now()).toMatchObject({ color: "normal", fNumber: 4, lens: "pinhole", split: true, filled: true, reach: 20 });
});
