import { describe, expect, test } from "vitest";
import { LiveMeasure } from "../../measure/live.ts";
import { placesIn, REGIONS, textOf } from "../../viewer/live/panes/measure/places.ts";
import { cameraAt, floor, framesOf, parcel } from "./world.ts";

// What the viewer's panes measure in frames as they come.

const camera = cameraAt([0, 0, 0], 1.4, 0.3, 0.1);
const seen = (x: number, count: number) =>
  framesOf([floor, parcel([0.4, 0.2, 0.3], 0.7, x)], camera, { sensor: "azure-kinect", count });
const BOX = { measure: { boxes: [{ x: 160, y: 110 }] } };

describe("frames as they come", () => {
  test("are averaged while nothing moves; while a thing is moved its readings are held, and then made anew", () => {
    const live = new LiveMeasure();
    const told = [...seen(0, 4), ...[0.1, 0.18, 0.26].flatMap((x) => seen(x, 1)), ...seen(0, 3)].map((frame, k) => {
      const {
        frames = 0,
        held,
        boxes = [],
      } = live.take({ ...frame, index: k, timestamp: 33 * k }, BOX, 1000 * k)?.measured ?? {};
      return [frames, held, Math.round(boxes[0]?.height.value ?? 0)];
    });
    expect(told.slice(0, 4)).toEqual([1, 2, 3, 4].map((frames) => [frames, false, 200]));
    // The box as the frames before the motion show it.
    expect(told.slice(4, 9)).toEqual(Array(5).fill([4, true, 200]));
    expect(told[9]).toEqual([3, false, 200]);
  });

  test("are measured anew after a while, where a frame came too soon after the one before", () => {
    const live = new LiveMeasure();
    const [empty, full] = [[], [parcel([0.4, 0.2, 0.3], 0.7)]].map((things) => framesOf([floor, ...things], camera)[0]);
    live.take(empty, BOX, 0);
    const soon = live.take(full && { ...full, index: 1, timestamp: 33 }, BOX, 100);
    expect([soon?.measured?.boxes[0]?.height.value, soon?.againMs]).toEqual([null, 300]);
    const later = live.take(undefined, BOX, 400);
    expect([Math.round(later?.measured?.boxes[0]?.height.value ?? 0), later?.againMs]).toEqual([200, undefined]);
  });

  test("tell what came since somebody had the scene remembered, until it is forgotten", () => {
    const live = new LiveMeasure();
    const camera = cameraAt([0, 0, 0], 1.4, 0.05, 0.1);
    const empty = framesOf([floor], camera);
    const full = framesOf([floor, parcel([0.2, 0.25, 0.2], 0.7)], camera);
    const asked = { measure: { floor: "auto" } } as const;
    live.take(empty[0], { ...asked, since: 1 }, 0);
    const came = full.map((frame) => live.take({ ...frame, index: 1, timestamp: 33 }, { ...asked, since: 1 }, 1000))[0];
    expect(came?.measured?.changes[0]?.volume.value).toBeCloseTo(10, 0);
    expect(live.take(undefined, asked, 2000)?.measured?.changes).toEqual([]);
  });

  test("count once, however often a recording plays again, in the mean and in the check", () => {
    const live = new LiveMeasure();
    const two = seen(0, 2);
    const told = [...two, ...two].map((frame, k) => live.take(frame, { ...BOX, check: {} }, 9000 * k));
    expect([told[3]?.measured?.frames, told[3]?.checked?.frames]).toEqual([2, 2]);
    expect(told[3]?.measured?.floor?.tilt).toEqual(told[1]?.measured?.floor?.tilt);
  });

  test("a region has its noise over time and the spread of its depths, and another question is answered without a frame", () => {
    const live = new LiveMeasure();
    const regions = [{ x: 20, y: 15, width: 40, height: 30 }];
    const told = seen(0, 6).map((frame) => live.take(frame, { regions }, 0)?.regions?.[0]);
    expect(told[0]?.noise).toMatchObject({ value: null, why: "needs 3 frames: play" });
    const last = told[5];
    // Tölgyessy et al. give an Azure Kinect 0.6 + 0.16 z² mm; a pixel's noise over time is most of that.
    expect(last?.noise.value).toBeGreaterThan(0.4);
    expect(last?.noise.value).toBeLessThan(1.4);
    expect(last?.histogram?.counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0.9 * 40 * 30);
    expect(live.take(undefined, BOX, 1)?.measured?.boxes[0]?.height.value).toBeCloseTo(200, 0);
    expect(new LiveMeasure().take(undefined, BOX, 1)).toBeUndefined();
  });
});

test("regions are a text in links", () => {
  const text = "Region 1:10,20,30,40;far wall:1,2,3,4,1500.5;lid:outline,5,6,9,6,7,20;flap:outline,5,6,9,6,7,20,800";
  const [first, second, lid, flap] = placesIn(REGIONS, text);
  expect(textOf(REGIONS, placesIn(REGIONS, text))).toBe(text);
  expect([first?.tapeMm, second]).toEqual([
    undefined,
    { name: "far wall", x: 1, y: 2, width: 3, height: 4, tapeMm: 1500.5 },
  ]);
  const corners = [
    { x: 5, y: 6 },
    { x: 9, y: 6 },
    { x: 7, y: 20 },
  ];
  expect(lid).toEqual({ name: "lid", tapeMm: undefined, x: 5, y: 6, width: 5, height: 15, outline: corners });
  expect(flap).toEqual({ ...lid, name: "flap", tapeMm: 800 });
  for (const wrong of [
    "a:outline,1,2,3,4",
    "a:1,2,3",
    "a:1,2,0,4",
    "a:1.5,2,3,4",
    "a:1,2,3,4,5,6",
    "a:outline,1,2,3,4,5,6.5",
  ])
    expect(placesIn(REGIONS, wrong), wrong).toEqual([]);
});
