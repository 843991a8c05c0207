import { expect, onTestFinished, test, vi } from "vitest";
import type { Fact } from "../../../sources/index.ts";
import { Intake } from "../../../sources/live/intake.ts";
import { RosFrames } from "../../../sources/live/rosFrames.ts";
import { imageOf, PIXELS, TOPIC } from "../../publish/camera.ts";

// Colour in a topic of its own: which image of it a depth frame gets, and how long depth waits for it.

const COLOR = "/camera/color/image_raw";

/** Takes messages of depth and colour as they come; `shown` has the value of each frame's colour, as far as frames are handed on. */
function camera() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const intake = new Intake();
  const shown: Promise<number | undefined>[] = [];
  vi.spyOn(intake, "take").mockImplementation(({ decode }) => {
    shown.push(Promise.resolve(decode()).then(({ color }) => color?.data[0]));
  });
  const facts: Fact[] = [];
  const frames = new RosFrames({ address: "", options: {}, intake, ready() {}, fail() {} }, facts);
  onTestFinished(() => frames.close());
  const header = (ms: number) => ({ ...imageOf(0).header, stamp: { sec: 1_790_000_000, nanosec: ms * 1e6 } });
  const depth = (ms: number) => frames.depth({ ...imageOf(0), header: header(ms) }, 0n, TOPIC);
  const color = (ms: number, value: number, more = {}) => {
    const data = new Uint8Array(3 * PIXELS.width * PIXELS.height).fill(value);
    const form = { ...imageOf(0), encoding: "rgb8", step: 3 * PIXELS.width, data, ...more };
    frames.color({ ...form, header: header(ms) }, 0n, COLOR);
  };
  return { depth, color, shown, none: () => facts.find(({ what }) => what === "colour")?.value };
}

/** The colours of twelve frames where colour comes before or after depth, and its clock or its rate differs. */
async function colorsOf({ fps = 30, isFirst = false, shiftMs = 0, every = 1 }) {
  const { depth, color, shown } = camera();
  for (let i = 0; i < 12; i++) {
    const ms = 10 + Math.round((i * 1000) / fps);
    const show = () => i % every === 0 && color(ms + shiftMs, i);
    if (isFirst) show();
    depth(ms);
    vi.advanceTimersByTime(4);
    if (!isFirst) show();
    vi.advanceTimersByTime(1000 / fps - 4);
  }
  return Promise.all(shown);
}

test.each([
  { fps: 30 },
  { fps: 30, isFirst: true },
  { fps: 60 },
  { fps: 90 },
  { fps: 90, isFirst: true },
  { fps: 30, isFirst: true, shiftMs: -5 },
])("depth gets the colour of its own moment: %o", async (how) => {
  expect((await colorsOf(how)).slice(2)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test.each([{}, { isFirst: true }])("colour at half of depth's rate is that of every other frame: %o", async (how) => {
  const none = undefined;
  const colors = await colorsOf({ ...how, every: 2 });
  expect(colors.slice(3)).toEqual([none, 4, none, 6, none, 8, none, 10, none]);
});

test("depth waits for the next colour until the next depth or for 20 ms, and only while that colour would be nearer", async () => {
  const { depth, color, shown } = camera();
  depth(0);
  expect(shown.length).toBe(1);
  for (const ms of [0, 33, 66]) color(ms, ms);
  depth(66);
  depth(80);
  expect(shown.length).toBe(3);
  depth(100);
  depth(101);
  expect(shown.length).toBe(4);
  vi.advanceTimersByTime(20);
  expect(shown.length).toBe(5);
  depth(133);
  expect(await Promise.all(shown)).toEqual([undefined, 66, 66, undefined, undefined, undefined]);
});

test("where each image of colour comes after its depth has gone on, a fact says so until depth has colour again", async () => {
  const { depth, color, shown, none } = camera();
  for (let i = 0; i < 8; i++) {
    depth(33 * i);
    vi.advanceTimersByTime(22);
    color(33 * i, i);
    vi.advanceTimersByTime(11);
    if (i < 4) expect(none() !== undefined).toBe(i > 1);
  }
  expect(none()).toMatch(/^none: its images come more than 20 ms later than depth/);
  expect((await Promise.all(shown)).filter((value) => value !== undefined)).toEqual([]);
  color(300, 7);
  depth(300);
  expect(await shown.at(-1)).toBe(7);
  expect(none()).toBeUndefined();
});

test("colour that is late now and then, and not so many times in a row, is no fact", async () => {
  const { depth, color, none } = camera();
  for (let i = 0; i < 12; i++) {
    const isLate = i % 3 < 2;
    if (!isLate) color(33 * i, i);
    depth(33 * i);
    vi.advanceTimersByTime(22);
    if (isLate) color(33 * i, i);
    vi.advanceTimersByTime(11);
    expect(none()).toBeUndefined();
  }
});

test("depth goes without colour that is damaged or of another size, and a fact says why until colour comes again", async () => {
  const { depth, color, shown, none } = camera();
  const wrong: [more: object, why: RegExp | undefined][] = [
    [{ height: 6 }, /^none: its images have 16×6 pixels, and depth has 16×12$/],
    [{}, undefined],
    [{ data: new Uint8Array(3) }, /^none: topic .*/],
  ];
  for (const [i, [more, why]] of wrong.entries()) {
    color(33 * i, 7, more);
    depth(33 * i);
    expect(await shown[i]).toBe(why ? undefined : 7);
    if (why) expect(none()).toMatch(why);
    else expect(none()).toBeUndefined();
  }
});

test("depth of a topic named after distances has the lengths of rays turned, as in a recording, and a fact says so", async () => {
  const intake = new Intake();
  const taken = vi.spyOn(intake, "take").mockImplementation(() => {});
  const facts: Fact[] = [];
  const frames = new RosFrames({ address: "", options: {}, intake, ready() {}, fail() {} }, facts);
  onTestFinished(() => frames.close());
  const firstOf = async (topic: string) => {
    frames.depth(imageOf(0), 0n, topic);
    const [arrival] = taken.mock.lastCall ?? [];
    if (!arrival) throw new Error("nothing was handed on");
    const { depth, intrinsics } = await arrival.decode();
    const at = depth.data.findIndex((value) => value > 0);
    const [x, y] = [at % intrinsics.width, Math.floor(at / intrinsics.width)];
    return [depth.data[at], Math.hypot((x - intrinsics.cx) / intrinsics.fx, (y - intrinsics.cy) / intrinsics.fy, 1)];
  };
  const [along] = await firstOf("/ifm/depth/image");
  expect(facts.some(({ value }) => value.includes("lengths of rays"))).toBe(false);
  const [turned, ray] = await firstOf("/ifm/distance");
  expect([along > 0, turned]).toEqual([true, Math.round(along / ray)]);
  expect(turned).toBeLessThan(along);
  expect(facts.some(({ value }) => value.includes("lengths of rays"))).toBe(true);
});
