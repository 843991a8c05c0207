import { expect, test } from "vitest";
import { Photo } from "../../viewer/live/show/photo.ts";
import { createStore } from "../../viewer/live/state/settings.ts";

// The look of a photo by one switch, and the way back.

function page(hasColor = true) {
  const store = createStore("cpu");
  let drawn = 0;
  const shown = { hasColor };
  const photo = new Photo(
    store,
    () => shown.hasColor,
    () => drawn++,
  );
  return { store, photo, now: () => ({ ...store.now }), shown, drawn: () => drawn };
}

test("Photo shows the camera's colours through the lens, whole, with large holes filled and nothing else; a second press goes back", () => {
  const { photo, store, now, drawn } = page();
  store.update({ floorGrid: true });
  const before = now();
  photo.toggle();
  expect(now()).toEqual({
    ...before,
    ...{
      color: "camera",
      lens: "lens",
      detail: 1,
      split: false,
      frustum: false,
      path: false,
      fillPx: 64,
      floorGrid: false,
    },
  });
  expect([photo.isOn, drawn()]).toEqual([true, 1]);
  photo.toggle();
  expect([now(), photo.isOn, drawn()]).toEqual([before, false, 2]);
});

test("what the user changes meanwhile stays", () => {
  const { photo, store, now } = page();
  photo.toggle();
  store.update({ color: "normal", fNumber: 4, fillPx: 20 });
  photo.toggle();
  expect(now()).toMatchObject({ color: "normal", fNumber: 4, lens: "pinhole", split: true, fillPx: 20 });
});
