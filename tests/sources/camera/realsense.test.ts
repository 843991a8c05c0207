import { describe, expect, onTestFinished, test } from "vitest";
import { realsense } from "../../../sources/camera/drivers/realsense/index.ts";
import type { CameraAnswer } from "../../../sources/camera/process/answers.ts";
import { CameraHost } from "../../../sources/camera/process/host.ts";
import { FrameParser, headOf, type WiredFrame } from "../../../sources/camera/process/wire.ts";
import type { CameraRequest } from "../../../sources/live/driver.ts";
import { linuxWith } from "./pretended/library.ts";
import { PATH, PretendedRealSense } from "./pretended/realsense.ts";

// The driver of RealSense cameras against a fake librealsense2 in place of the C functions.

const request: CameraRequest = { driver: "realsense", color: true, controls: {} };
const place = linuxWith(PATH);
const depthOf = (first: number) => new Uint8Array(Uint16Array.from({ length: 12 }, (_, i) => first + i).buffer);
const colorOf = (value: number) => new Uint8Array(36).fill(value);

async function opened(more: Partial<CameraRequest> = {}, about: Partial<PretendedRealSense> = {}) {
  const library = Object.assign(new PretendedRealSense(), about);
  const camera = await realsense(library.ffi, place).open({ ...request, ...more });
  onTestFinished(() => camera.close());
  return { library, camera };
}

test("realsense gives unit, lens, modes and controls as the library states them", async () => {
  const { camera } = await opened();
  expect(camera.state).toMatchObject({
    info: { name: "Intel RealSense D435", id: "123456", notes: [expect.stringContaining("USB 2.1")] },
    fps: 30,
    metresPerUnit: 0.001,
    intrinsics: { fx: 390.5, fy: 391.25, cx: 1.5, cy: 1.25, width: 4, height: 3 },
    modes: [{ width: 4, height: 3, fps: 30 }],
    controls: [
      { name: "gain", value: 16, least: 0, most: 360, step: 1 },
      { name: "preset", value: 1, least: 0, most: 2, step: 1, names: ["Preset 0", "Preset 1", "Preset 2"] },
      { name: "laser", value: 150, least: 0, most: 360, step: 30 },
    ],
    library: `librealsense 2.54.0, ${PATH}`,
  });
  expect(camera.state.intrinsics).not.toHaveProperty("distortion");
});

test("realsense gives depth in the library's memory with the nearest colour, and releases frames", async () => {
  const { library, camera } = await opened();
  library.queued.color.push(
    { stampMs: 970, number: 1, data: colorOf(10) },
    { stampMs: 1003, number: 2, data: colorOf(20) },
  );
  library.queued.depth.push({ stampMs: 1000, number: 5, data: depthOf(1000) });
  const shot = await camera.next();
  expect(shot).toMatchObject({ stampMs: 1000, number: 5, depth: depthOf(1000) });
  expect(shot?.color?.slice(0, 4)).toEqual(Uint8Array.of(20, 20, 20, 255));
  expect(camera.state.clock).toBe("the device's clock, fitted to this computer's");
  shot?.release();
  expect([...library.held.values()].map(({ sensor }) => sensor)).toEqual([6, 6]);
  camera.close();
  expect(library.held.size).toBe(0);
});

test("realsense gives the notes that the camera has of a frame, which reach the page's end of the stream", async () => {
  const { library, camera } = await opened();
  library.queued.depth.push({ stampMs: 1000, number: 5, data: depthOf(1000), metadata: { 3: 8500, 11: 150, 99: 1 } });
  library.queued.depth.push({ stampMs: 1033, number: 6, data: depthOf(1000) });
  const shots = [await camera.next(), await camera.next()];
  const metadata = Object.entries({ "Actual Exposure": "8500", "Frame Laser Power": "150" });
  expect(shots.map((shot) => shot?.metadata)).toEqual([metadata, undefined]);
  for (const shot of shots) shot?.release();
  const piped: WiredFrame[] = [];
  const { metresPerUnit, intrinsics } = camera.state;
  const about = { stampMs: 1000, number: 5, readMs: 1001, metresPerUnit, intrinsics };
  const parser = new FrameParser((frame) => void piped.push(frame));
  parser.push(headOf({ ...about, metadata: shots[0]?.metadata }, 24, 0));
  parser.push(depthOf(1000));
  expect(piped[0]?.header.metadata).toEqual(metadata);
  expect(() => parser.push(headOf({ ...about, metadata: [["Gain", 16]] as never }, 24, 0))).not.toThrow();
  expect(() => parser.push(depthOf(1000))).toThrow("what is no frame");
});

test("realsense gives the infrared image of a frame's time, which reaches the page's end of the stream", async () => {
  const { library, camera } = await opened({ infrared: true, color: false });
  expect([camera.state.infrared, library.opened]).toEqual([true, [20n, 22n]]);
  const grey = (stampMs: number, value: number) => ({ stampMs, number: 1, data: new Uint8Array(12).fill(value) });
  // The first depth's image comes after that depth, and the second depth's image before its own.
  library.queued.depth.push(
    { stampMs: 1000, number: 5, data: depthOf(1000) },
    { ...grey(1000, 10), isGrey: true },
    { ...grey(1033, 20), isGrey: true },
    { stampMs: 1033, number: 6, data: depthOf(2000) },
  );
  const shots = [await camera.next(), await camera.next()];
  expect(shots.map((shot) => `${shot?.number}: ${shot?.infrared?.bytes[0]}`)).toEqual(["5: 10", "6: 20"]);
  const [{ infrared } = { infrared: undefined }] = shots;
  for (const shot of shots) shot?.release();
  camera.close();
  expect(library.held.size).toBe(0);
  const piped: WiredFrame[] = [];
  const host = new CameraHost(
    async () => ({
      ...{ library: "", list: () => [], close() {} },
      open: async () => ({ ...camera, state: camera.state, close() {}, next: async () => shots.shift() }),
    }),
    {
      answer() {},
      async write(parts) {
        const parser = new FrameParser((frame) => void piped.push(frame));
        for (const part of parts) parser.push(part);
      },
      now: () => 1001,
    },
  );
  onTestFinished(() => host.close());
  await host.receive({ kind: "watch", on: true });
  shots.splice(0, 2, { stampMs: 1, number: 1, depth: depthOf(1), infrared, release() {} });
  await host.receive({ kind: "open", request });
  await expect.poll(() => piped.length).toBe(1);
  expect(piped[0]).toMatchObject({
    header: { infrared: { width: 4, height: 3, bits: 8, from: "Infrared 1" } },
    infrared: infrared?.bytes,
  });
});

test("realsense gives the pair of a frame's moment, and none where an image is of another one or lost", async () => {
  const { library, camera } = await opened({ pair: true, color: false });
  expect([camera.state.pair, library.opened]).toEqual(["Infrared 1, Infrared 2, baseline 50 mm", [20n, 22n, 23n]]);
  const image = (stampMs: number, value: number) => ({ stampMs, number: 1, data: new Uint8Array(12).fill(value) });
  const left = (stampMs: number, value: number) => ({ ...image(stampMs, value), isGrey: true });
  const right = (stampMs: number, value: number) => ({ ...image(stampMs, value), isRight: true });
  const depth = (stampMs: number) => ({ stampMs, number: stampMs, data: depthOf(1000) });
  const shots = [];
  for (const moment of [
    [right(1000, 11), depth(1000), left(1000, 10)],
    [left(1033, 20), right(1033, 21), depth(1033)],
    [depth(1066), left(1066, 30)],
    [depth(1100), left(1100, 40), right(1100, 41)],
  ]) {
    library.queued.depth.push(...moment);
    shots.push(await camera.next());
  }
  expect(shots.map((shot) => [shot?.number, shot?.infrared?.bytes[0], shot?.right?.bytes[0]])).toEqual([
    [1000, 10, 11],
    [1033, 20, 21],
    [1066, 30, undefined],
    [1100, 40, 41],
  ]);
  for (const shot of shots) shot?.release();
  camera.close();
  expect(library.held.size).toBe(0);
});

test.each([
  ["one infrared image", { eyes: 1 }, "none: the camera gives no two infrared images of depth's size and rate"],
  ["a right eye 1 mm lower", { askew: 0.001 }, "none: Infrared 1 and Infrared 2 are not rectified"],
] as const)("realsense with %s has no pair, and says why", async (_, about, why) => {
  const { library, camera } = await opened({ pair: true, color: false }, about);
  expect([camera.state.pair, library.opened]).toEqual([expect.stringContaining(why), [20n]]);
  library.queued.depth.push({ stampMs: 1000, number: 5, data: depthOf(1000) });
  expect((await camera.next())?.right).toBeUndefined();
});

test("realsense sets a control, and refuses an unknown control and a value out of range", async () => {
  const { library, camera } = await opened({ controls: { laser: 90 } });
  expect(library.options.get(13)).toBe(90);
  expect(() => camera.set("laser", 400)).toThrow("laser takes values from 0 to 360, not 400");
  expect(() => camera.set("zoom", 1)).toThrow('it has no control "zoom"; it has gain, preset, laser');
});

test("the process that reads a RealSense answers a change with all controls, or with why the camera refuses", async () => {
  const library = new PretendedRealSense();
  const answers: CameraAnswer[] = [];
  const port = {
    answer: (one: CameraAnswer) => void answers.push(structuredClone(one)),
    write: async () => {},
    now: () => 0,
  };
  const host = new CameraHost(async () => realsense(library.ffi, place), port);
  onTestFinished(() => host.close());
  await host.receive({ kind: "open", request });
  await host.receive({ kind: "set", name: "laser", value: 90 });
  library.failing = "rs2_set_option";
  await host.receive({ kind: "set", name: "laser", value: 120 });
  const laser = (one?: CameraAnswer) => (one?.kind === "opened" ? one.state.controls.at(-1)?.value : one);
  expect(answers.map(laser)).toEqual([150, 90, { kind: "failed", why: "rs2_set_option says no" }]);
});

test("the process that reads a RealSense tells the clock of its stamps, once a frame has told it", async () => {
  const library = new PretendedRealSense();
  const told: unknown[] = [];
  const port = {
    answer: (one: CameraAnswer) =>
      void told.push([one.kind, one.kind !== "failed" && "state" in one && one.state.clock]),
    write: async () => {},
    now: () => 0,
  };
  const host = new CameraHost(async () => realsense(library.ffi, place), port);
  for (const stampMs of [1000, 1033]) library.queued.depth.push({ stampMs, number: stampMs, data: depthOf(1000) });
  await host.receive({ kind: "open", request: { ...request, color: false } });
  for (let turn = 0; turn < 1000; turn++) await Promise.resolve();
  host.close();
  expect(told).toEqual([
    ["opened", "the device's clock"],
    ["changed", "the device's clock, fitted to this computer's"],
  ]);
});

describe("realsense refuses", () => {
  const open = (library: PretendedRealSense, more: Partial<CameraRequest> = {}, where = place) =>
    (async () => realsense(library.ffi, where).open({ ...request, ...more }))();
  const vga = { width: 640, height: 480 };
  const pretended = (fields: object) => Object.assign(new PretendedRealSense(), fields);

  test.each<[what: string, () => Promise<unknown>, said: RegExp]>([
    ["a missing library", () => open(new PretendedRealSense(), {}, linuxWith()), /librealsense2 is not installed/],
    ["a broken library", () => open(new PretendedRealSense("/other")), /so\.2\.54 does not load \(.*cannot open/],
    ["an old library", () => open(pretended({ version: 24_900 })), /librealsense 2\.49\.0, which is too old: 2\.50/],
    ["a missing camera", () => open(pretended({ plugged: false })), /no camera is plugged in/],
    ["an unknown serial number", () => open(pretended({}), { which: "42" }), /no camera 42 is plugged.* is 123456/],
    ["an unknown mode", () => open(pretended({}), { size: vga }), /no.* depth at 640x480; it does at 4x3 at 30/],
  ])("%s", async (_, work, said) => {
    await expect(work()).rejects.toThrow(said);
    await expect(work()).rejects.toMatchObject({ name: "SourceError" });
  });

  test("a library that lacks a function", async () => {
    const library = new PretendedRealSense();
    delete (library.functions as Record<string, unknown>).rs2_try_wait_for_frame;
    await expect(open(library)).rejects.toThrow("is too old: it has no function rs2_try_wait_for_frame");
  });
});
