import { Vector3 } from "three/webgpu";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type DepthFrame, image } from "../../core/frame.ts";
import { reading } from "../../measure/reading.ts";
import { namesOf } from "../../viewer/live/control/keys.ts";
import { CameraMoves } from "../../viewer/live/control/moveCamera.ts";
import { Focus } from "../../viewer/live/view/camera/focus.ts";
import { Rig } from "../../viewer/live/view/camera/rig.ts";
import { downOnto, FoundFloor, gridOn } from "../../viewer/live/view/surface/foundFloor.ts";
import { Pad } from "./hand.ts";

// Pointer, camera and focus together. The answer how far away a thing is comes when the test gives it.

// A fake clock: the wheel does not rest, however long the test takes.
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** A wall 3 m away. */
const frame: DepthFrame = {
  depth: image(new Uint16Array(40 * 30).fill(3000), [30, 40]),
  metresPerUnit: 0.001,
  intrinsics: { fx: 40, fy: 40, cx: 19.5, cy: 14.5, width: 40, height: 30 },
  timestamp: 0,
  index: 0,
};

function scene(normal?: readonly [number, number, number]) {
  const pad = new Pad();
  const rig = new Rig(() => true);
  rig.resize(400, 200);
  rig.frame(3);
  const focus = new Focus(rig, () => true);
  focus.set(3);
  const asked: { at: readonly [number, number]; tell: (distanceM: number) => void; fail: () => void }[] = [];
  const moving = new CameraMoves({
    canvas: pad.element,
    rig,
    focus,
    camera: () => rig.camera,
    pick: (x, y) =>
      new Promise((tell, reject) => asked.push({ at: [x, y], tell, fail: () => reject(new Error("gone")) })),
    frame: () => frame,
    down: () => normal && downOnto({ normal }),
  });
  /** Waits for the answer, then draws a picture. */
  const settle = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    rig.update(0);
    focus.update(0);
  };
  return { pad, rig, focus, moving, asked, settle };
}

/** The pixel of the sensor that sees a place of the window at a distance. */
const seenFromHome = (rig: Rig, x: number, y: number, distanceM: number) => {
  const half = rig.down * distanceM;
  return new Vector3((2 * x - 1) * half * 2, (1 - 2 * y) * half, -distanceM);
};

test("the wheel waits for the distance under the pointer, then moves camera and focus there by all its notches", async () => {
  const { pad, rig, focus, asked, settle } = scene();
  const thing = seenFromHome(rig, 0.75, 0.25, 1);
  pad.wheel(-100, 0.75, 0.25);
  pad.wheel(-100, 0.75, 0.25);
  await settle();
  expect(rig.moved).toBe(false);
  expect(asked.map(({ at }) => at)).toEqual([[0.75, 0.25]]);
  asked[0]?.tell(1);
  await settle();
  expect(rig.camera.position.distanceTo(thing)).toBeCloseTo(thing.length() * Math.exp(-0.21), 5);
  expect(focus.distanceM).toBeCloseTo(Math.exp(-0.21), 5);
  // The camera stops at a distance that the lens can still focus.
  for (let notch = 0; notch < 40; notch++) pad.wheel(-100, 0.75, 0.25);
  await settle();
  expect(asked).toHaveLength(1);
  expect(focus.lost).toBe(false);
  expect(focus.distanceM).toBeGreaterThanOrEqual(0.1);
  expect(focus.distanceM).toBeLessThan(0.2);
});

test("a drag orbits about the thing under it as soon as its distance is known, and ignores an earlier drag's answer", async () => {
  const { pad, rig, asked, settle } = scene();
  const thing = seenFromHome(rig, 0.25, 0.5, 1.2);
  pad.send("pointerdown", { clientX: 110, clientY: 120 });
  pad.send("pointerup", {});
  pad.send("pointerdown", { clientX: 110, clientY: 120 });
  asked[1]?.tell(1.2);
  await settle();
  asked[0]?.tell(9);
  await settle();
  pad.send("pointermove", { clientX: 150, clientY: 120 });
  rig.update(0);
  const { x, y } = thing.clone().project(rig.camera);
  expect([x, y].map((value) => Number(value.toFixed(4)))).toEqual([-0.5, 0]);
  expect(rig.moved).toBe(true);
});

test("focus is asked for once in the middle of the picture after the camera has flown past it", async () => {
  const { rig, focus, moving, asked, settle } = scene();
  rig.goTo({ position: new Vector3(0, 0, -4), yaw: 0, pitch: 0, reachM: 2 });
  await settle();
  expect(focus.lost).toBe(true);
  moving.update(1000);
  moving.update(2000);
  expect(asked.map(({ at }) => at)).toEqual([[0.5, 0.5]]);
  asked[0]?.tell(1.5);
  await settle();
  expect([focus.lost, focus.distanceM]).toEqual([false, 1.5]);
  moving.update(3000);
  expect(asked).toHaveLength(1);
});

test("a double click brings a thing to the middle, at the same distance and in the same direction", async () => {
  const { rig, moving, asked, settle } = scene();
  const thing = seenFromHome(rig, 0.2, 0.7, 1.6);
  const centred = moving.center(0.2, 0.7);
  asked[0]?.tell(1.6);
  await centred;
  await settle();
  const { x, y } = thing.clone().project(rig.camera);
  expect([Math.abs(x), Math.abs(y)].every((far) => far < 1e-6)).toBe(true);
  expect(rig.distanceTo(thing)).toBeCloseTo(1.6, 6);
  expect([rig.place.yaw, rig.place.pitch]).toEqual([0, 0]);
});

const names = scene().moving.keys.flatMap((key) => namesOf(key));

test.each(names.filter((name) => name !== "shift" && name !== "1"))(
  "the key %s moves the camera at a short press",
  async (name) => {
    const { rig, moving, asked, settle } = scene();
    const key = moving.keys.find((candidate) => namesOf(candidate).includes(name));
    key?.does?.();
    key?.holds?.(true);
    key?.holds?.(false);
    for (const { tell } of asked) tell(3);
    await settle();
    expect(rig.moved).toBe(true);
    // Key 1 returns to the sensor's own view.
    moving.keys.find((candidate) => candidate.key === "1")?.does?.();
    await settle();
    expect(rig.moved).toBe(false);
  },
);

describe("the floor that was found", () => {
  const [tilt, roll] = [0.5, 0.2];
  const normal = [Math.cos(tilt) * Math.sin(roll), -Math.cos(tilt) * Math.cos(roll), -Math.sin(tilt)] as const;

  test("has a grid of whole metres and quarters, a little above it, around what the sensor looks at", () => {
    const [whole, fine] = gridOn({ normal, offset: 1.2 }, 0.01);
    const points = [whole, fine].map((lines) =>
      Array.from({ length: (lines?.ends.length ?? 0) / 3 }, (_, k) => lines?.ends.subarray(3 * k, 3 * k + 3) ?? []),
    );
    for (const point of points.flat())
      expect(normal.reduce((sum, n, k) => sum + n * (point[k] ?? 0), 1.2)).toBeCloseTo(0.01, 5);
    expect(points.map(({ length }) => length / 2)).toEqual([14, 36]);
    const apart = (a: number, b: number) =>
      Math.hypot(...[0, 1, 2].map((k) => (points[0]?.[a]?.[k] ?? 0) - (points[0]?.[b]?.[k] ?? 0)));
    // Each line of one direction is followed by one of the other.
    expect([apart(0, 4), apart(2, 6), apart(0, 1)]).toEqual([1, 1, 6].map((m) => expect.closeTo(m, 5)));
    const middle = [0, 1, 2].map((k) => [...(points[0] ?? [])].reduce((sum, point) => sum + (point[k] ?? 0), 0) / 28);
    const axis = 1.2 / Math.sin(tilt);
    expect(Math.hypot(middle[0] ?? 0, middle[1] ?? 0, (middle[2] ?? 0) - axis)).toBeLessThan(0.75);
  });

  test.each([
    ["of a camera that is tilted and rolled", normal, [-normal[0], normal[1], normal[2]]],
    ["of a camera that stands nearly level", [0.02, -0.9998, -0.01], [0, -1, 0]],
    ["that nobody has found", undefined, [0, -1, 0]],
  ] as const)("is looked down onto %s", (_, found, wanted) => {
    const { rig, moving } = scene(found);
    moving.views.find(({ says }) => says === "From above")?.does();
    rig.update(0);
    const at = rig.camera.getWorldDirection(new Vector3());
    expect([at.x, at.y, at.z]).toEqual(wanted.map((value) => expect.closeTo(value, 5)));
  });

  test("is told only while somebody looks for it, and the grid stays where it is until the floor is found elsewhere", () => {
    const floor = new FoundFloor();
    let changes = 0;
    floor.onChange = () => changes++;
    const found = (mm: number) => ({ normal, distance: reading(mm, 1, "mm"), rmsMm: 2 });
    floor.take(found(1200));
    expect([floor.down, floor.guides.length]).toEqual([undefined, 0]);
    floor.isKnown = () => true;
    floor.isShown = () => true;
    const { guides } = floor;
    floor.take(found(1203));
    expect([guides.length, floor.guides === guides, changes]).toEqual([2, true, 1]);
    floor.take(found(1215));
    expect([floor.guides === guides, changes]).toEqual([false, 2]);
    floor.take(undefined);
    expect([floor.down, floor.guides.length, changes]).toEqual([undefined, 0, 3]);
  });
});
